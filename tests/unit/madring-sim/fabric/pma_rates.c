/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters that move by themselves: exactly, however and whenever they are read. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "fabric/chance.h"
#include "pma_support.h"

#define SECOND	 UINT64_C(1000000000)
#define DAY	 (86400 * SECOND)
#define READS	 1000000
#define MAX_RATE FABRIC_MAX_RATE

__extension__ typedef unsigned __int128 uint128;

static struct fabric *open_with_seed(uint64_t seed)
{
	const struct fabric_config config = { .seed = seed };
	struct fabric *fabric;

	assert_int_equal(fabric_open(&fabric, read_data("two-switches.net"), &config), 0);
	return fabric;
}

static uint64_t shown(struct fabric *fabric, enum fabric_counter counter)
{
	uint64_t value;

	assert_int_equal(fabric_get_counter(fabric, pma_node(fabric, "left"), 2, counter, &value),
			 0);
	return value;
}

static int set_traffic(struct fabric *fabric, const struct fabric_traffic *traffic)
{
	return fabric_set_traffic(fabric, pma_node(fabric, "left"), 2, traffic);
}

static int set_rate(struct fabric *fabric, enum fabric_counter counter, double per_second)
{
	return fabric_set_error_rate(fabric, pma_node(fabric, "left"), 2, counter, per_second);
}

static uint64_t words_after(uint64_t bytes, uint64_t ns)
{
	return (uint64_t)((uint128)bytes * ns / (4 * SECOND));
}

/* A fabric that is read all the time shows the same traffic as one that is read once. */
static void rates_do_not_depend_on_reads(void **state)
{
	const struct fabric_traffic traffic = { .xmit_bytes = 12345678901,
						.rcv_bytes = 7,
						.xmit_packets = 3000017,
						.xmit_wait = 999999999 };
	struct fabric *fabric = open_with_seed(1), *other = open_with_seed(2);
	uint64_t random = 5, now = 0, start = 12345;

	fabric_run(fabric, start);
	fabric_run(other, start);
	assert_int_equal(set_traffic(fabric, &traffic), 0);
	assert_int_equal(set_traffic(other, &traffic), 0);
	for (unsigned int i = 0; i < READS; i++) {
		now += draw(&random) % (i % 3 ? 1000 : 3 * SECOND);
		fabric_run(fabric, start + now);
		assert_int_equal(shown(fabric, FABRIC_XMIT_DATA), words_after(12345678901, now));
		assert_int_equal(shown(fabric, FABRIC_RCV_DATA), words_after(7, now));
		assert_int_equal(shown(fabric, FABRIC_XMIT_PKTS), words_after(4 * 3000017, now));
		assert_int_equal(shown(fabric, FABRIC_UNICAST_XMIT_PKTS),
				 shown(fabric, FABRIC_XMIT_PKTS));
	}
	fabric_run(other, start + now);
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		assert_int_equal(shown(other, i), shown(fabric, i));
	fabric_close(fabric);
	fabric_close(other);
}

/* The fraction of an event that is left when a rate changes is not lost. */
static void exact_over_changes(void **state)
{
	struct fabric *fabric = open_with_seed(1);
	uint64_t random = 7, bytes, length, now = 0;
	uint128 sum = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		struct fabric_traffic traffic = { 0 };

		bytes = traffic.xmit_bytes = draw(&random) >> (25 + draw(&random) % 30);
		length = draw(&random) % 10000;
		assert_int_equal(set_traffic(fabric, &traffic), 0);
		now += length;
		fabric_run(fabric, now);
		sum += (uint128)bytes * length;
		assert_int_equal(shown(fabric, FABRIC_XMIT_DATA), (uint64_t)(sum / (4 * SECOND)));
	}
	fabric_close(fabric);
}

