/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries out a job of many requests. One callback writes each request, another takes each outcome,
 * and madring keeps as many requests queued as the ring has room for.
 */
#ifndef MADRING_BATCH_H
#define MADRING_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/send.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_agent;
struct madring_mad;

/* Returned by a madring_batch_next: the batch has no request any more. */
#define MADRING_BATCH_FINISHED 2

/* A job of many requests. It belongs to the thread of its ring. */
struct madring_batch;

/* Holds how far a batch is. */
struct madring_batch_state {
	uint64_t started;   /* requests that .next has written */
	uint64_t ended;	    /* requests whose outcome .done has received */
	uint64_t answered;  /* requests that had a reply: status 0 */
	uint32_t in_flight; /* requests without an outcome */
	/* Nothing is in flight, and nothing more will be sent: the batch was stopped; or .next has
	   returned MADRING_BATCH_FINISHED; or it has no request for now and .watch asks for no
	   further call. */
	bool done;
	bool canceled;	       /* madring_batch_cancel() stopped it, or its agent was closed */
	bool deadline_reached; /* .deadline_ms stopped it */
	int error;	       /* the negative errno that stopped it, or 0 */
};

/*
 * Writes the next request into @mad, and says in @send how to send it.
 * @user: madring_batch_config.user. @batch: for madring_batch_via() and madring_batch_cancel().
 * @mad: a buffer for a 256-byte MAD, as from madring_mad_alloc() of the batch's agent. madring owns
 * it. @send: zeroed. madring passes .user to .done, and ignores .callback.
 * Returns 1, or
 *   0       there is no request for now. madring calls it again after the next outcome of the
 *           batch, after each call of .watch, and after madring_batch_more(). So it has to
 *           remember that it is at its end, or return:
 *   MADRING_BATCH_FINISHED
 *           there is no request any more. madring never calls it again. The batch is done when
 *           nothing is in flight, whatever .watch has returned.
 *   -errno  stops the batch, and becomes its .error. The requests in flight end with -ECANCELED.
 */
typedef int (*madring_batch_next)(void *user, struct madring_batch *batch, struct madring_mad *mad,
				  struct madring_send_options *send);

/*
 * Takes the outcome of a request. madring calls it exactly once for each request that .next has
 * written, but not after madring_batch_end(). If madring_send() refuses the request, .status is its
 * error, .attempts is 0, and .request is the request; -ESHUTDOWN becomes -ECANCELED.
 * @user: madring_batch_config.user. @completion: as a madring_callback receives it, with the same
 * rules for its buffers. Its .user is that of the request's send options.
 */
typedef void (*madring_batch_done)(void *user, const struct madring_completion *completion);

/*
 * Looks after the batch. madring calls it when the batch begins, and when the time that it returned
 * is over. madring also calls it after each turn of the ring that called back, was woken
 * (madring_wake()) or was interrupted by a signal. Then madring calls .next. It may call
 * madring_batch_cancel().
 * When the batch was stopped, .watch is called once more, after the last outcome. Then the batch is
 * done, and the value that it returns means nothing.
 * Returns in how many ms madring calls it at the latest, or MADRING_FOREVER. As long as it sets a
 * limit, the batch goes on, even if nothing is in flight and .next has no request.
 */
typedef int (*madring_batch_watch)(void *user, struct madring_batch *batch);

/* Tells how far the batch is. @user: madring_batch_config.user. @state: valid during the call. */
typedef void (*madring_batch_progress)(void *user, const struct madring_batch_state *state);

/*
 * Describes a batch. No callback may run, step, dispatch or close the ring, or end its own batch
 * or the one that madring_batch_run() runs. All may send, cancel, and start and end other batches.
 */
struct madring_batch_config {
	madring_batch_next next;
	madring_batch_done done;
	void *user;			 /* for the callbacks */
	madring_batch_watch watch;	 /* may be NULL */
	madring_batch_progress progress; /* may be NULL; called every .progress_ms */
	uint32_t progress_ms;		 /* 0: 100 */
	/* How long after its start madring stops the batch, in ms; 0: never. Its requests in flight
	   then end with -ECANCELED. */
	int deadline_ms;
	/* The most requests in flight at once; 0: as many as the ring has room for. */
	uint32_t most;
};

