/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues requests, and cancels them. */
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <limits.h>

#include "base/mad_class.h"

/* The kernel writes no more than this at a time. */
#define MAX_LENGTH ((size_t)INT_MAX - sizeof(struct ib_user_mad))

static size_t mad_length(const struct madring_send_options *send, size_t room)
{
	if (send->length)
		return send->length;
	return room == MADRING_MAD_BYTES || room == MADRING_LARGE_MAD_BYTES ? room : 0;
}

static bool is_within_mad(const struct madring_mad *mad, size_t length)
{
	bool large = madring_mad_const_header(mad)->base_version == MADRING_LARGE_BASE_VERSION;

	return length <= (large ? MADRING_LARGE_MAD_BYTES : MADRING_MAD_BYTES);
}

/* Tells whether the SA answers the method with a table, in segments. */
static bool has_table_for_reply(const struct madring_mad *mad,
				const struct madring_send_options *send)
{
	const struct madring_mad_hdr *header = madring_mad_const_header(mad);

	return header->mgmt_class == MADRING_CLASS_SA && !send->no_reply &&
	       header->method >= MADRING_GET_TABLE && header->method <= MADRING_GET_MULTI;
}

static bool is_valid_patience(const struct madring_send_options *send)
{
	if (send->kernel_retries)
		return (send->timeout_ms > 0 || send->timeout_ms == MADRING_FOREVER) &&
		       send->retries >= 0 && !send->no_reply;
	return send->timeout_ms >= MADRING_FOREVER && send->retries >= MADRING_NO_RETRIES &&
	       send->retries <= MOST_RETRIES;
}

/* Sets how long to wait for a reply, and how often to try. */
static void set_patience(const struct madring_send_options *send, struct engine_request *request)
{
	if (send->kernel_retries || send->timeout_ms == MADRING_FOREVER) {
		request->timeout_ns = ENGINE_NEVER;
		request->attempts = 1;
	} else {
		request->timeout_ns = (uint64_t)send->timeout_ms * NS_PER_MS;
		request->attempts = send->retries > 0 ? (unsigned int)send->retries + 1 : 0;
		if (send->retries == MADRING_NO_RETRIES)
			request->attempts = 1;
	}
	request->by_kernel = send->kernel_retries;
	request->careful = send->no_early_retry;
	if (!send->kernel_retries)
		return;
	request->umad->timeout_ms = (uint32_t)send->timeout_ms;
	request->umad->retries = (uint32_t)send->retries;
}

/*
 * Tells whether an agent may send a MAD of a class. The kernel treats both classes of SMPs alike:
 * they use QP0, and it registers methods for both at once. An agent of class 0 has no class.
 */
static bool agent_has_class(const struct madring_agent *agent, uint8_t mgmt_class)
{
	return mgmt_class == agent->mgmt_class || !agent->mgmt_class ||
	       (mad_class_of(mgmt_class)->is_smp && mad_class_of(agent->mgmt_class)->is_smp);
}

/* Checks that a MAD was prepared, for the agent, and has a destination. */
static int check_prepared(const struct madring_agent *agent, const struct madring_mad *mad)
{
	const struct madring_mad_hdr *header = madring_mad_const_header(mad);
	const struct ib_mad_addr *address = madring_mad_const_address(mad);

	if (!header->method)
		return -ENODATA;
	if (!agent_has_class(agent, header->mgmt_class))
		return -EPFNOSUPPORT;
	/* A RoCE port sends by the GRH and ignores the LID. */
	return address->lid || address->grh_present ? 0 : -EDESTADDRREQ;
}

/*
 * Checks a MAD and its options, and describes the request to the engine. Returns 0 or an error of
 * madring_send().
 */
static int fill_request(const struct madring_agent *agent, struct madring_mad *mad, size_t room,
			const struct madring_send_options *send, struct engine_request *request)
{
	int error = check_prepared(agent, mad);

	if (error)
		return error;
	if (!is_valid_patience(send))
		return -EINVAL;
	*request = (struct engine_request){
		.umad = madring_mad_umad(mad),
		.length = mad_length(send, room),
		.flow = send->flow,
		.no_reply = send->no_reply,
		.callback = (void *)(uintptr_t)send->callback,
		.user = send->user,
	};
	if (request->length > room || request->length < sizeof(struct madring_mad_hdr))
		return -EINVAL;
	if (!agent->rmpp && has_table_for_reply(mad, send))
		return -EPROTOTYPE;
	request->segmented = agent->rmpp && (madring_rmpp_header(mad)->flags & MADRING_RMPP_ACTIVE);
	/* The kernel does not know which segments belong together. */
	if (request->segmented && agent->rmpp == MADRING_RMPP_USER && send->kernel_retries)
		return -EINVAL;
	if ((!request->segmented && !is_within_mad(mad, request->length)) ||
	    request->length > MAX_LENGTH)
		return -EMSGSIZE;
	set_patience(send, request);
	return 0;
}

static int send_mad(struct madring_agent *agent, struct madring_mad *mad,
		    const struct madring_send_options *send)
{
	struct madring *ring = agent->ring;
	struct engine_request request;
	size_t room;
	uint64_t id;
	int error;

	if (ring_is_foreign(ring))
		return -EREMOTE;
	error = pool_claim(ring->pool, mad, &room);
	if (error)
		return error;
	error = fill_request(agent, mad, room, send, &request);
	if (!error)
		error = engine_send(ring->engine, agent->number, &request, &id);
	if (error)
		pool_release(ring->pool, mad);
	else if (send->id)
		*send->id = id;
	return error;
}

API int madring_send_sized(struct madring_agent *agent, struct madring_mad *mad,
			   const struct madring_send_options *send, size_t send_size)
{
	struct madring_send_options filled;
	int error;

	if (send && send_size == sizeof(*send))
		return send_mad(agent, mad, send);
	error = sized_take(&filled, sizeof(filled), send, send_size);
	return error ? error : send_mad(agent, mad, &filled);
}

API int madring_cancel(struct madring *ring, uint64_t id)
{
	int error;

	if (ring_is_foreign(ring))
		return -EREMOTE;
	/* A transaction ends only after its write is reported. */
	driver_collect(ring->driver);
	error = engine_cancel(ring->engine, id);
	driver_ready_update(ring->driver);
	return error;
}
