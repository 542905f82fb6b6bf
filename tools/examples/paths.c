/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: paths LID,... LID,...: prints the path from each LID of a list to each of another, as
 * CSV: source, destination, codes of MTU and rate, service level. Many queries are in flight.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <madring.h>
#include <madring/sa.h>

#define AT_ONCE 64 /* queries in flight */

struct job {
	struct madring *ring;
	struct madring_sa *sa;
	int in_flight, failed;
};

struct pair {
	struct job *job;
	unsigned long from, to;
};

static void print_path(struct madring_sa_answer *answer)
{
	struct pair *pair = answer->user;
	const void *record = answer->status ? NULL : madring_records_next(&answer->records);
	struct madring_path_record path;

	pair->job->in_flight--;
	if (record) {
		madring_path_record_decode(&path, record);
		printf("%u,%u,%u,%u,%u\n", path.slid, path.dlid, path.mtu, path.rate, path.sl);
	} else {
		pair->job->failed++;
		fprintf(stderr, "%lu to %lu: %s\n", pair->from, pair->to, answer->text);
	}
	free(pair);
}

/* Runs the ring until at most so many queries are in flight. */
static int wait_for(struct job *job, int most)
{
	int error = 0;

	while (error >= 0 && job->in_flight > most)
		error = madring_run(job->ring, -1);
	return error < 0 ? error : 0;
}

static int ask(struct job *job, unsigned long from, unsigned long to)
{
	const struct madring_sa_component ends[] = { { .name = "SLID", .value = from },
						     { .name = "DLID", .value = to } };
	const struct madring_sa_request query = { .attr_id = MADRING_ATTR_PATH_RECORD,
						  .method = MADRING_GET,
						  .components = ends,
						  .component_count = 2 };
	struct pair *pair = malloc(sizeof(*pair));
	int error;

	if (!pair)
		return -ENOMEM;
	*pair = (struct pair){ job, from, to };
	error = madring_sa_query(job->sa, &query, print_path, pair);
	if (error)
		free(pair);
	else
		job->in_flight++;
	return error ? error : wait_for(job, AT_ONCE - 1);
}

/* Reads the next LID of a list. Returns 0 after the last. */
static unsigned long next_lid(char **list)
{
	unsigned long lid = strtoul(*list, list, 0);

	if (**list == ',')
		++*list;
	return lid;
}

int main(int argc, char **argv)
{
	struct madring_subnet *subnet = NULL;
	struct job job = { 0 };
	unsigned long source, destination;
	int error = argc == 3 ? madring_subnet_open(NULL, &subnet) : -EINVAL;

	if (!error)
		error = madring_sa_open(subnet, NULL, &job.sa);
	if (!error)
		job.ring = madring_subnet_ring(subnet);
	for (char *from = argv[1]; !error && (source = next_lid(&from));)
		for (char *to = argv[2]; !error && (destination = next_lid(&to));)
			error = ask(&job, source, destination);
	if (!error)
		error = wait_for(&job, 0);
	madring_sa_close(job.sa);
	madring_subnet_close(subnet);
	if (error)
		fprintf(stderr, "paths: %s\n", madring_error_text(error));
	return error || job.failed;
}
