/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of a run: what it says of delays when replies were late because of this host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#include "madring-ping/print.h"

#define MS UINT64_C(1000000)

static struct figures figures;
static struct histogram corrected;
static char *text;
static size_t size;

/* Counts a reply that took @delay_ns. */
static void count_reply(uint64_t delay_ns, bool is_disturbed)
{
	figures.sent++;
	figures.answered++;
	figures.disturbed += is_disturbed;
	histogram_record(&figures.delay, delay_ns);
	if (!is_disturbed)
		histogram_record(&figures.undisturbed, delay_ns);
}

/* Writes the summary of a closed loop into @text. */
static void summarize(void)
{
	const struct options options = { .mode = MODE_CLOSED, .in_flight = 1 };
	struct target target = { .name = "0x5", .sent = figures.sent, .answered = figures.sent };
	const struct targets targets = { .list = &target, .count = 1 };
	const struct result result = {
		.options = &options,
		.targets = &targets,
		.figures = &figures,
		.corrected = &corrected,
	};
	FILE *out = open_memstream(&text, &size);

	histogram_correct(&corrected, &figures.undisturbed,
			  histogram_percentile(&figures.undisturbed, 50));
	print_summary(out, &result);
	fclose(out);
}

static int clear(void **state)
{
	free(text);
	text = NULL;
	figures_clear(&figures, 0);
	histogram_clear(&corrected);
	return 0;
}

static void test_some_replies_were_late(void **state)
{
	count_reply(1 * MS, false);
	count_reply(9 * MS, true);
	summarize();
	assert_non_null(strstr(text, "\nin time:    min 1000.0 us"));
	assert_non_null(strstr(text, "During 1 of the 2 replies this host let"));
	assert_non_null(strstr(text, "\ncorrected:  min 1000.0 us"));
}

static void test_every_reply_was_late(void **state)
{
	count_reply(8 * MS, true);
	count_reply(9 * MS, true);
	summarize();
	assert_non_null(strstr(text, "\ndelay:      min 8000.0 us"));
	assert_non_null(strstr(text, "\nin time:    none. During every reply this host let"));
	assert_null(strstr(text, "corrected:"));
	assert_null(strstr(text, " 0.0 us"));
}

static void test_part_without_replies(void **state)
{
	static const struct figures part = { .sent = 3, .lost = 3, .end_ns = 1000 * MS };
	FILE *out = open_memstream(&text, &size);

	print_part(out, &part, 0);
	fclose(out);
	assert_string_equal(text, "   1.000 s: 3 sent, 0 answered, 3 lost; 0.0/s\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_some_replies_were_late, clear, clear),
	cmocka_unit_test_setup_teardown(test_every_reply_was_late, clear, clear),
	cmocka_unit_test_setup_teardown(test_part_without_replies, clear, clear),
};

TEST_MAIN(tests, NULL, NULL)
