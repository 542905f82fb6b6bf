/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The value of each counter: its attribute, whether it is full, and its change since the last
 * reading.
 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madring.h>

#include "fabric/graph.h"
#include "perf_answers.h"
#include "madring-perf/counter.h"
#include "madring-perf/thresholds.h"

#define SECOND UINT64_C(1000000000)

/* A port of its own, with its readings. */
struct sample {
	struct node_counters node;
	struct port_counters port;
	struct reading counters, extended;
	_Alignas(8) uint8_t data[2][PMA_DATA_BYTES];
};

static void begin(struct sample *sample, uint16_t mask, uint32_t mask2)
{
	memset(sample, 0, sizeof(*sample));
	sample->node.capabilities = (struct capabilities){ mask, mask2 };
	sample->port.node = &sample->node;
	sample->counters.state = READING_DONE;
	sample->extended.state = READING_DONE;
	sample->port.reading[PMA_COUNTERS] = &sample->counters;
	if (mask & (PMA_CAP_EXTENDED | PMA_CAP_EXTENDED_NOIETF))
		sample->port.reading[PMA_EXTENDED] = &sample->extended;
}

static void set(struct sample *sample, enum MAD_FIELDS field, uint32_t value)
{
	mad_set_field(sample->data[0], 0, field, value);
	memcpy(sample->counters.data, sample->data[0], PMA_DATA_BYTES);
}

static void set64(struct sample *sample, enum MAD_FIELDS field, uint64_t value)
{
	mad_set_field64(sample->data[1], 0, field, value);
	memcpy(sample->extended.data, sample->data[1], PMA_DATA_BYTES);
}

static void at(struct sample *sample, uint64_t time_ns)
{
	sample->counters.time_ns = time_ns;
	sample->extended.time_ns = time_ns;
}

static struct counter_value value_of(const struct sample *sample, enum counter counter)
{
	struct counter_value value;

	assert_true(counter_get(&sample->port, counter, &value));
	return value;
}

static bool has(const struct sample *sample, enum counter counter)
{
	struct counter_value value;

	return counter_get(&sample->port, counter, &value);
}

static void test_the_wider_counter_is_taken(void **state)
{
	struct sample sample;

	begin(&sample, PMA_CAP_EXTENDED | PMA_CAP_XMIT_WAIT, PMA_CAP2_ADDITIONAL_EXTENDED);
	set(&sample, IB_PC_ERR_SYM_F, 0xffff);
	set64(&sample, IB_PC_EXT_ERR_SYM_F, UINT64_MAX);
	set64(&sample, IB_PC_EXT_XMT_BYTES_F, UINT64_C(0x123456789abcdef1));
	assert_int_equal(value_of(&sample, COUNTER_SYMBOL_ERRORS).value, UINT64_MAX);
	assert_false(value_of(&sample, COUNTER_SYMBOL_ERRORS).saturated);
	assert_int_equal(value_of(&sample, COUNTER_XMIT_DATA).value, UINT64_C(0x123456789abcdef1));
	assert_int_equal(value_of(&sample, COUNTER_XMIT_DATA).attribute, PMA_EXTENDED);
	assert_true(has(&sample, COUNTER_MULTICAST_RCV_PKTS));
	assert_false(has(&sample, COUNTER_QP1_DROPPED));
}

/* The list has IBA's names for the help of the metrics, and libibmad's for all else. */
static void test_the_list_has_libibmads_names(void **state)
{
#define COUNTER_HELP(name, kind, field, counters_bit, extended_bit, suffix, unit, help) help,
	static const char *const helps[COUNTERS] = { COUNTER_LIST(COUNTER_HELP) };

	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		const char *rest = helps[counter] + strlen(counter_name(counter));

		assert_memory_equal(helps[counter], counter_name(counter),
				    strlen(counter_name(counter)));
		assert_string_equal(rest, counter_is_words(counter) ? " in bytes" : "");
	}
}

