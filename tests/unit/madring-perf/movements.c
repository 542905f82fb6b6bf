/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports whose counters moved, and their order. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "perf_answers.h"
#include "madring-perf/movement.h"

#define SECOND UINT64_C(1000000000)

static void add(struct answer *answer, enum MAD_FIELDS field, int64_t much)
{
	uint8_t *data = answer->mad + MADRING_PMA_DATA;

	mad_set_field64(data, 0, field, mad_get_field64(data, 0, field) + much);
}

static bool is_port(const struct request *request, uint16_t lid, uint8_t number)
{
	return request_lid(request) == lid && request->port->number == number;
}

/* Changes counters between the first collection and the second. */
static void move(struct agents *agents, const struct request *request, struct answer *answer)
{
	if (!request->port || request->attribute != PMA_EXTENDED)
		return;
	if (is_port(request, 1, 1))
		add(answer, IB_PC_EXT_XMT_BYTES_F, 1000);
	if (is_port(request, 1, 2)) {
		add(answer, IB_PC_EXT_ERR_SYM_F, 60);
		add(answer, IB_PC_EXT_LINK_DOWNED_F, 40);
	}
	if (is_port(request, 1, 3))
		add(answer, IB_PC_EXT_XMT_WAIT_F, 7);
	if (is_port(request, 3, 2)) {
		add(answer, IB_PC_EXT_RCV_PKTS_F, -5);
		add(answer, IB_PC_EXT_ERR_SYM_F, 10);
	}
}

struct two {
	struct madring_fabric *fabric;
	struct known_nodes before;
	struct collection *after;
	const struct thresholds *thresholds;
	struct movements movements;
};

/* Takes a collection as the last readings of its nodes. */
static void keep(struct known_nodes *known, struct collection *collection)
{
	known_nodes_update(known, collection, NULL, true, 1);
	known_nodes_keep_readings(known, collection);
	collection_free(collection);
}

static void collect_twice(struct two *two, const struct thresholds *thresholds)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct capabilities all = { PMA_CAP_EXTENDED | PMA_CAP_XMIT_WAIT,
				    PMA_CAP2_ADDITIONAL_EXTENDED };
	struct agents agents = { .switch_capabilities = all, .host_capabilities = all };

	two->thresholds = thresholds;
	two->fabric = answers_fabric();
	known_nodes_init(&two->before);
	keep(&two->before, answers_collect(&agents, two->fabric, &plan));
	/* The order of answers is the same, so that a second lies between any two of a port. */
	agents = (struct agents){ .switch_capabilities = all,
				  .host_capabilities = all,
				  .now_ns = SECOND,
				  .spoil = move };
	two->after = answers_collect(&agents, two->fabric, &plan);
	movements_find(&two->movements, &two->before, two->after, thresholds);
}

static void end(struct two *two)
{
	movements_free(&two->movements);
	known_nodes_free(&two->before);
	collection_free(two->after);
	madring_fabric_free(two->fabric);
}

static void check_row(const struct two *two, size_t row, uint64_t guid, uint8_t number)
{
	assert_int_equal(two->movements.list[row].after->node->node->guid, guid);
	assert_int_equal(two->movements.list[row].after->number, number);
}

static void check_rate(double rate, double expected)
{
	assert_true(rate > expected * 0.999 && rate < expected * 1.001);
}

static void test_the_worst_come_first(void **state)
{
	struct thresholds thresholds = { .text = NULL };
	struct two two;
	const struct movement *row;

	collect_twice(&two, &thresholds);
	assert_int_equal(two.movements.count, 4);
	row = two.movements.list;
	check_row(&two, 0, SWITCH_GUID, 2);
	check_rate(row[0].errors, 100);
	check_row(&two, 1, HOST_GUID, 2);
	check_rate(row[1].errors, 10);
	assert_true(row[1].reset);
	assert_false(row[0].reset || row[2].reset || row[3].reset);
	check_row(&two, 2, SWITCH_GUID, 3);
	check_rate(row[2].waits, 7);
	check_row(&two, 3, SWITCH_GUID, 1);
	check_rate(row[3].xmit_octets, 4000);
	end(&two);
}

