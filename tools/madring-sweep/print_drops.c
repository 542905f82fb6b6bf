/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the lines for people that tell what switches dropped while the sweep ran. */
#include <inttypes.h>

#include "common/plural.h"
#include "print.h"

/* Returns why nothing is known of any switch, or NULL if something is. */
static const char *reason_for_none(const struct drops *drops, const struct drops_total *total)
{
	if (drops->error)
		return madring_error_text(drops->error);
	if (!drops->count)
		return "no switch was found";
	if (total->without_lid == drops->count)
		return "no switch has a LID";
	return total->read ? NULL : "no switch could be read; --json tells why";
}

static void print_dropped(FILE *out, const struct drops_total *total)
{
	const char *switches = total->read == 1 ? "switch" : "switches";
	const char *were = total->read == 1 ? "was" : "were";

	if (!total->dropped && !total->saturated)
		fprintf(out, "VL15 dropped:   none by the %zu %s that %s read\n", total->read,
			switches, were);
	else
		fprintf(out, "VL15 dropped:   %s%" PRIu64 " by %zu of the %zu %s that %s read\n",
			total->saturated ? "at least " : "", total->dropped, total->dropping,
			total->read, switches, were);
}

void print_drops(FILE *out, const struct result *result)
{
	struct drops_total total;
	const char *reason;

	drops_add_up(&result->drops, &total);
	reason = reason_for_none(&result->drops, &total);
	if (reason) {
		fprintf(out, "VL15 dropped:   not known: %s\n", reason);
		return;
	}
	print_dropped(out, &total);
	if (total.saturated)
		fprintf(out, "                %zu switch%s with a counter that is full\n",
			total.saturated, total.saturated == 1 ? "" : "es");
	if (total.unread)
		fprintf(out, "                %zu switch%s could not be read; --json tells why\n",
			total.unread, total.unread == 1 ? "" : "es");
}
