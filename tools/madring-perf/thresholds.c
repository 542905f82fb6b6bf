/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/lines.h"
#include "common/memory.h"
#include "thresholds.h"

/* The path of Debian's infiniband-diags. */
#define DEFAULT_FILE "/etc/infiniband-diags/error_thresholds"

/* Returns whether a counter has a threshold, as those of ibqueryerrors do. */
static bool has_threshold(enum counter counter)
{
	return counter <= COUNTER_XMIT_WAIT && counter != COUNTER_QP1_DROPPED;
}

static bool find_counter(const char *name, size_t length, enum counter *counter)
{
	for (unsigned int c = 0; c < COUNTERS; c++)
		if (strlen(counter_name(c)) == length && !memcmp(counter_name(c), name, length)) {
			*counter = c;
			return true;
		}
	return false;
}

static void set_threshold(struct thresholds *thresholds, enum counter counter, uint64_t most)
{
	size_t length = strlen(thresholds->text);
	char text[128];

	thresholds->most[counter] = most;
	snprintf(text, sizeof(text), "[%s = %" PRIu64 "]", counter_name(counter), most);
	thresholds->text = memory_grow(thresholds->text, length + strlen(text) + 1, 1);
	memcpy(thresholds->text + length, text, strlen(text) + 1);
}

/* Takes one line. Returns false if it is no line of a thresholds file. */
static bool take_line(void *context, const char *path, size_t line, char *text)
{
	unsigned long long most;
	enum counter counter;
	char *equals, *end;

	text[strcspn(text, "\r\n")] = '\0';
	if (!*text || *text == '#')
		return true;
	equals = strchr(text, '=');
	if (!equals)
		return false;
	errno = 0;
	most = strtoull(equals + 1, &end, 0);
	if (errno || end == equals + 1 || end[strspn(end, " \t")] || strchr(equals, '-'))
		return false;
	if (find_counter(text, equals - text, &counter) && has_threshold(counter))
		set_threshold(context, counter, most);
	else
		complain("%s: line %zu: \"%.*s\" is no counter that has a threshold; the line is "
			 "left out",
			 path, line, (int)(equals - text), text);
	return true;
}

static char *begin_text(void)
{
	static const char begin[] = "Thresholds: ";
	char *text = memory_get(1, sizeof(begin));

	memcpy(text, begin, sizeof(begin));
	return text;
}

int thresholds_read(struct thresholds *thresholds, const char *path)
{
	struct thresholds fresh = { .text = begin_text() };
	const struct lines lines = {
		.path = path,
		.usual = DEFAULT_FILE,
		.line = "a counter, '=' and a number",
		.take = take_line,
		.context = &fresh,
	};

	if (lines_read(&lines)) {
		free(fresh.text);
		return -1;
	}
	memcpy(fresh.hidden, thresholds->hidden, sizeof(fresh.hidden));
	fresh.hidden_count = thresholds->hidden_count;
	free(thresholds->text);
	*thresholds = fresh;
	return 0;
}

void thresholds_free(struct thresholds *thresholds)
{
	free(thresholds->text);
	thresholds->text = NULL;
}

bool thresholds_hides(const struct thresholds *thresholds, enum counter counter)
{
	for (unsigned int i = 0; i < thresholds->hidden_count; i++)
		if (thresholds->hidden[i] == counter)
			return true;
	return false;
}

void thresholds_hide(struct thresholds *thresholds, enum counter counter)
{
	if (!thresholds_hides(thresholds, counter))
		thresholds->hidden[thresholds->hidden_count++] = counter;
}

int thresholds_suppress(struct thresholds *thresholds, const char *names)
{
	enum counter counter;
	size_t length;

	for (; *names; names += length + (names[length] == ',')) {
		length = strcspn(names, ",");
		if (!length)
			continue;
		if (!find_counter(names, length, &counter)) {
			complain("--suppress: there is no counter \"%.*s\"", (int)length, names);
			return -1;
		}
		thresholds_hide(thresholds, counter);
	}
	return 0;
}

bool thresholds_exceeded(const struct thresholds *thresholds, const struct port_counters *port,
			 enum counter counter, struct counter_value *value)
{
	return has_threshold(counter) && !thresholds_hides(thresholds, counter) &&
	       counter_get(port, counter, value) && value->value > thresholds->most[counter];
}

bool thresholds_any_exceeded(const struct thresholds *thresholds, const struct port_counters *port)
{
	struct counter_value value;

	for (unsigned int c = 0; c < COUNTERS; c++)
		if (thresholds_exceeded(thresholds, port, c, &value))
			return true;
	return false;
}
