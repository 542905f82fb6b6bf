/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/common/jobs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_JOBS 256u

/* A seed that takes so many seconds of processor time will never end. */
#define MOST_SECONDS 600

/* The memory that the processes share. */
struct board {
	_Atomic uint64_t next; /* seed to be played, from 0 on */
	uint64_t playing[MOST_JOBS];
};

struct job {
	pid_t process; /* 0: it has ended */
};

static void work(const struct jobs *jobs, struct board *board, unsigned int number)
{
	const struct itimerval limit = { .it_value = { .tv_sec = MOST_SECONDS } };
	uint64_t at;

	while ((at = atomic_fetch_add(&board->next, 1)) < jobs->count) {
		board->playing[number] = jobs->first + at;
		setitimer(ITIMER_PROF, &limit, NULL);
		jobs->play(jobs->first + at);
	}
	exit(0);
}

static pid_t start(const struct jobs *jobs, struct board *board, unsigned int number)
{
	pid_t process;

	fflush(NULL);
	process = fork();
	if (!process)
		work(jobs, board, number);
	if (process < 0)
		perror("fork");
	return process < 0 ? 0 : process;
}

static unsigned int find(const struct job *job, unsigned int count, pid_t process)
{
	unsigned int number = 0;

	while (number < count && job[number].process != process)
		number++;
	return number;
}

/* Starts another process in the place of one that has failed. Returns how many failed. */
static uint64_t watch(const struct jobs *jobs, struct board *board, struct job *job,
		      unsigned int count)
{
	uint64_t failed = 0;
	pid_t process;
	int status;

	while ((process = wait(&status)) > 0) {
		unsigned int number = find(job, count, process);
		uint64_t seed;

		if (number == count)
			continue;
		job[number].process = 0;
		if (!status)
			continue;
		failed++;
		seed = board->playing[number];
		if (WIFSIGNALED(status))
			fprintf(stderr, "seed %" PRIu64 ": %s\n", seed,
				strsignal(WTERMSIG(status)));
		jobs->tell_failed(seed);
		job[number].process = start(jobs, board, number);
	}
	return failed;
}

bool jobs_play(const struct jobs *jobs)
{
	unsigned int count = jobs->processes < MOST_JOBS ? jobs->processes : MOST_JOBS;
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct job job[MOST_JOBS] = { 0 };
	uint64_t failed;

	if (board == MAP_FAILED) {
		perror("mmap");
		return false;
	}
	for (unsigned int i = 0; i < count; i++)
		job[i].process = start(jobs, board, i);
	failed = watch(jobs, board, job, count);
	if (failed)
		fprintf(stderr, "%" PRIu64 " of %" PRIu64 " seeds did not hold\n", failed,
			jobs->count);
	else if (atomic_load(&board->next) < jobs->count)
		fprintf(stderr, "not all seeds were played\n");
	return !failed && atomic_load(&board->next) >= jobs->count;
}
