/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends a request and waits for its outcome. */
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>

struct call {
	struct madring *ring;
	struct madring_completion *completion;
	bool ended;
	bool dropped; /* the caller does not get the outcome, but the request */
};

static void on_call_ended(const struct madring_completion *completion)
{
	struct call *call = completion->user;

	call->ended = true;
	madring_mad_keep(call->ring, completion->request);
	if (call->dropped)
		return;
	*call->completion = *completion;
	madring_mad_keep(call->ring, completion->mad);
}

static int run_call(struct call *call, uint64_t id)
{
	while (!call->ended) {
		int error = ring_run(call->ring, -1);

		if (error >= 0)
			continue;
		/* The completion refers to `call`, so it must come before this function returns. */
		call->dropped = true;
		madring_cancel(call->ring, id);
		while (!call->ended) {
			int again = ring_run(call->ring, -1);

			if (again < 0 && again != -EINTR)
				ring_give_up(call->ring, again);
		}
		return error;
	}
	return 0;
}

/* Does what madring_call() does, with structs of the library's size. */
static int call_agent(struct madring_agent *agent, struct madring_mad *mad,
		      const struct madring_send_options *send,
		      struct madring_completion *completion)
{
	struct call call = { .ring = agent->ring, .completion = completion };
	struct madring_send_options options = *send;
	uint64_t id;
	int error;

	if (ring_is_foreign(agent->ring))
		return -EREMOTE;
	if (agent->ring->lent.calling)
		return -EBUSY;
	error = driver_check(agent->ring->driver);
	if (error)
		return error;
	options.callback = on_call_ended;
	options.user = &call;
	options.id = &id;
	error = madring_send(agent, mad, &options);
	if (error)
		return error;
	if (send->id)
		*send->id = id;
	error = run_call(&call, id);
	completion->user = send->user;
	return error;
}

API int madring_call_sized(struct madring_agent *agent, struct madring_mad *mad,
			   const struct madring_send_options *send, size_t send_size,
			   struct madring_completion *completion, size_t completion_size)
{
	struct madring_completion own = { .request = mad };
	struct madring_send_options filled;
	int error = sized_take(&filled, sizeof(filled), send, send_size);

	if (!error)
		error = call_agent(agent, mad, &filled, &own);
	if (error)
		own.status = error;
	sized_give(completion, completion_size, &own, sizeof(own));
	return error;
}
