/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: watchdog SECONDS LID...: asks each LID every second for its NodeInfo, and prints when one
 * begins or ceases to answer. The exit status is 1 when one does not answer at the end.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <madring.h>
#include <madring/subnet.h>

struct target {
	uint16_t lid;
	bool is_known, answers;
};

struct job {
	struct target *targets;
	int count, next, silent;
};

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	struct job *job = user;

	(void)batch;
	if (job->next == job->count)
		return 0;
	send->user = &job->targets[job->next++];
	madring_smp_prepare(mad, ((struct target *)send->user)->lid, MADRING_GET,
			    MADRING_ATTR_NODE_INFO, 0);
	return 1;
}

static void done(void *user, const struct madring_completion *c)
{
	struct job *job = user;
	struct target *target = c->user;
	const char *error = madring_completion_text(c);

	job->silent += !!error;
	if (!target->is_known || target->answers != !error)
		printf("LID %u: %s\n", target->lid, error ? error : "answers");
	target->is_known = true;
	target->answers = !error;
}

int main(int argc, char **argv)
{
	unsigned long seconds = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	struct job job = { .count = argc > 2 ? argc - 2 : 0 };
	struct madring_batch_config config = { .next = next, .done = done, .user = &job };
	struct madring_subnet *subnet = NULL;
	struct madring_agent *smp;
	int error = madring_subnet_open(NULL, &subnet);

	job.targets = calloc((size_t)job.count + 1, sizeof(*job.targets));
	for (int i = 0; job.targets && i < job.count; i++)
		job.targets[i].lid = (uint16_t)strtoul(argv[i + 2], NULL, 0);
	if (!error)
		error = job.targets ? madring_subnet_agent(subnet, MADRING_CLASS_SMP, &smp)
				    : -ENOMEM;
	while (!error) {
		job.next = job.silent = 0;
		error = madring_batch_call(smp, &config);
		fflush(stdout);
		if (!seconds--)
			break;
		sleep(1);
	}
	if (error)
		fprintf(stderr, "watchdog: %s\n", madring_error_text(error));
	madring_subnet_close(subnet);
	free(job.targets);
	return error ? 2 : job.silent != 0;
}
