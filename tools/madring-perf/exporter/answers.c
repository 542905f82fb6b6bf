/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "answers.h"

static void add_reading(struct answers *answers, const struct reading *reading)
{
	switch (reading->state) {
	case READING_NO_REPLY:
		if (reading->error == -ETIMEDOUT)
			answers->timeouts++;
		else
			answers->errors++;
		return;
	case READING_STATUS:
	case READING_MALFORMED:
		answers->errors++;
		return;
	case READING_DONE:
		if (reading->time_ns > answers->last_ns)
			answers->last_ns = reading->time_ns;
		return;
	case READING_OPEN:
	case READING_UNSUPPORTED:
		return;
	}
}

void answers_add(struct answers *answers, const struct node_counters *node)
{
	add_reading(answers, &node->class_port_info);
	for (size_t p = 0; p < node->port_count; p++)
		for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
			if (node->ports[p].reading[a])
				add_reading(answers, node->ports[p].reading[a]);
}
