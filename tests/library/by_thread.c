/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a test once more where a thread of the kernel's submits: with MADRING_TEST_SQPOLL set, its
 * rings are opened so, and calls that hand MADs over begin and end when that thread has done all
 * that it can. So what the test did before is seen by the call, and what the call does by the test.
 */
#include "by_thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "library_fixture.h"

#define MAX_RINGS   16
#define IDLE_MS	    1
#define PAUSE_NS    20000u
#define PATIENCE_NS 20000000000u

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
int __real_madring_open_sized(struct madring **ring, const struct madring_config *config,
			      size_t config_size);
int __real_madring_submit(struct madring *ring);
int __real_madring_run(struct madring *ring, int timeout_ms);
int __real_madring_step(struct madring *ring);
int __real_io_uring_queue_init_params(unsigned int entries, struct io_uring *uring,
				      struct io_uring_params *params);
void __real_io_uring_queue_exit(struct io_uring *uring);

int __wrap_madring_open_sized(struct madring **ring, const struct madring_config *config,
			      size_t config_size);
int __wrap_madring_submit(struct madring *ring);
int __wrap_madring_run(struct madring *ring, int timeout_ms);
int __wrap_madring_step(struct madring *ring);
int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *uring,
				      struct io_uring_params *params);
void __wrap_io_uring_queue_exit(struct io_uring *uring);

static struct io_uring *urings[MAX_RINGS];
int by_thread_setup_fails;

bool by_thread(void)
{
	return getenv("MADRING_TEST_SQPOLL") != NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Waits until the kernel's thread has taken all submissions. The caller has to have woken it. */
static void wait_until_taken(const struct io_uring *uring)
{
	uint64_t end = now_ns() + PATIENCE_NS;

	while (io_uring_smp_load_acquire(uring->sq.khead) != *uring->sq.ktail) {
		assert_true(now_ns() < end);
		pause_shortly();
	}
}

/*
 * Waits for the completions of all that the thread has read: it holds until then the lock that this
 * call takes.
 */
static void wait_until_completed(void)
{
	struct io_uring_probe probe = { 0 };

	for (unsigned int i = 0; i < MAX_RINGS; i++)
		if (urings[i])
			assert_int_equal(io_uring_register_probe(urings[i], &probe, 0), 0);
}

/*
 * Returns the state in a thread's stat(5): NUMBER (NAME) STATE ... Returns 0 if the thread has
 * another name, or is gone.
 */
static char state_of(const char *task, const char *prefix)
{
	char path[64], stat[256];
	const char *name;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", task);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bytes = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[bytes < 0 ? 0 : bytes] = '\0';
	name = strchr(stat, '(');
	if (!name || !strrchr(name, ')') || strncmp(name + 1, prefix, strlen(prefix)) != 0)
		return 0;
	return strrchr(name, ')')[2];
}

char by_thread_state(const char *prefix)
{
	static DIR *tasks;
	const struct dirent *task;
	char found = 0;

	if (!tasks)
		tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	rewinddir(tasks);
	while ((task = readdir(tasks))) {
		char state = state_of(task->d_name, prefix);

		if (state && (!found || state != 'S'))
			found = state;
	}
	return found;
}

/*
 * Tells whether the kernel's threads have nothing to do: MADs sent to a lane wake them before the
 * sending ends.
 */
static bool threads_sleep(void)
{
	char state = by_thread_state("iou-sqp");

	return !state || state == 'S';
}

/* Waits until all sent MADs are read, or until no read is posted for the rest. */
static void wait_until_read(void)
{
	uint64_t end = now_ns() + PATIENCE_NS;

	while (fake_unread() && !threads_sleep()) {
		assert_true(now_ns() < end);
		pause_shortly();
	}
	wait_until_completed();
}

static void settle(void)
{
	if (!by_thread())
		return;
	for (unsigned int i = 0; i < MAX_RINGS; i++)
		if (urings[i])
			wait_until_taken(urings[i]);
	wait_until_read();
}

static void replace(struct io_uring *old, struct io_uring *new)
{
	unsigned int i = 0;

	while (i < MAX_RINGS && urings[i] != old)
		i++;
	assert_true(i < MAX_RINGS);
	urings[i] = new;
}

int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *uring,
				      struct io_uring_params *params)
{
	int error = by_thread_setup_fails;

	if (!error)
		error = __real_io_uring_queue_init_params(entries, uring, params);
	if (error || !by_thread())
		return error;
	/* Tests count what is allocated from now on, and this allocates when it is first called. */
	threads_sleep();
	replace(NULL, uring);
	return error;
}

void __wrap_io_uring_queue_exit(struct io_uring *uring)
{
	if (by_thread())
		replace(uring, NULL);
	__real_io_uring_queue_exit(uring);
}

int __wrap_madring_open_sized(struct madring **ring, const struct madring_config *config,
			      size_t config_size)
{
	struct madring_config own = { 0 };

	if (!by_thread())
		return __real_madring_open_sized(ring, config, config_size);
	if (config)
		own = *config;
	own.sqpoll_idle_ms = IDLE_MS;
	return __real_madring_open_sized(ring, &own, sizeof(own));
}

int __wrap_madring_submit(struct madring *ring)
{
	int result;

	settle();
	result = __real_madring_submit(ring);
	settle();
	return result;
}

int __wrap_madring_run(struct madring *ring, int timeout_ms)
{
	int result;

	settle();
	result = __real_madring_run(ring, timeout_ms);
	settle();
	return result;
}

int __wrap_madring_step(struct madring *ring)
{
	int result;

	settle();
	result = __real_madring_step(ring);
	settle();
	return result;
}
/* NOLINTEND(bugprone-reserved-identifier) */
