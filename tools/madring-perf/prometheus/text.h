/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that grows at its end. */
#ifndef PROMETHEUS_TEXT_H
#define PROMETHEUS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A text that grows; a zeroed one is empty. */
struct text {
	char *data; /* not ended by a NUL */
	size_t length;
	size_t room;
};

void text_free(struct text *text);

void text_append(struct text *text, const char *data, size_t length);
void text_append_string(struct text *text, const char *string);

/* Appends a number in decimal. */
void text_append_u64(struct text *text, uint64_t value);

#endif
