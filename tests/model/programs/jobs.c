/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs.h"

#include <errno.h>
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

#include "play.h"

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

static void play_one(uint64_t seed, bool twice)
{
	const struct itimerval limit = { .it_value = { .tv_sec = MOST_SECONDS } };
	uint64_t digest;

	setitimer(ITIMER_PROF, &limit, NULL);
	digest = play(seed, false);
	if (!twice || play(seed, false) == digest)
		return;
	fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n", seed);
	exit(1);
}

static void work(const struct seeds *seeds, struct board *board, unsigned int number)
{
	uint64_t at;

	while ((at = atomic_fetch_add(&board->next, 1)) < seeds->count) {
		board->playing[number] = seeds->first + at;
		play_one(seeds->first + at, seeds->twice);
	}
	exit(0);
}

static pid_t start(const struct seeds *seeds, struct board *board, unsigned int number)
{
	pid_t process;

	fflush(NULL);
	process = fork();
	if (!process)
		work(seeds, board, number);
	if (process < 0)
		perror("fork");
	return process < 0 ? 0 : process;
}

static void tell(uint64_t seed, int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, strsignal(WTERMSIG(status)));
	fprintf(stderr, "repeat: %s --trace --seed %" PRIu64 "\n", program_invocation_name, seed);
}

static unsigned int find(const struct job *jobs, unsigned int count, pid_t process)
{
	unsigned int number = 0;

	while (number < count && jobs[number].process != process)
		number++;
	return number;
}

/* Starts another process in the place of one that has failed. Returns how many failed. */
static uint64_t watch(const struct seeds *seeds, struct board *board, struct job *jobs,
		      unsigned int count)
{
	uint64_t failed = 0;
	pid_t process;
	int status;

	while ((process = wait(&status)) > 0) {
		unsigned int number = find(jobs, count, process);

		if (number == count)
			continue;
		jobs[number].process = 0;
		if (!status)
			continue;
		failed++;
		tell(board->playing[number], status);
		jobs[number].process = start(seeds, board, number);
	}
	return failed;
}

int jobs_play(const struct seeds *seeds)
{
	unsigned int count = seeds->jobs < MOST_JOBS ? seeds->jobs : MOST_JOBS;
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct job jobs[MOST_JOBS] = { 0 };
	uint64_t failed;

	if (board == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (unsigned int i = 0; i < count; i++)
		jobs[i].process = start(seeds, board, i);
	failed = watch(seeds, board, jobs, count);
	if (failed)
		fprintf(stderr, "%" PRIu64 " of %" PRIu64 " seeds did not hold\n", failed,
			seeds->count);
	else if (atomic_load(&board->next) < seeds->count)
		fprintf(stderr, "not all seeds were played\n");
	else
		printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds->count,
		       seeds->first);
	return failed || atomic_load(&board->next) < seeds->count;
}
