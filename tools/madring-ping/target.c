/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/lines.h"
#include "common/memory.h"
#include "target.h"

/* Chance loses one request or two in a row, and hardly ever more. */
#define LOSSES_OF_THE_SILENT 3u

#define SHORT_HEX 6 /* 0x and four digits: a LID; more: a GUID */

/* Reads a number up to @most, and nothing else. */
static bool read_number(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && !*end && *value <= most;
}

static const char *read_guid(struct target *target, const char *text)
{
	target->type = TARGET_GUID;
	return read_number(text, UINT64_MAX, &target->guid) && target->guid ? NULL
									    : "this is no GUID";
}

static const char *read_lid(struct target *target, const char *text)
{
	uint64_t lid;

	target->type = TARGET_LID;
	if (!read_number(text, TARGET_LAST_LID, &lid) || !lid)
		return "this is no LID (1 to 0xbfff), GUID (0x and 5 to 16 digits), GID, or "
		       "directed route";
	target->lid = (uint16_t)lid;
	return NULL;
}

static const char *read_gid(struct target *target, const char *text)
{
	target->type = TARGET_GID;
	return inet_pton(AF_INET6, text, target->gid) == 1 ? NULL : "this is no GID";
}

static const char *read_route(struct target *target, const char *text)
{
	int hops = madring_route_read(text, target->route.port);

	if (hops >= 0) {
		target->route.hops = (uint8_t)hops;
		return NULL;
	}
	if (hops == -E2BIG)
		return "a directed route has 63 hops at most";
	if (*text != '0' || (text[1] && text[1] != ','))
		return "a directed route begins with 0, the local node";
	return "a directed route is of ports, 1 to 254, with commas between them";
}

const char *target_read_guid(struct target *target, const char *text)
{
	*target = (struct target){ 0 };
	if (strlen(text) >= sizeof(target->name))
		return "this is too long for a target";
	memcpy(target->name, text, strlen(text) + 1);
	return read_guid(target, text);
}

const char *target_read(struct target *target, const char *text)
{
	*target = (struct target){ 0 };
	if (strlen(text) >= sizeof(target->name))
		return "this is too long for a target";
	memcpy(target->name, text, strlen(text) + 1);
	if (strchr(text, ':'))
		return read_gid(target, text);
	if (strchr(text, ',') || !strcmp(text, "0")) {
		target->type = TARGET_ROUTE;
		return read_route(target, text);
	}
	if (!strncasecmp(text, "0x", 2) && strlen(text) > SHORT_HEX)
		return read_guid(target, text);
	return read_lid(target, text);
}

static void count_reply(struct target *target, uint64_t number)
{
	if (number < target->after_reply)
		return;
	target->after_reply = number + 1;
	target->lost_last = 0;
}

void target_count_answer(struct target *target, uint64_t number, uint64_t delay_ns)
{
	count_reply(target, number);
	if (!target->answered || delay_ns < target->min_ns)
		target->min_ns = delay_ns;
	if (delay_ns > target->max_ns)
		target->max_ns = delay_ns;
	target->sum_ns += delay_ns;
	target->answered++;
}

void target_count_refusal(struct target *target, uint64_t number)
{
	count_reply(target, number);
	target->refused++;
}

void target_count_loss(struct target *target, uint64_t number)
{
	target->lost++;
	target->lost_last += number >= target->after_reply;
}

bool target_is_silent(const struct target *target)
{
	if (!target->answered)
		return target->lost || target->refused;
	return target->lost_last >= LOSSES_OF_THE_SILENT;
}

struct target *targets_add(struct targets *targets, const struct target *target)
{
	if (targets->count == targets->room) {
		targets->room = targets->room ? 2 * targets->room : 16;
		targets->list = memory_grow(targets->list, targets->room, sizeof(*target));
	}
	targets->list[targets->count] = *target;
	return &targets->list[targets->count++];
}

void targets_free(struct targets *targets)
{
	free(targets->list);
	*targets = (struct targets){ 0 };
}

/* Removes a comment, and the spaces at both ends of a line. */
static char *trim_line(char *line)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t\r");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return line;
}

static bool take_line(void *context, const char *path, size_t number, char *line)
{
	const char *text = trim_line(line), *wrong;
	struct target target;

	if (!*text)
		return true;
	wrong = target_read(&target, text);
	if (wrong) {
		complain("%s, line %zu: %s: %s", path, number, text, wrong);
		return false;
	}
	targets_add(context, &target);
	return true;
}

int targets_read_file(struct targets *targets, const char *path)
{
	const struct lines lines = { .path = path, .take = take_line, .context = targets };

	return strcmp(path, "-") ? lines_read(&lines)
				 : lines_read_open(&lines, "standard input", stdin);
}