static void shares_and_multicasts(void **state)
{
	const struct fabric_traffic traffic = {
		.xmit_bytes = 1000,
		.rcv_bytes = 4000,
		.xmit_packets = 30,
		.rcv_packets = 40,
		.xmit_multicasts = 10,
		.rcv_multicasts = 40,
		.xmit_wait = 50,
		.share = { [0] = 1, [3] = 2 },
	};
	const struct fabric_traffic other = { .xmit_bytes = 4 };
	struct fabric *fabric = open_with_seed(1);

	assert_int_equal(set_traffic(fabric, &traffic), 0);
	fabric_run(fabric, 30 * SECOND);
	assert_int_equal(shown(fabric, FABRIC_MULTICAST_XMIT_PKTS), 300);
	assert_int_equal(shown(fabric, FABRIC_UNICAST_XMIT_PKTS), 600);
	assert_int_equal(shown(fabric, FABRIC_MULTICAST_RCV_PKTS), 1200);
	assert_int_equal(shown(fabric, FABRIC_UNICAST_RCV_PKTS), 0);
	assert_int_equal(shown(fabric, FABRIC_XMIT_DATA), 7500);
	assert_in_range(shown(fabric, FABRIC_XMIT_DATA_SL), 2499, 2500);
	assert_in_range(shown(fabric, FABRIC_XMIT_DATA_SL + 3), 5000, 5001);
	assert_in_range(shown(fabric, FABRIC_RCV_DATA_SL + 3), 20000, 20001);
	assert_int_equal(shown(fabric, FABRIC_XMIT_WAIT), 1500);
	assert_in_range(shown(fabric, FABRIC_VL_XMIT_WAIT), 499, 500);
	assert_in_range(shown(fabric, FABRIC_VL_XMIT_WAIT + 3), 1000, 1001);
	assert_int_equal(set_traffic(fabric, &other), 0);
	fabric_run(fabric, 40 * SECOND);
	assert_int_equal(shown(fabric, FABRIC_XMIT_DATA), 7510);
	assert_int_equal(shown(fabric, FABRIC_XMIT_DATA_SL + 1), 0);
	assert_in_range(shown(fabric, FABRIC_XMIT_DATA_SL), 2509, 2510);
	assert_int_equal(shown(fabric, FABRIC_XMIT_WAIT), 1500);
	assert_int_equal(shown(fabric, FABRIC_RCV_DATA), 30000);
	fabric_close(fabric);
}

static void impossible_traffic(void **state)
{
	const struct fabric_traffic wrong[] = {
		{ .xmit_bytes = 4 * MAX_RATE },
		{ .rcv_bytes = UINT64_MAX },
		{ .xmit_packets = MAX_RATE + 1 },
		{ .rcv_packets = UINT64_MAX },
		{ .xmit_wait = MAX_RATE + 1 },
		{ .xmit_multicasts = 1 },
		{ .rcv_packets = 4, .rcv_multicasts = 5 },
	};
	const double rates[] = { -1, NAN, INFINITY, 0x1p39, 0x1p-26, -INFINITY };
	struct fabric *fabric = open_with_seed(1);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(set_traffic(fabric, &wrong[i]), -EINVAL);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		assert_int_equal(set_rate(fabric, FABRIC_RCV_ERRORS, rates[i]), -EINVAL);
	assert_int_equal(set_rate(fabric, FABRIC_COUNTERS, 1), -EINVAL);
	assert_int_equal(
		fabric_set_error_rate(fabric, pma_node(fabric, "host"), 0, FABRIC_RCV_ERRORS, 1),
		-EINVAL);
	assert_int_equal(set_rate(fabric, FABRIC_RCV_ERRORS, 0), 0);
	assert_null(fabric->nodes[pma_node(fabric, "left")->index].port[2].counters);
	fabric_close(fabric);
}

/* At the highest rate, for as long as time goes, small counters stick and large ones wrap. */
static void no_end(void **state)
{
	const struct fabric_traffic traffic = { .xmit_bytes = 4 * MAX_RATE - 1,
						.xmit_packets = MAX_RATE };
	const struct wire small = { PORT_COUNTERS, FABRIC_XMIT_PKTS, 32 * 8, 32, 14 };
	struct fabric *fabric = open_with_seed(1);

	assert_int_equal(set_traffic(fabric, &traffic), 0);
	assert_int_equal(set_rate(fabric, FABRIC_RCV_ERRORS, (double)MAX_RATE), 0);
	for (uint64_t now = 1; now < UINT64_MAX / 4; now *= 3) {
		fabric_run(fabric, now);
		assert_int_equal(shown(fabric, FABRIC_XMIT_PKTS),
				 (uint64_t)((uint128)MAX_RATE * now / SECOND));
		if (now > SECOND)
			assert_int_equal(pma_value(fabric, "left", &small, 2), UINT32_MAX);
	}
	fabric_close(fabric);
}

/* A rate of errors puts one error into each period, at a time that only the seed decides. */
static void errors_by_seed(void **state)
{
	struct fabric *often = open_with_seed(9), *once = open_with_seed(9),
		      *other = open_with_seed(10);
	uint64_t before = 0, at_seed = 0, differ = 0, uneven = 0, last = 0, gap = 0;

	assert_int_equal(set_rate(often, FABRIC_RCV_ERRORS, 10), 0);
	assert_int_equal(set_rate(once, FABRIC_RCV_ERRORS, 10), 0);
	assert_int_equal(set_rate(other, FABRIC_RCV_ERRORS, 10), 0);
	for (uint64_t now = 0; now < 1000 * SECOND; now += SECOND / 500) {
		uint64_t value;

		fabric_run(often, now);
		fabric_run(other, now);
		value = shown(often, FABRIC_RCV_ERRORS);
		assert_in_range(value, now / (SECOND / 10), now / (SECOND / 10) + 1);
		assert_in_range(value, before, before + 2);
		differ += value != shown(other, FABRIC_RCV_ERRORS);
		if (value > before) {
			uneven += now - last != gap;
			gap = now - last;
			last = now;
		}
		before = value;
		at_seed = now;
	}
	fabric_run(once, at_seed);
	assert_int_equal(shown(once, FABRIC_RCV_ERRORS), before);
	assert_in_range(before, 9999, 10000);
	assert_true(differ > 1000);
	assert_true(uneven > 5000);
	fabric_close(often);
	fabric_close(once);
	fabric_close(other);
}

