/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of metrics in both formats, and the choice between them. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "madring-perf/prometheus/accept.h"
#include "madring-perf/prometheus/exposition.h"

static const struct metric data = {
	.name = "fabric_data_bytes", .type = METRIC_COUNTER, .unit = "bytes", .help = "Data sent."
};
static const struct metric nodes = { .name = "fabric_nodes", .type = METRIC_GAUGE, .help = "N." };
static const struct metric trips = {
	.name = "trip_seconds", .type = METRIC_HISTOGRAM, .unit = "seconds", .help = "Round trips."
};

/* Returns the page as one text; releases the page. */
static char *text_of(struct exposition *page, enum exposition_format format)
{
	struct iovec pieces[64];
	size_t bytes, count, at = 0;
	char *text;

	assert_true(exposition_max_pieces(page) <= 64);
	count = exposition_pieces(page, format, pieces, &bytes);
	assert_true(count <= exposition_max_pieces(page));
	text = malloc(bytes + 1);
	assert_non_null(text);
	for (size_t i = 0; i < count; i++) {
		memcpy(text + at, pieces[i].iov_base, pieces[i].iov_len);
		at += pieces[i].iov_len;
	}
	assert_int_equal(at, bytes);
	text[at] = '\0';
	exposition_release(page);
	return text;
}

static void check(struct exposition *page, enum exposition_format format, const char *expected)
{
	char *text = text_of(page, format);

	assert_string_equal(text, expected);
	free(text);
}

static struct exposition *small_page(void)
{
	struct exposition *page = exposition_new();

	exposition_family(page, &data);
	exposition_sample(page, NULL);
	exposition_label_guid(page, "guid", 0x0002c90300a1b2c3);
	exposition_label_u64(page, "port", 36);
	exposition_value(page, UINT64_MAX);
	exposition_sample(page, NULL);
	exposition_label_guid(page, "guid", UINT64_MAX);
	exposition_label_u64(page, "port", 0);
	exposition_value(page, 9007199254740993); /* 2^53 + 1: no double */
	exposition_family(page, &trips);	  /* gets none */
	exposition_family(page, &nodes);
	exposition_sample(page, NULL);
	exposition_value(page, 0);
	return page;
}

#define SMALL_SAMPLES                                                                              \
	"fabric_data_bytes_total{guid=\"0x0002c90300a1b2c3\",port=\"36\"} "                        \
	"18446744073709551615\n"                                                                   \
	"fabric_data_bytes_total{guid=\"0xffffffffffffffff\",port=\"0\"} 9007199254740993\n"

static void test_text(void **state)
{
	check(small_page(), EXPOSITION_TEXT,
	      "# HELP fabric_data_bytes_total Data sent.\n"
	      "# TYPE fabric_data_bytes_total counter\n" SMALL_SAMPLES "# HELP fabric_nodes N.\n"
	      "# TYPE fabric_nodes gauge\n"
	      "fabric_nodes 0\n");
	assert_string_equal(exposition_content_type(EXPOSITION_TEXT),
			    "text/plain; version=0.0.4; charset=utf-8");
}