static void test_suppressed_counter_is_no_error(void **state)
{
	struct thresholds thresholds = { .text = NULL };
	struct two two;

	thresholds_hide(&thresholds, COUNTER_SYMBOL_ERRORS);
	collect_twice(&two, &thresholds);
	check_row(&two, 0, SWITCH_GUID, 2);
	check_rate(two.movements.list[0].errors, 40);
	assert_true(two.movements.list[1].errors == 0);
	end(&two);
}

static char *table(const struct two *two, size_t lines)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	movements_print(out, &two->movements, NULL, two->thresholds, lines, 0);
	fclose(out);
	return text;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void test_screen_limits_its_lines(void **state)
{
	static const size_t shown[][2] = { { 0, 5 }, { 1, 1 }, { 2, 2 }, { 4, 4 }, { 50, 5 } };
	struct thresholds thresholds = { .text = NULL };
	struct two two;

	collect_twice(&two, &thresholds);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		char *text = table(&two, shown[i][0]);

		assert_int_equal(count_lines(text), shown[i][1]);
		free(text);
	}
	end(&two);
}

static void test_errors_are_named(void **state)
{
	struct thresholds thresholds = { .text = NULL };
	struct two two;
	char *text;

	collect_twice(&two, &thresholds);
	text = table(&two, 0);
	assert_non_null(strstr(text, " SymbolErrorCounter +60 LinkDownedCounter +40\n"));
	assert_non_null(strstr(text, " SymbolErrorCounter +10 (cleared)\n"));
	free(text);
	end(&two);
}

static void test_errors_are_within_80_columns(void **state)
{
	struct thresholds thresholds = { .text = NULL };
	char text[1024] = "", *row;
	struct two two;
	FILE *out;

	collect_twice(&two, &thresholds);
	out = fmemopen(text, sizeof(text), "w");
	movements_print(out, &two.movements, NULL, &thresholds, 21, 80);
	fclose(out);
	row = strchr(text, '\n') + 1;
	assert_true(row - text <= 80);
	row[80] = 0;
	assert_non_null(strstr(row, " SymbolErrorCounter"));
	end(&two);
}

/* Takes the switch's answers away. */
static void no_switch(struct agents *agents, const struct request *request, struct answer *answer)
{
	if (request_lid(request) == 1) {
		answer->outcome.error = -ETIMEDOUT;
		answer->outcome.mad = NULL;
	}
}

static void test_movement_before_a_silence_is_kept(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct capabilities all = { PMA_CAP_EXTENDED | PMA_CAP_XMIT_WAIT,
				    PMA_CAP2_ADDITIONAL_EXTENDED };
	struct agents agents = { .switch_capabilities = all, .host_capabilities = all };
	struct thresholds thresholds = { .text = NULL };
	struct two two = { .thresholds = &thresholds };
	struct collection *empty = collection_new(NULL);

	known_nodes_init(&two.before);
	two.fabric = answers_fabric();
	keep(&two.before, answers_collect(&agents, two.fabric, &plan));
	/* First it does not answer, then it is not even found. */
	agents.spoil = no_switch;
	keep(&two.before, answers_collect(&agents, two.fabric, &plan));
	assert_int_equal(two.before.gone_count, 0);
	keep(&two.before, empty);
	assert_int_equal(two.before.gone_count, 2);
	agents.spoil = move;
	agents.now_ns = 10 * SECOND;
	two.after = answers_collect(&agents, two.fabric, &plan);
	movements_find(&two.movements, &two.before, two.after, &thresholds);
	assert_int_equal(two.movements.count, 4);
	check_row(&two, 0, SWITCH_GUID, 2);
	check_rate(two.movements.list[0].errors, 10);
	end(&two);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_worst_come_first),
	cmocka_unit_test(test_suppressed_counter_is_no_error),
	cmocka_unit_test(test_screen_limits_its_lines),
	cmocka_unit_test(test_errors_are_named),
	cmocka_unit_test(test_errors_are_within_80_columns),
	cmocka_unit_test(test_movement_before_a_silence_is_kept),
};

TEST_MAIN(tests, NULL, NULL)
