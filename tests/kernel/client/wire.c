/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "../common/fail.h"
#include "wire.h"

#define STATS_MAX (1u << 20)

static const char *madring_sim;

void wire_ask(const char *simulator)
{
	madring_sim = simulator;
}

/* Returns the statistics of the simulator. The caller puts them back. */
static struct json_object *ask(void)
{
	static char text[STATS_MAX];
	char command[4096];
	struct json_object *stats;
	size_t length;
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' ctl show stats", madring_sim);
	pipe = popen(command, "re");
	if (!pipe)
		fail("popen", -errno);
	length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = '\0';
	if (pclose(pipe))
		fail("madring-sim ctl show stats", -EIO);
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
