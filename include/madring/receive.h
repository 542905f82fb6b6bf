/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives requests, and prepares responses to them. */
#ifndef MADRING_RECEIVE_H
#define MADRING_RECEIVE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_agent;
struct madring_mad;

/* Holds a request or trap that an agent is registered for. Valid until the callback returns. */
struct madring_received {
	void *user; /* madring_agent_config.receive_user */
	struct madring_agent *agent;
	/*
	 * 0
	 * -EMSGSIZE  the message is longer than madring_config.message_bytes allows: .mad has its
	 *            beginning, and the umad header the length of the whole
	 * -ENODEV    the device is gone; .mad is NULL, and no call follows
	 */
	int status;
	/* Taken back when the callback returns, unless it calls madring_mad_keep(). */
	struct madring_mad *mad;
	size_t length; /* bytes of MAD */
};

/* Called for each received request. */
typedef void (*madring_receive_callback)(const struct madring_received *received);

/*
 * Copies the first 256 bytes of @request to @mad and makes them a response, addressed to the source
 * of the request: the response's method (IBA 13.4.5), the direction of a directed-route SMP, status
 * 0, and no RMPP. Everything else stays as in the request, including the TID, which must not
 * change. The caller writes what differs, and sends @mad with madring_send_options.no_reply. @mad
 * may be @request itself after madring_mad_keep().
 */
void madring_response_prepare(struct madring_mad *mad, const struct madring_mad *request);

#ifdef __cplusplus
}
#endif
#endif
