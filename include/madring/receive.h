/* SPDX-License-Identifier: BSD-2-Clause */
/* Receiving: the requests of others, and the answers to them. */
#ifndef MADRING_RECEIVE_H
#define MADRING_RECEIVE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_agent;
struct madring_mad;

/* A request, or a trap, that an agent is registered for. Valid until the callback returns. */
struct madring_received {
	void *user; /* madring_agent_config.receive_user */
	struct madring_agent *agent;
	/*
	 * 0
	 * -EMSGSIZE  longer than there will ever be room for (madring_config.message_bytes):
	 *            what is there is its beginning, the umad header has the length of all
	 * -ENODEV    the device is gone, and nothing more will come; without a MAD
	 */
	int status;
	/* Taken back when the callback returns, unless madring_mad_keep() was called for it. */
	struct madring_mad *mad;
	size_t length; /* bytes of MAD */
};

typedef void (*madring_receive_callback)(const struct madring_received *received);

/*
 * Makes of the first 256 bytes of @request a response in @mad, addressed to where the request
 * came from: the response's method (IBA 13.4.5), of a directed-route SMP the direction, status
 * 0, and no RMPP. All else is the request's, the TID included, and what has to be different is
 * for the caller to write; then it is sent with madring_send_options.no_reply. @mad may be @request
 * itself, when that was kept.
 */
void madring_response_prepare(struct madring_mad *mad, const struct madring_mad *request);

#ifdef __cplusplus
}
#endif
#endif
