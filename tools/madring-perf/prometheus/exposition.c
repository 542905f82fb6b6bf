/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "json/utf8.h"
#include "exposition.h"
#include "text.h"

/* The family of a metric: where it begins in each text. It ends where the next one begins. */
struct family {
	const struct metric *metric;
	size_t samples;
	size_t head[EXPOSITION_FORMATS];
};

struct exposition {
	atomic_uint holders;
	struct text samples;
	struct text head[EXPOSITION_FORMATS]; /* HELP, TYPE and UNIT */
	struct family *families;
	size_t family_count, family_room;
	bool labelled; /* the sample being written has a label already */
};

struct exposition *exposition_new(void)
{
	struct exposition *page = memory_get(1, sizeof(*page));

	atomic_init(&page->holders, 1);
	return page;
}

struct exposition *exposition_hold(struct exposition *page)
{
	atomic_fetch_add(&page->holders, 1);
	return page;
}

void exposition_release(struct exposition *page)
{
	if (!page || atomic_fetch_sub(&page->holders, 1) > 1)
		return;
	text_free(&page->samples);
	for (unsigned int format = 0; format < EXPOSITION_FORMATS; format++)
		text_free(&page->head[format]);
	free(page->families);
	free(page);
}

static const char *type_word(enum metric_type type)
{
	switch (type) {
	case METRIC_COUNTER:
		return "counter";
	case METRIC_GAUGE:
		return "gauge";
	case METRIC_HISTOGRAM:
		return "histogram";
	}
	return "unknown";
}

static void write_head_line(struct text *head, const char *what, const char *name,
			    const char *total, const char *value)
{
	text_append_string(head, what);
	text_append_string(head, name);
	text_append_string(head, total);
	text_append_string(head, " ");
	text_append_string(head, value);
	text_append_string(head, "\n");
}

/* Writes the lines that head a family. OpenMetrics names a counter's family without _total. */
static void write_head(struct text *head, const struct metric *metric,
		       enum exposition_format format)
{
	bool text_format = format == EXPOSITION_TEXT;
	const char *total = text_format && metric->type == METRIC_COUNTER ? "_total" : "";

	write_head_line(head, "# HELP ", metric->name, total, metric->help);
	write_head_line(head, "# TYPE ", metric->name, total, type_word(metric->type));
	if (metric->unit && !text_format)
		write_head_line(head, "# UNIT ", metric->name, total, metric->unit);
}

void exposition_family(struct exposition *page, const struct metric *metric)
{
	struct family *family;

	if (page->family_count == page->family_room) {
		page->family_room = page->family_room ? 2 * page->family_room : 128;
		page->families = memory_grow(page->families, page->family_room, sizeof(*family));
	}
	family = &page->families[page->family_count++];
	family->metric = metric;
	family->samples = page->samples.length;
	for (unsigned int format = 0; format < EXPOSITION_FORMATS; format++) {
		family->head[format] = page->head[format].length;
		write_head(&page->head[format], metric, format);
	}
}

void exposition_sample(struct exposition *page, const char *suffix)
{
	const struct metric *metric = page->families[page->family_count - 1].metric;

	text_append_string(&page->samples, metric->name);
	if (metric->type == METRIC_COUNTER)
		text_append_string(&page->samples, "_total");
	if (suffix)
		text_append_string(&page->samples, suffix);
	page->labelled = false;
}

static void begin_label(struct exposition *page, const char *name)
{
	text_append_string(&page->samples, page->labelled ? "," : "{");
	text_append_string(&page->samples, name);
	text_append_string(&page->samples, "=\"");
	page->labelled = true;
}

static void end_label(struct exposition *page)
{
	text_append_string(&page->samples, "\"");
}

static void append_escaped(struct text *text, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			text_append_string(text, "\\n");
			continue;
		}
		if (*value == '\\' || *value == '"')
			text_append_string(text, "\\");
		text_append(text, value, 1);
	}
}