static void test_node_without_extended_counters_shows_small_ones(void **state)
{
	struct sample sample;

	begin(&sample, PMA_CAP_EXTENDED_NOIETF, 0);
	set(&sample, IB_PC_ERR_SYM_F, 0xffff);
	set(&sample, IB_PC_LINK_DOWNED_F, 0xfe);
	set(&sample, IB_PC_ERR_EXCESS_OVR_F, 0xf);
	set64(&sample, IB_PC_EXT_XMT_BYTES_F, 0xffffffff);
	assert_int_equal(value_of(&sample, COUNTER_SYMBOL_ERRORS).attribute, PMA_COUNTERS);
	assert_true(value_of(&sample, COUNTER_SYMBOL_ERRORS).saturated);
	assert_false(value_of(&sample, COUNTER_LINK_DOWNED).saturated);
	assert_true(value_of(&sample, COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS).saturated);
	assert_false(value_of(&sample, COUNTER_XMIT_DATA).saturated);
	assert_false(has(&sample, COUNTER_UNICAST_XMIT_PKTS));
	assert_false(has(&sample, COUNTER_XMIT_WAIT));
}

static void test_small_data_counters_when_the_large_were_not_read(void **state)
{
	struct sample sample;

	begin(&sample, PMA_CAP_EXTENDED, PMA_CAP2_ADDITIONAL_EXTENDED);
	sample.extended.state = READING_NO_REPLY;
	set(&sample, IB_PC_XMT_BYTES_F, UINT32_MAX);
	set(&sample, IB_PC_RCV_BYTES_F, 77);
	assert_true(value_of(&sample, COUNTER_XMIT_DATA).saturated);
	assert_int_equal(value_of(&sample, COUNTER_RCV_DATA).value, 77);
	sample.counters.state = READING_MALFORMED;
	assert_false(has(&sample, COUNTER_RCV_DATA));
}

static void test_qp1_dropped_is_not_vl15_dropped(void **state)
{
	struct sample sample;

	begin(&sample, PMA_CAP_QP1_DROPPED, 0);
	set(&sample, IB_PC_VL15_DROPPED_F, 0x1234);
	sample.counters.data[20] = 0xab;
	sample.counters.data[21] = 0xcd;
	assert_int_equal(value_of(&sample, COUNTER_QP1_DROPPED).value, 0xabcd);
	assert_int_equal(value_of(&sample, COUNTER_VL15_DROPPED).value, 0x1234);
}

static void test_difference_of_a_counter(void **state)
{
	struct sample before, after;
	struct counter_delta delta;

	begin(&before, PMA_CAP_EXTENDED, 0);
	begin(&after, PMA_CAP_EXTENDED, 0);
	at(&before, 5 * SECOND);
	at(&after, 7 * SECOND);
	set64(&before, IB_PC_EXT_XMT_BYTES_F, UINT64_C(1) << 60);
	set64(&after, IB_PC_EXT_XMT_BYTES_F, (UINT64_C(1) << 60) + 5000);
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_XMIT_DATA, &delta),
			 CHANGE_COUNTED);
	assert_int_equal(delta.delta, 5000);
	assert_true(delta.seconds > 1.999 && delta.seconds < 2.001);
	assert_true(delta.rate > 2499 && delta.rate < 2501);
	set64(&after, IB_PC_EXT_XMT_BYTES_F, 40);
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_XMIT_DATA, &delta),
			 CHANGE_RESET);
	assert_int_equal(delta.delta, 40);
	set(&before, IB_PC_ERR_SYM_F, 0xfff0);
	set(&after, IB_PC_ERR_SYM_F, 0xffff);
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_SYMBOL_ERRORS, &delta),
			 CHANGE_SATURATED);
	assert_int_equal(delta.delta, 0xf);
	after.counters.state = READING_STATUS;
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_SYMBOL_ERRORS, &delta),
			 CHANGE_UNKNOWN);
}

/* A small counter is no later state of a large one. */
static void test_values_of_two_attributes_are_not_compared(void **state)
{
	struct sample before, after;
	struct counter_delta delta;

	begin(&before, PMA_CAP_EXTENDED, 0);
	begin(&after, PMA_CAP_EXTENDED, 0);
	set64(&before, IB_PC_EXT_XMT_BYTES_F, UINT64_C(1) << 60);
	after.extended.state = READING_NO_REPLY;
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_XMIT_DATA, &delta),
			 CHANGE_UNKNOWN);
	assert_true(delta.delta == 0 && delta.rate == 0);
}

