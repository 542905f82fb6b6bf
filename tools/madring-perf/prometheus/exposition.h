/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of metrics in Prometheus' text format 0.0.4, and in OpenMetrics 1.0. The lines of the
 * samples are the same in both, and are written once; what is around them differs.
 */
#ifndef PROMETHEUS_EXPOSITION_H
#define PROMETHEUS_EXPOSITION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum exposition_format {
	EXPOSITION_TEXT,
	EXPOSITION_OPENMETRICS,
};

#define EXPOSITION_FORMATS 2u

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/* A family of metrics. The texts are plain: no backslash, quote or end of line. */
struct metric {
	const char *name; /* of a counter: without the _total that its samples bear */
	enum metric_type type;
	const char *unit; /* which the name ends with; NULL: none */
	const char *help;
};

struct exposition;

/* Makes an empty page, with one hold. */
struct exposition *exposition_new(void);

/*
 * `exposition_hold` adds a hold to a page that is no longer written to, so that several threads may
 * have it. `exposition_release` releases a hold; the last one frees the page. NULL may be released.
 */
struct exposition *exposition_hold(struct exposition *page);
void exposition_release(struct exposition *page);

/*
 * Begins a family of samples. A page begins each family once, and leaves out one without samples.
 * It keeps @metric.
 */
void exposition_family(struct exposition *page, const struct metric *metric);

/*
 * Begins a sample, which then gets its labels, and ends with its value. @suffix is "_bucket",
 * "_sum" or "_count" for a sample of a histogram; else NULL.
 */
void exposition_sample(struct exposition *page, const char *suffix);

/*
 * Adds a label. @value may be any bytes: utf8_make_printable() makes them UTF-8, which Prometheus
 * demands.
 */
void exposition_label(struct exposition *page, const char *name, const char *value);
void exposition_label_u64(struct exposition *page, const char *name, uint64_t value);
/* Adds a GUID as 0x and 16 digits. */
void exposition_label_guid(struct exposition *page, const char *name, uint64_t guid);

/* Ends a sample with a number, which is exact whatever its size. */
void exposition_value(struct exposition *page, uint64_t value);
/*
 * Ends a sample with a count of 32-bit words, in bytes. It is exact, though that may need 66
 * bits.
 */
void exposition_value_words(struct exposition *page, uint64_t words);
/* Ends a sample with the shortest text that reads as the same number. */
void exposition_value_double(struct exposition *page, double value);

/* Returns the memory that a page takes, in bytes. */
size_t exposition_memory(const struct exposition *page);

/* Returns the most pieces that a page comes in. */
size_t exposition_max_pieces(const struct exposition *page);

/*
 * Fills @pieces, which are parts of the page in @format, and returns how many they are. @bytes gets
 * their length together; it may be NULL.
 */
size_t exposition_pieces(const struct exposition *page, enum exposition_format format,
			 struct iovec *pieces, size_t *bytes);

/* Returns the media type of a format, as in Content-Type. */
const char *exposition_content_type(enum exposition_format format);

#endif
