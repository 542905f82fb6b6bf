/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of MAD that have been seen, each with a position to count it at. */
#ifndef SIM_KIND_INDEX_H
#define SIM_KIND_INDEX_H

#include <stdint.h>

#define KIND_INDEX_KINDS 256

/* A response is of its request's kind. */
struct mad_kind {
	uint8_t mgmt_class, method;
	uint16_t attribute;
};

struct kind_index {
	struct mad_kind kind[KIND_INDEX_KINDS];
	uint16_t count;
	/*
	 * The table is so small that a program gains nothing by choosing kinds whose places
	 * collide.
	 */
	uint16_t hashed[4 * KIND_INDEX_KINDS]; /* position plus one; 0: free */
};

/* The position of a MAD's kind; KIND_INDEX_KINDS when it is new and there is no room. */
uint16_t kind_index_of(struct kind_index *index, const uint8_t *mad);

#endif
