/* SPDX-License-Identifier: BSD-2-Clause */
/* Queuing a request, cancelling it, and waiting for one. */
#include "api/handles.h"

#include <errno.h>
#include <limits.h>

#include "base/mad_class.h"

#define MAX_RETRIES 254

/* What the kernel takes in one write. */
#define MAX_LENGTH ((size_t)INT_MAX - sizeof(struct ib_user_mad))

static size_t length_of(const struct madring_send_options *send, size_t room)
{
	if (send->length)
		return send->length;
	return room == MADRING_MAD_BYTES || room == MADRING_LARGE_MAD_BYTES ? room : 0;
}

static bool fits_into_a_mad(const struct madring_mad *mad, size_t length)
{
	bool large = madring_mad_header(mad)->base_version == MADRING_LARGE_BASE_VERSION;

	return length <= (large ? MADRING_LARGE_MAD_BYTES : MADRING_MAD_BYTES);
}

/* `has_table_for_reply` tells whether the SA answers the method with a table, in segments. */
static bool has_table_for_reply(const struct madring_mad *mad,
				const struct madring_send_options *send)
{
	const struct madring_mad_hdr *header = madring_mad_header(mad);

	return header->mgmt_class == MAD_CLASS_SA && !send->no_reply &&
	       header->method >= MADRING_GET_TABLE && header->method <= MADRING_GET_MULTI;
}

static bool patience_is_valid(const struct madring_send_options *send)
{
	if (send->kernel_retries)
		return (send->timeout_ms > 0 || send->timeout_ms == MADRING_FOREVER) &&
		       send->retries >= 0 && !send->no_reply;
	return send->timeout_ms >= MADRING_FOREVER && send->retries >= MADRING_NO_RETRIES &&
	       send->retries <= MAX_RETRIES;
}

/* How long to wait, and how often to try. */
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
	if (!send->kernel_retries)
		return;
	request->umad->timeout_ms = (uint32_t)send->timeout_ms;
	request->umad->retries = (uint32_t)send->retries;
}

static int request_of(const struct madring_agent *agent, struct madring_mad *mad,
		      const struct madring_send_options *send, struct engine_request *request)
{
	size_t room = pool_room(agent->ring->pool, mad);

	if (!patience_is_valid(send) || send->reserved[0] || send->reserved[1])
		return -EINVAL;
	*request = (struct engine_request){
		.umad = madring_mad_umad(mad),
		.length = length_of(send, room),
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
	/* The kernel does not know what belongs together. */
	if (request->segmented && agent->rmpp == MADRING_RMPP_USER && send->kernel_retries)
		return -EINVAL;
	if ((!request->segmented && !fits_into_a_mad(mad, request->length)) ||
	    request->length > MAX_LENGTH)
		return -EMSGSIZE;
	set_patience(send, request);
	return 0;
}

API int madring_send(struct madring_agent *agent, struct madring_mad *mad,
		     const struct madring_send_options *send)
{
	static const struct madring_send_options defaults;
	struct madring *ring = agent->ring;
	struct engine_request request;
	uint64_t id;
	int error;

	if (!send)
		send = &defaults;
	error = request_of(agent, mad, send, &request);
	if (error)
		return error;
	error = engine_send(ring->engine, agent->number, &request, &id);
	if (!error && send->id)
		*send->id = id;
	return error;
}

API int madring_cancel(struct madring *ring, uint64_t id)
{
	int error;

	/* Unless its write is reported, it does not end yet. */
	driver_collect(ring->driver);
	error = engine_cancel(ring->engine, id);
	driver_ready_update(ring->driver);
	return error;
}

struct call {
	struct madring *ring;
	struct madring_completion *completion;
	bool ended;
	bool dropped; /* nobody waits for its buffers */
};

static void on_call_ended(const struct madring_completion *completion)
{
	struct call *call = completion->user;

	call->ended = true;
	if (call->dropped)
		return;
	*call->completion = *completion;
	madring_mad_keep(call->ring, completion->mad);
	madring_mad_keep(call->ring, completion->request);
}

static int call_run(struct call *call, uint64_t id)
{
	while (!call->ended) {
		int error = run(call->ring, -1);

		if (error >= 0)
			continue;
		/* Its outcome comes now, and goes to `call`, which must still be there. */
		call->dropped = true;
		madring_cancel(call->ring, id);
		while (!call->ended) {
			int again = run(call->ring, -1);

			if (again < 0 && again != -EINTR)
				ring_give_up(call->ring, again);
		}
		return error;
	}
	return call->completion->status;
}

API int madring_call(struct madring_agent *agent, struct madring_mad *mad,
		     const struct madring_send_options *send, struct madring_completion *completion)
{
	struct call call = { .ring = agent->ring, .completion = completion };
	struct madring_send_options own = { 0 };
	uint64_t id;
	int error;

	*completion = (struct madring_completion){ 0 };
	if (agent->ring->lent.calling)
		return -EBUSY;
	error = driver_check(agent->ring->driver);
	if (error)
		return error;
	if (send)
		own = *send;
	own.callback = on_call_ended;
	own.user = &call;
	own.id = &id;
	error = madring_send(agent, mad, &own);
	if (error)
		return error;
	if (send && send->id)
		*send->id = id;
	error = call_run(&call, id);
	completion->user = send ? send->user : NULL;
	return error;
}