static void test_openmetrics(void **state)
{
	check(small_page(), EXPOSITION_OPENMETRICS,
	      "# HELP fabric_data_bytes Data sent.\n"
	      "# TYPE fabric_data_bytes counter\n"
	      "# UNIT fabric_data_bytes bytes\n" SMALL_SAMPLES "# HELP fabric_nodes N.\n"
	      "# TYPE fabric_nodes gauge\n"
	      "fabric_nodes 0\n"
	      "# EOF\n");
	assert_string_equal(exposition_content_type(EXPOSITION_OPENMETRICS),
			    "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

static void test_empty(void **state)
{
	check(exposition_new(), EXPOSITION_TEXT, "");
	check(exposition_new(), EXPOSITION_OPENMETRICS, "# EOF\n");
}

static void test_histogram(void **state)
{
	struct exposition *page = exposition_new();

	exposition_family(page, &trips);
	exposition_sample(page, "_bucket");
	exposition_label(page, "le", "0.001");
	exposition_value(page, 3);
	exposition_sample(page, "_bucket");
	exposition_label(page, "le", "+Inf");
	exposition_value(page, 4);
	exposition_sample(page, "_sum");
	exposition_value_double(page, 0.25);
	exposition_sample(page, "_count");
	exposition_value(page, 4);
	check(page, EXPOSITION_TEXT,
	      "# HELP trip_seconds Round trips.\n"
	      "# TYPE trip_seconds histogram\n"
	      "trip_seconds_bucket{le=\"0.001\"} 3\n"
	      "trip_seconds_bucket{le=\"+Inf\"} 4\n"
	      "trip_seconds_sum 0.25\n"
	      "trip_seconds_count 4\n");
}

/* Checks the label's text for @value. */
static void check_label(const char *value, const char *expected)
{
	struct exposition *page = exposition_new();
	char line[256];
	char *text;

	exposition_family(page, &nodes);
	exposition_sample(page, NULL);
	exposition_label(page, "name", value);
	exposition_value(page, 1);
	text = text_of(page, EXPOSITION_TEXT);
	snprintf(line, sizeof(line), "\nfabric_nodes{name=\"%s\"} 1\n", expected);
	assert_non_null(strstr(text, line));
	free(text);
}

static void test_labels(void **state)
{
	check_label("", "");
	check_label("leaf 1, rack {3}", "leaf 1, rack {3}");
	check_label("a\"b\\c\nd", "a\\\"b\\\\c\\nd");
	check_label("\\n", "\\\\n");
	check_label("k\xc3\xb6ln", "k\xc3\xb6ln");
	check_label("k\xf6ln", "k?ln");	       /* Latin-1 */
	check_label("cut \xe2\x82", "cut ??"); /* of three bytes two */
	check_label("\xc3\"", "?\\\"");	       /* of two bytes one, and a quote */
	check_label("\xc0\x80", "??");	       /* overlong */
	check_label("\xed\xa0\x80", "???");    /* a surrogate */
}

static void check_words(uint64_t words, const char *expected)
{
	struct exposition *page = exposition_new();
	char *text;

	exposition_family(page, &nodes);
	exposition_sample(page, NULL);
	exposition_value_words(page, words);
	text = text_of(page, EXPOSITION_TEXT);
	assert_string_equal(strrchr(text, ' ') + 1, expected);
	free(text);
}

static void test_words(void **state)
{
	check_words(0, "0\n");
	check_words(1, "4\n");
	check_words(249, "996\n");
	check_words(250, "1000\n");
	check_words(251, "1004\n");
	check_words(44690585490407, "178762341961628\n");
	check_words(UINT64_MAX / 4, "18446744073709551612\n");
	check_words(UINT64_MAX / 4 + 1, "18446744073709551616\n");
	check_words(UINT64_MAX, "73786976294838206460\n");
}

static void check_double(double value, const char *expected)
{
	struct exposition *page = exposition_new();
	char *text;

	exposition_family(page, &nodes);
	exposition_sample(page, NULL);
	exposition_value_double(page, value);
	text = text_of(page, EXPOSITION_TEXT);
	assert_string_equal(strrchr(text, ' ') + 1, expected);
	free(text);
}

static void test_doubles(void **state)
{
	check_double(0, "0\n");
	check_double(0.1, "0.1\n");
	check_double(1.0 / 3, "0.3333333333333333\n");
	check_double(1.25e10, "12500000000\n");
	check_double(-2.5e-7, "-2.5e-07\n");
	check_double(INFINITY, "+Inf\n");
	check_double(-INFINITY, "-Inf\n");
	check_double(NAN, "NaN\n");
}

static void test_accept(void **state)
{
	static const struct {
		const char *accept;
		enum exposition_format format;
	} cases[] = {
		{ NULL, EXPOSITION_TEXT },
		{ "", EXPOSITION_TEXT },
		{ "*/*", EXPOSITION_TEXT },
		{ "text/html,application/xhtml+xml,*/*;q=0.8", EXPOSITION_TEXT },
		/* Prometheus 2.42, and 3 */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,*/*;q=0.2",
		  EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-text", EXPOSITION_OPENMETRICS },
		{ " Application/OpenMetrics-Text ; Version=\"1.0.0\" ", EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-text; version=0.0.1", EXPOSITION_TEXT },
		{ "application/openmetrics-text;q=0", EXPOSITION_TEXT },
		{ "application/openmetrics-text;q=0,*/*;q=0", EXPOSITION_TEXT },
		{ "application/openmetrics-text;q=0.3, text/plain", EXPOSITION_TEXT },
		{ "application/openmetrics-text;q=0.3, text/plain;q=0.2, */*",
		  EXPOSITION_OPENMETRICS },
		{ "text/plain;q=0.5,application/openmetrics-text;q=0.5", EXPOSITION_OPENMETRICS },
		{ "application/openmetrics-textual", EXPOSITION_TEXT },
		{ "application/openmetrics-text;q=nan", EXPOSITION_TEXT },
		{ ",;,;q,=,;;", EXPOSITION_TEXT },
		{ "\t , \t", EXPOSITION_TEXT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(accept_format(cases[i].accept), cases[i].format);
}

/* The last holder frees the page, whoever that is. */
static void test_holders(void **state)
{
	struct exposition *page = small_page();

	assert_ptr_equal(exposition_hold(page), page);
	exposition_release(page);
	free(text_of(page, EXPOSITION_TEXT));
	exposition_release(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),	cmocka_unit_test(test_openmetrics),
	cmocka_unit_test(test_empty),	cmocka_unit_test(test_histogram),
	cmocka_unit_test(test_labels),	cmocka_unit_test(test_words),
	cmocka_unit_test(test_doubles), cmocka_unit_test(test_accept),
	cmocka_unit_test(test_holders),
};

TEST_MAIN(tests, NULL, NULL)