static void test_no_time_is_no_rate(void **state)
{
	struct sample before, after;
	struct counter_delta delta;

	begin(&before, 0, 0);
	begin(&after, 0, 0);
	set(&after, IB_PC_XMT_BYTES_F, 9);
	assert_int_equal(counter_compare(&before.port, &after.port, COUNTER_XMIT_DATA, &delta),
			 CHANGE_COUNTED);
	assert_true(delta.delta == 9 && delta.rate == 0);
}

/* Reads a thresholds file of this text. */
static int read_text(struct thresholds *thresholds, const char *text, size_t length)
{
	char path[] = "/tmp/madring-thresholds-XXXXXX";
	int fd = mkstemp(path), result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	close(fd);
	result = thresholds_read(thresholds, path);
	unlink(path);
	return result;
}

static void test_thresholds(void **state)
{
	static const char text[] = "# what is no error yet\n"
				   "\n"
				   "SymbolErrorCounter=10\n"
				   "PortXmitWait=0x20 \r\n"
				   "NoSuchCounter=3\n"
				   "QP1Dropped=3\n";
	struct thresholds thresholds = { .text = NULL };
	struct counter_value value;
	struct sample sample;

	begin(&sample, PMA_CAP_XMIT_WAIT | PMA_CAP_QP1_DROPPED, 0);
	assert_int_equal(read_text(&thresholds, text, sizeof(text) - 1), 0);
	assert_string_equal(thresholds.text,
			    "Thresholds: [SymbolErrorCounter = 10][PortXmitWait = 32]");
	set(&sample, IB_PC_ERR_SYM_F, 10);
	set(&sample, IB_PC_XMT_WAIT_F, 32);
	assert_false(thresholds_any_exceeded(&thresholds, &sample.port));
	set(&sample, IB_PC_XMT_WAIT_F, 33);
	assert_true(thresholds_any_exceeded(&thresholds, &sample.port));
	assert_int_equal(thresholds_suppress(&thresholds, "PortXmitWait,,LinkDownedCounter,"), 0);
	assert_false(thresholds_any_exceeded(&thresholds, &sample.port));
	set(&sample, IB_PC_LINK_DOWNED_F, 1);
	set(&sample, IB_PC_ERR_SYM_F, 11);
	assert_true(thresholds_exceeded(&thresholds, &sample.port, COUNTER_SYMBOL_ERRORS, &value));
	assert_false(thresholds_exceeded(&thresholds, &sample.port, COUNTER_LINK_DOWNED, &value));
	assert_int_equal(thresholds_suppress(&thresholds, "PortXmitWait,PortXmit"), -1);
	thresholds_free(&thresholds);
}

static void test_wrong_thresholds_change_nothing(void **state)
{
	static const char *const wrong[] = {
		"SymbolErrorCounter\n",	    "SymbolErrorCounter=\n",
		"SymbolErrorCounter=ten\n", "SymbolErrorCounter=1 2",
		"SymbolErrorCounter=-1\n",  "=\n1",
		"PortXmitWait=1\n=x\n",	    "SymbolErrorCounter=99999999999999999999999\n",
	};
	struct thresholds thresholds = { .text = NULL };

	assert_int_equal(read_text(&thresholds, "PortXmitWait=7", 14), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(read_text(&thresholds, wrong[i], strlen(wrong[i])), -1);
	assert_int_equal(read_text(&thresholds, "Port\0XmitWait=1\n", 16), -1);
	assert_int_equal(thresholds_read(&thresholds, "/tmp/no/such/file"), -1);
	assert_string_equal(thresholds.text, "Thresholds: [PortXmitWait = 7]");
	thresholds_free(&thresholds);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_wider_counter_is_taken),
	cmocka_unit_test(test_the_list_has_libibmads_names),
	cmocka_unit_test(test_node_without_extended_counters_shows_small_ones),
	cmocka_unit_test(test_small_data_counters_when_the_large_were_not_read),
	cmocka_unit_test(test_qp1_dropped_is_not_vl15_dropped),
	cmocka_unit_test(test_difference_of_a_counter),
	cmocka_unit_test(test_values_of_two_attributes_are_not_compared),
	cmocka_unit_test(test_no_time_is_no_rate),
	cmocka_unit_test(test_thresholds),
	cmocka_unit_test(test_wrong_thresholds_change_nothing),
};

TEST_MAIN(tests, NULL, NULL)