void exposition_label(struct exposition *page, const char *name, const char *value)
{
	size_t start;

	begin_label(page, name);
	start = page->samples.length;
	append_escaped(&page->samples, value);
	text_append(&page->samples, "", 1);
	utf8_make_printable(page->samples.data + start);
	page->samples.length--;
	end_label(page);
}

void exposition_label_u64(struct exposition *page, const char *name, uint64_t value)
{
	begin_label(page, name);
	text_append_u64(&page->samples, value);
	end_label(page);
}

void exposition_label_guid(struct exposition *page, const char *name, uint64_t guid)
{
	char digits[] = "0x0000000000000000";

	for (size_t at = sizeof(digits) - 2; guid; at--, guid >>= 4)
		digits[at] = "0123456789abcdef"[guid & 0xf];
	begin_label(page, name);
	text_append(&page->samples, digits, sizeof(digits) - 1);
	end_label(page);
}

static void begin_value(struct exposition *page)
{
	text_append_string(&page->samples, page->labelled ? "} " : " ");
}

static void end_value(struct exposition *page)
{
	text_append_string(&page->samples, "\n");
}

void exposition_value(struct exposition *page, uint64_t value)
{
	begin_value(page);
	text_append_u64(&page->samples, value);
	end_value(page);
}

/*
 * Ends a sample with words in bytes. The thousands and the rest are written apart: 250 words are
 * 1,000 bytes.
 */
void exposition_value_words(struct exposition *page, uint64_t words)
{
	uint64_t thousands = words / 250;
	char rest[4];

	begin_value(page);
	if (thousands) {
		text_append_u64(&page->samples, thousands);
		snprintf(rest, sizeof(rest), "%03u", (unsigned int)(words % 250) * 4);
		text_append_string(&page->samples, rest);
	} else {
		text_append_u64(&page->samples, words * 4);
	}
	end_value(page);
}

void exposition_value_double(struct exposition *page, double value)
{
	char number[32];

	begin_value(page);
	if (isnan(value)) {
		text_append_string(&page->samples, "NaN");
	} else if (isinf(value)) {
		text_append_string(&page->samples, value > 0 ? "+Inf" : "-Inf");
	} else {
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(number, sizeof(number), "%.*g", digits, value);
			if (strtod(number, NULL) == value)
				break;
		}
		text_append_string(&page->samples, number);
	}
	end_value(page);
}

size_t exposition_memory(const struct exposition *page)
{
	size_t bytes =
		sizeof(*page) + page->samples.room + page->family_room * sizeof(struct family);

	for (unsigned int format = 0; format < EXPOSITION_FORMATS; format++)
		bytes += page->head[format].room;
	return bytes;
}

size_t exposition_max_pieces(const struct exposition *page)
{
	return 2 * page->family_count + 1;
}

static struct iovec slice_of(const struct text *text, size_t from, size_t to)
{
	return (struct iovec){ .iov_base = text->data + from, .iov_len = to - from };
}

size_t exposition_pieces(const struct exposition *page, enum exposition_format format,
			 struct iovec *pieces, size_t *bytes)
{
	static char end[] = "# EOF\n";
	size_t count = 0;

	for (size_t i = 0; i < page->family_count; i++) {
		const struct family *family = &page->families[i];
		bool last = i + 1 == page->family_count;
		size_t samples_end = last ? page->samples.length : family[1].samples;
		size_t head_end = last ? page->head[format].length : family[1].head[format];

		if (family->samples == samples_end)
			continue;
		pieces[count++] = slice_of(&page->head[format], family->head[format], head_end);
		pieces[count++] = slice_of(&page->samples, family->samples, samples_end);
	}
	if (format == EXPOSITION_OPENMETRICS)
		pieces[count++] = (struct iovec){ .iov_base = end, .iov_len = sizeof(end) - 1 };
	if (bytes) {
		*bytes = 0;
		for (size_t i = 0; i < count; i++)
			*bytes += pieces[i].iov_len;
	}
	return count;
}

const char *exposition_content_type(enum exposition_format format)
{
	if (format == EXPOSITION_OPENMETRICS)
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	return "text/plain; version=0.0.4; charset=utf-8";
}