/*
 * Starts a batch. Its requests are written and sent when the ring runs (madring_run(),
 * madring_step(), madring_batch_run()). In an event loop (madring_fd()), call madring_step() once
 * afterwards. Several batches of a ring take turns.
 * @agent: sends the batch's requests. When it is closed, the batch is canceled.
 * @config: copied. @batch: set on success. End it with madring_batch_end(). madring_close() ends
 * the batches of its ring, too. It calls .done for their requests, and their handles are invalid
 * afterwards.
 * Returns 0, or
 *   -EINVAL   .next or .done is NULL, or .deadline_ms is negative
 *   -ENOMEM   out of memory
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 *   -ESHUTDOWN  the ring is being closed
 */
int madring_batch_start_sized(struct madring_agent *agent,
			      const struct madring_batch_config *config, size_t config_size,
			      size_t send_size, struct madring_batch **batch);
MADRING_SIZED int madring_batch_start(struct madring_agent *agent,
				      const struct madring_batch_config *config,
				      struct madring_batch **batch)
{
	return madring_batch_start_sized(agent, config, sizeof(*config),
					 sizeof(struct madring_send_options), batch);
}

/*
 * Runs the ring until a batch is done (madring_batch_state.done). This also calls back for
 * everything else of the ring. If a batch is done and was not stopped, madring_batch_more()
 * continues it, and it can be run again.
 * Returns 0, also when the batch was canceled or reached its deadline; or
 *   -EINTR    a signal arrived: run again; or cancel the batch, and run again
 *   -EBUSY    called from a callback
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 *   -ENODEV   the device is gone
 *   -ENOBUFS  the pool is empty, nothing is outstanding that would give a buffer back, and .watch
 *             wants no call
 *   other     what .next has returned, or an error of io_uring_enter(2)
 * All but the first three have stopped the batch. After an error of io_uring_enter(2) some
 * requests may still be in flight: end the batch, and close the ring.
 */
int madring_batch_run(struct madring_batch *batch);

/*
 * Starts a batch, runs it until it is done, and ends it. A signal cancels the batch: then .done was
 * called for all requests, and -EINTR is returned.
 * Returns 0, or an error of madring_batch_start() or madring_batch_run().
 */
int madring_batch_call_sized(struct madring_agent *agent, const struct madring_batch_config *config,
			     size_t config_size, size_t send_size);
MADRING_SIZED int madring_batch_call(struct madring_agent *agent,
				     const struct madring_batch_config *config)
{
	return madring_batch_call_sized(agent, config, sizeof(*config),
					sizeof(struct madring_send_options));
}

/*
 * Sends the request that .next is writing by another agent. Call it in .next, before writing: it
 * sets the class and the class version in the buffer's header to those of @agent.
 * @agent: of the same ring.
 */
void madring_batch_via(struct madring_batch *batch, struct madring_agent *agent);

/*
 * Tells madring that .next has requests again, after it returned 0. In an event loop, outside of a
 * callback, call madring_step() afterwards. It does nothing if the batch was stopped, or if .next
 * has returned MADRING_BATCH_FINISHED.
 */
void madring_batch_more(struct madring_batch *batch);

/*
 * Stops a batch: .next is not called any more, and the requests in flight end with -ECANCELED at
 * the next dispatch, as after madring_cancel(). Returns the number of these requests, or -EREMOTE
 * when the ring belongs to another thread.
 */
int madring_batch_cancel(struct madring_batch *batch);

/* Stores in @state how far the batch is. */
void madring_batch_get_state_sized(const struct madring_batch *batch,
				   struct madring_batch_state *state, size_t state_size);
MADRING_SIZED void madring_batch_get_state(const struct madring_batch *batch,
					   struct madring_batch_state *state)
{
	madring_batch_get_state_sized(batch, state, sizeof(*state));
}

/*
 * Ends a batch, and cancels its requests in flight. No callback of the batch is called afterwards.
 * Accepts NULL. The handle is invalid on return.
 * Returns 0, or
 *   -EBUSY    called from a callback of this batch, or while madring_batch_run() runs it: cancel it
 *             instead
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 * On an error it does nothing.
 */
int madring_batch_end(struct madring_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
