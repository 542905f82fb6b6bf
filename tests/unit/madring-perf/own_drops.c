/* SPDX-License-Identifier: BSD-2-Clause */
/* Which drops of a switch are excused: those of the discovery's time alone. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "perf_answers.h"
#include "madring-perf/own_drops.h"
#include "madring-perf/report.h"

/* Has the switch report @context's number of drops at port 2, and none elsewhere. */
static void set_drops(struct agents *agents, const struct request *request, struct answer *answer)
{
	uint8_t *data = answer->mad + MADRING_PMA_DATA;
	const uint64_t *drops = agents->context;

	if (!request->port || request->attribute != PMA_EXTENDED)
		return;
	memset(data + 4, 0, PMA_DATA_BYTES - 4);
	if (request_lid(request) == 1 && request->port->number == 2)
		mad_set_field64(data, 0, IB_PC_EXT_VL15_DROPPED_F, *drops);
}

/* Holds the readings beside the discovery, and those of the collection after it. */
struct course {
	uint64_t before, after, now, most;
	enum drops_step step;
	bool saturated;
	uint64_t excused;
};

static const struct course courses[] = {
	{ 0, 1032, 1032, 0, DROPS_READ, false, 1032 },
	{ 0, 0, 0, 0, DROPS_READ, false, 0 },
	/* Others had dropped before, or dropped afterwards. */
	{ 1, 1032, 1032, 0, DROPS_READ, false, 0 },
	{ 0, 1032, 1033, 0, DROPS_READ, false, 0 },
	{ 0, 0, 1032, 0, DROPS_READ, false, 0 },
	/* Both within the threshold. */
	{ 10, 1032, 1042, 10, DROPS_READ, false, 1022 },
	{ 11, 1032, 1032, 10, DROPS_READ, false, 0 },
	{ 10, 1032, 1043, 10, DROPS_READ, false, 0 },
	/* Somebody has cleared the counter. */
	{ 0, 1032, 5, 0, DROPS_READ, false, 0 },
	{ 0, 1032, 1032, 0, DROPS_LATE, false, 0 },
	{ 0, 1032, 1032, 0, DROPS_FAILED, false, 0 },
	{ 0, 65535, 65535, 0, DROPS_READ, true, 0 },
};

static char *report_of(const struct collection *collection, const struct thresholds *thresholds,
		       unsigned int *bad_ports)
{
	const struct report report = { .collection = collection, .thresholds = thresholds };
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	*bad_ports = report_print(out, &report);
	fclose(out);
	return text;
}

static void play(const struct course *course)
{
	const struct capabilities all = { PMA_CAP_EXTENDED, PMA_CAP2_ADDITIONAL_EXTENDED };
	char none[] = "";
	struct thresholds thresholds = { .text = none };
	struct plan plan = { .attributes = PMA_SET(PMA_EXTENDED) };
	uint64_t now = course->now;
	struct agents agents = { .switch_capabilities = all,
				 .host_capabilities = all,
				 .spoil = set_drops,
				 .context = &now };
	struct madring_fabric *fabric = answers_fabric();
	struct collection *collection = answers_collect(&agents, fabric, &plan);
	struct switch_drops from = { .node = collection->nodes[0].node,
				     .step = course->step,
				     .saturated = course->saturated,
				     .before = course->before,
				     .after = course->after };
	struct switch_drops *list[] = { &from };
	unsigned int bad_ports;
	char *text;

	thresholds.most[COUNTER_VL15_DROPPED] = course->most;
	own_drops_mark(collection, &(struct drops){ .switches = list, .count = 1 }, &thresholds);
	assert_int_equal(collection->nodes[0].own_drops, course->excused);
	text = report_of(collection, &thresholds, &bad_ports);
	assert_int_equal(bad_ports, course->excused || course->now <= course->most ? 0 : 1);
	assert_int_equal(strstr(text, "## VL15Dropped rose by ") != NULL, course->excused > 0);
	assert_int_equal(strstr(text, "[VL15Dropped == ") != NULL, bad_ports);
	free(text);
	collection_free(collection);
	madring_fabric_free(fabric);
}

static void test_only_the_time_of_the_discovery_is_excused(void **state)
{
	for (size_t i = 0; i < sizeof(courses) / sizeof(courses[0]); i++)
		play(&courses[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_only_the_time_of_the_discovery_is_excused),
};

TEST_MAIN(tests, NULL, NULL)
