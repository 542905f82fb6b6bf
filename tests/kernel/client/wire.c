/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "../common/kernel_fail.h"
#include "wire.h"

#define STATS_MAX (1u << 20)

static const char *madring_sim;

void wire_ask(const char *simulator)
{
	madring_sim = simulator;
}

/* Starts "madring-sim ctl show stats". Returns a descriptor of what it prints. */
static int start_ctl(pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		fail("a pipe", -errno);
	*pid = fork();
	if (*pid < 0)
		fail("fork", -errno);
	if (!*pid) {
		if (dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO)
			execl(madring_sim, madring_sim, "ctl", "show", "stats", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	return ends[0];
}

/* Returns the statistics of the simulator. The caller puts them back. */
static struct json_object *ask(void)
{
	static char text[STATS_MAX];
	struct json_object *stats;
	size_t length = 0;
	ssize_t part;
	int fd, status;
	pid_t pid;

	fd = start_ctl(&pid);
	while ((part = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)part;
	close(fd);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("madring-sim ctl show stats", -EIO);
	text[length] = '\0';
	stats = json_tokener_parse(text);
	if (!stats)
		fail("the statistics of madring-sim", -EPROTO);
	return stats;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

static uint64_t number_of(struct json_object *object, const char *name)
{
	return (uint64_t)json_object_get_int64(member(object, name));
}

uint64_t wire_sent(uint8_t mgmt_class, uint16_t attribute)
{
	struct json_object *stats = ask(), *kinds = member(member(stats, "fabric"), "kinds");
	uint64_t sent = 0;

	if (!kinds)
		fail("the statistics have no kinds", -EPROTO);
	for (size_t i = 0; i < json_object_array_length(kinds); i++) {
		struct json_object *kind = json_object_array_get_idx(kinds, i);

		if (number_of(kind, "class") == mgmt_class &&
		    number_of(kind, "attribute") == attribute)
			sent += number_of(kind, "sent");
	}
	json_object_put(stats);
	return sent;
}

uint64_t wire_duplicates(void)
{
	struct json_object *stats = ask();
	uint64_t duplicates = number_of(member(stats, "rejected"), "duplicate");

	json_object_put(stats);
	return duplicates;
}
