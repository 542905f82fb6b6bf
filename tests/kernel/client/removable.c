/* SPDX-License-Identifier: BSD-2-Clause */
#include "removable.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODE_INFO  0x0011
#define FIRST_HOST 2 /* the switch's port behind that of a one-port HCA */
#define HOSTS	   16
#define PROC	   "/proc/"

static struct {
	enum madring_receive receive;
	uint32_t lanes; /* 0: the default */
	char text[32];
} manner;

void removable_options(int argc, char **argv)
{
	char *end = NULL;

	if (argc == 3)
		manner.lanes = (uint32_t)strtoul(argv[2], &end, 10);
	if (!end || *end || manner.lanes > MADRING_MAX_LANES ||
	    (strcmp(argv[1], "multishot") != 0 && strcmp(argv[1], "posted") != 0)) {
		fprintf(stderr, "usage: %s multishot|posted LANES (0: the default)\n", argv[0]);
		exit(EXIT_FAILURE);
	}
	manner.receive =
		strcmp(argv[1], "posted") ? MADRING_RECEIVE_MULTISHOT : MADRING_RECEIVE_POSTED;
	snprintf(manner.text, sizeof(manner.text), "%s, %s lane%s", argv[1],
		 manner.lanes ? argv[2] : "default", manner.lanes == 1 ? "" : "s");
}

const char *removable_manner(void)
{
	return manner.text;
}

struct madring *removable_ring(void)
{
	const struct madring_config config = {
		.transactions = 4096,
		.lanes = manner.lanes,
		.receive = manner.receive,
	};
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &config), 0);
	return ring;
}

int removable_try(struct removable *removable, struct madring *ring, const char *ca_name)
{
	const struct madring_agent_config agent = {
		.mgmt_class = 0x81,
		.class_version = 1,
		.window = IN_FLIGHT,
		.pin_window = true,
		.flow_window = IN_FLIGHT,
		.pin_flow_window = true,
		.timeout_ms = MADRING_FOREVER,
	};
	int error = madring_port_open(ring, ca_name, 1, NULL, &removable->port);

	if (error)
		return error;
	removable->ring = ring;
	error = madring_agent_open(removable->port, &agent, &removable->agent);
	if (error)
		madring_port_close(removable->port);
	return error;
}

void removable_open(struct removable *removable, struct madring *ring, const char *ca_name)
{
	assert_int_equal(removable_try(removable, ring, ca_name), 0);
}

uint32_t outcomes_count(const struct outcomes *outcomes)
{
	return outcomes->answered + outcomes->gone + outcomes->canceled;
}

void on_outcome(const struct madring_completion *completion)
{
	struct outcomes *outcomes = completion->user;

	switch (completion->status) {
	case 0:
		outcomes->answered++;
		break;
	case -ENODEV:
		outcomes->gone++;
		break;
	case -ECANCELED:
		outcomes->canceled++;
		break;
	default:
		fail_msg("a request ended with %d: %s", completion->status,
			 madring_error_text(completion->status));
	}
}

static int send_to_host(const struct removable *removable, uint32_t number, int timeout_ms,
			struct outcomes *outcomes)
{
	const uint8_t path[] = { 0, 1, (uint8_t)(FIRST_HOST + number % HOSTS) };
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = outcomes,
		.timeout_ms = timeout_ms,
	};
	struct madring_mad *mad = madring_mad_alloc(removable->agent);
	int error;

	assert_non_null(mad);
	assert_int_equal(madring_smp_dr_prepare(mad, path, 2, MADRING_GET, NODE_INFO, 0), 0);
	error = madring_send(removable->agent, mad, &send);
	if (error)
		madring_mad_free(removable->ring, mad);
	return error;
}

void removable_send(const struct removable *removable, uint32_t count, int timeout_ms,
		    struct outcomes *outcomes)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(send_to_host(removable, i, timeout_ms, outcomes), 0);
}

void removable_take_off(const struct removable *removable, uint32_t count)
{
	struct madring_agent_state state;

	do {
		assert_true(madring_submit(removable->ring) >= 0);
		madring_agent_get_state(removable->agent, &state);
	} while (state.queued);
	assert_int_equal(state.in_flight, count);
}

void removable_fly(const struct removable *removable, uint32_t count, int timeout_ms,
		   struct outcomes *outcomes)
{
	removable_send(removable, count, timeout_ms, outcomes);
	removable_take_off(removable, count);
}

void removable_wait(struct madring *ring, const struct outcomes *outcomes, uint32_t count)
{
	while (outcomes_count(outcomes) < count)
		assert_true(madring_run(ring, -1) >= 0);
	assert_int_equal(outcomes_count(outcomes), count);
}

int removable_send_one(const struct removable *removable, struct outcomes *outcomes)
{
	return send_to_host(removable, 0, 0, outcomes);
}

void removable_is_gone(const struct removable *removable)
{
	struct outcomes outcomes = { 0 };
	int error = removable_send_one(removable, &outcomes);

	assert_true(error == 0 || error == -ENODEV);
	if (!error)
		removable_wait(removable->ring, &outcomes, 1);
	assert_int_equal(outcomes.gone, error ? 0 : 1);
	assert_int_equal(outcomes_count(&outcomes), outcomes.gone);
}

void removable_works(const struct removable *removable, uint32_t count)
{
	struct outcomes outcomes = { 0 };

	removable_send(removable, count, 0, &outcomes);
	removable_wait(removable->ring, &outcomes, count);
	assert_int_equal(outcomes.answered, count);
}

unsigned int open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	unsigned int count = 0;
	struct dirent *entry;

	assert_non_null(files);
	while ((entry = readdir(files))) {
		char target[PATH_MAX];
		ssize_t length = readlinkat(dirfd(files), entry->d_name, target, sizeof(target));

		count += length > 0 && strncmp(target, PROC, strlen(PROC)) != 0;
	}
	closedir(files);
	return count;
}