/* A counter that is cleared now and then counts, in all, as much as one that never is. */
static void clearing_loses_nothing(void **state)
{
	struct fabric *cleared = open_with_seed(4), *left_alone = open_with_seed(4);
	uint64_t random = 3, now = 0, sum = 0, value, before = 0;

	assert_int_equal(set_rate(cleared, FABRIC_SYMBOL_ERRORS, 0.7), 0);
	assert_int_equal(set_rate(left_alone, FABRIC_SYMBOL_ERRORS, 0.7), 0);
	for (unsigned int i = 0; i < 100000; i++) {
		now += draw(&random) % (SECOND / 2);
		fabric_run(cleared, now);
		value = shown(cleared, FABRIC_SYMBOL_ERRORS);
		assert_in_range(value, before, before + 2);
		before = value;
		if (draw(&random) % 2) {
			sum += value;
			before = 0;
			assert_int_equal(fabric_set_counter(cleared, pma_node(cleared, "left"), 2,
							    FABRIC_SYMBOL_ERRORS, 0),
					 0);
			assert_int_equal(shown(cleared, FABRIC_SYMBOL_ERRORS), 0);
		}
		/* Setting the rate anew, to the same value, loses nothing either. */
		if (draw(&random) % 4 == 0)
			assert_int_equal(set_rate(cleared, FABRIC_SYMBOL_ERRORS, 0.7), 0);
	}
	fabric_run(left_alone, now);
	assert_int_equal(sum + shown(cleared, FABRIC_SYMBOL_ERRORS),
			 shown(left_alone, FABRIC_SYMBOL_ERRORS));
	fabric_close(cleared);
	fabric_close(left_alone);
}

/* Other counters, other ports and other draws from the seed change nothing in a counter. */
static void independent(void **state)
{
	struct fabric *quiet = open_with_seed(11), *busy = open_with_seed(11);
	unsigned int seen = 0;
	uint64_t value, neighbour;

	assert_int_equal(set_rate(quiet, FABRIC_XMIT_DISCARDS, 1), 0);
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		for (unsigned int port = 0; port <= 8; port++)
			assert_int_equal(
				fabric_set_error_rate(busy, pma_node(busy, "left"), port, i, 1), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		fabric_run(quiet, i * SECOND / 3);
		fabric_run(busy, i * SECOND / 3);
		mix_next(&busy->random);
		value = shown(busy, FABRIC_XMIT_DISCARDS);
		assert_int_equal(value, shown(quiet, FABRIC_XMIT_DISCARDS));
		assert_int_equal(fabric_get_counter(busy, pma_node(busy, "left"), 3,
						    FABRIC_XMIT_DISCARDS, &neighbour),
				 0);
		seen += neighbour != value;
	}
	assert_true(seen > 100);
	fabric_close(quiet);
	fabric_close(busy);
}

static void fills_up(void **state)
{
	const struct wire small = { PORT_COUNTERS, FABRIC_SYMBOL_ERRORS, 4 * 8, 16, 0 };
	struct fabric *fabric = open_with_seed(1);
	uint64_t value, before = 0;

	assert_int_equal(set_rate(fabric, FABRIC_SYMBOL_ERRORS, 1000), 0);
	for (uint64_t now = 0; now < 100 * SECOND; now += SECOND / 7) {
		fabric_run(fabric, now);
		value = pma_value(fabric, "left", &small, 2);
		assert_true(value >= before);
		assert_int_equal(value, shown(fabric, FABRIC_SYMBOL_ERRORS) < 65535
						? shown(fabric, FABRIC_SYMBOL_ERRORS)
						: 65535);
		before = value;
	}
	assert_int_equal(before, 65535);
	assert_in_range(shown(fabric, FABRIC_SYMBOL_ERRORS), 99800, 100000);
	fabric_close(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rates_do_not_depend_on_reads),
	cmocka_unit_test(exact_over_changes),
	cmocka_unit_test(shares_and_multicasts),
	cmocka_unit_test(impossible_traffic),
	cmocka_unit_test(no_end),
	cmocka_unit_test(errors_by_seed),
	cmocka_unit_test(clearing_loses_nothing),
	cmocka_unit_test(independent),
	cmocka_unit_test(fills_up),
};

TEST_MAIN(tests, NULL, NULL)
