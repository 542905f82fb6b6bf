/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: two-rings LID...: prints the description of each node. Two threads share the work. Each
 * has a ring of its own in an event loop with epoll(7).
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <madring/batch.h>
#include <madring/field.h>
#include <madring/names.h>
#include <madring/prepare.h>
#include <madring/ring.h>
#include <madring/structs.h>
#include <madring/subnet.h>
#include <madring/version.h>

#define THREADS 2

struct worker {
	pthread_t thread;
	char **lid, **end; /* of the arguments; each worker takes every THREADS-th */
	int error;
};

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	struct worker *worker = user;

	(void)batch;
	if (worker->lid >= worker->end)
		return 0;
	send->user = *worker->lid;
	worker->lid += THREADS;
	madring_smp_prepare(mad, (uint16_t)strtoul(send->user, NULL, 0), MADRING_GET,
			    MADRING_ATTR_NODE_DESCRIPTION, 0);
	return 1;
}

static void done(void *user, const struct madring_completion *c)
{
	struct worker *worker = user;
	uint8_t bytes[MADRING_DESCRIPTION_BYTES];
	char text[MADRING_DESCRIPTION_BYTES + 1];

	if (c->status) {
		fprintf(stderr, "LID %s: %s\n", (const char *)c->user,
			madring_error_text(c->status));
		worker->error = c->status;
	} else if (madring_mad_get_bytes(c->mad, "NodeString", bytes, sizeof(bytes)) > 0) {
		madring_description_decode(text, bytes);
		printf("LID %s: %s\n", (const char *)c->user, text);
	}
}

static int loop(struct madring *ring, struct madring_batch *batch)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct madring_batch_state state;
	int epoll = epoll_create1(EPOLL_CLOEXEC), error = 0;

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, madring_fd(ring), &event))
		error = -errno;
	while (!error) {
		error = madring_step(ring);
		error = error < 0 ? error : 0;
		madring_batch_get_state(batch, &state);
		if (state.done)
			break;
		if (!error && epoll_wait(epoll, &event, 1, -1) < 0 && errno != EINTR)
			error = -errno;
	}
	if (epoll >= 0)
		close(epoll);
	return error ? error : state.error;
}

/* Opens a subnet in this thread and runs a batch on it. */
static void *work(void *user)
{
	struct worker *worker = user;
	struct madring_batch_config config = { .next = next, .done = done, .user = worker };
	struct madring_subnet *subnet = NULL;
	struct madring_batch *batch;
	struct madring_agent *smp;
	int error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_subnet_agent(subnet, MADRING_CLASS_SMP, &smp);
	if (!error)
		error = madring_batch_start(smp, &config, &batch);
	if (!error) {
		error = loop(madring_subnet_ring(subnet), batch);
		madring_batch_end(batch);
	}
	madring_subnet_close(subnet);
	if (error)
		fprintf(stderr, "two-rings: %s\n", madring_error_text(error));
	worker->error = error ? error : worker->error;
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[THREADS] = { 0 };
	int status = EXIT_SUCCESS;
	int started = 0;

	for (; started < THREADS; started++) {
		struct worker *worker = &workers[started];

		worker->lid = argv + 1 + started;
		worker->end = argv + argc;
		if (pthread_create(&worker->thread, NULL, work, worker)) {
			fprintf(stderr, "two-rings: there is no memory for a thread\n");
			status = EXIT_FAILURE;
			break;
		}
	}
	while (started--) {
		pthread_join(workers[started].thread, NULL);
		if (workers[started].error)
			status = EXIT_FAILURE;
	}
	return status;
}
