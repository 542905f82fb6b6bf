/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of batches, and the functions that their files call in each other. */
#ifndef MADRING_API_BATCH_H
#define MADRING_API_BATCH_H

#include "api/handles.h"

/* The room for the send options that .next writes, which a later version may have made longer. */
#define MOST_SEND_SIZE 256u

/* A request in flight, which is the user of its transaction. */
struct batch_request {
	struct madring_batch *batch;
	void *user;		    /* the program's */
	uint64_t id;		    /* for engine_cancel() */
	struct batch_request *free; /* the next free one */
	bool is_in_flight;
};

struct madring_batch {
	struct madring *ring;
	struct madring_agent *agent; /* NULL: it was closed */
	struct madring_batch *next;  /* in the circle of the ring's batches */
	struct madring_batch_config config;
	size_t send_size;		  /* of the program's struct madring_send_options */
	struct madring_batch_state state; /* but .done */

	struct batch_request *requests; /* config.most of them */
	struct batch_request *free;
	uint32_t used; /* the requests from this one on were never used */

	struct madring_agent *via; /* sends the request that .next is writing */
	struct madring_mad *writing;
	unsigned int calling; /* how many callbacks of it are running */

	bool is_idle;	 /* .next has no request for now */
	bool is_at_end;	 /* .next has no request any more */
	bool is_due;	 /* .watch is to be called, or the deadline is reached */
	bool is_stopped; /* .next is not called any more */
	bool is_told;	 /* .watch was called for the last time */
	bool was_done;	 /* at the end of the last batches_turn() */
	bool is_ended;	 /* the program has ended it: nothing is called back */
	bool is_running; /* madring_batch_run() runs it */

	/* Times by driver_clock(); ENGINE_NEVER: none. */
	uint64_t watch_at, deadline, progress_at;
};

/*
 * batch_list.c
 *
 * `batch_link` adds a batch as the last one that has its turn.
 * `batch_free` takes a batch out of its ring, and frees it.
 */
void batch_link(struct madring *ring, struct madring_batch *batch);
void batch_free(struct madring_batch *batch);

/*
 * batch_pull.c
 *
 * `batch_stop` stops a batch, and cancels its requests. Returns how many it has canceled.
 * @error: the batch's error; 0: none.
 * `batch_canceled` stops a batch whose requests the caller cancels.
 * `batch_cancel_requests` cancels the requests in flight. Returns how many these are.
 * `batches_pull` takes requests from the ring's batches in turns, while there is room.
 */
int batch_stop(struct madring_batch *batch, int error);
void batch_canceled(struct madring_batch *batch);
int batch_cancel_requests(struct madring_batch *batch);
void batches_pull(struct madring *ring);

#endif
