/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of the attributes, and their places in a MAD's data. */
#ifndef SIM_PMA_ATTRIBUTE_H
#define SIM_PMA_ATTRIBUTE_H

#include <infiniband/mad.h>

#include "fabric/port_counters.h"

#define PMA_DATA_BYTES 192

/*
 * A run of counters that follow each other in the enum, in libibmad's fields, and in the select
 * bits.
 */
struct counter_run {
	enum fabric_counter first;
	unsigned int count;
	enum MAD_FIELDS field;
	unsigned int bits;	   /* each is wide */
	unsigned int first_select; /* bit */
};

/* The places where a Set says which counters it is about. */
enum select_place {
	SELECT_16,	       /* CounterSelect alone */
	SELECT_COUNTERS,       /* and CounterSelect2 of PortCounters, as bits 16 and up */
	SELECT_EXTENDED,       /* and that of PortCountersExtended */
	SELECT_EXTENDED_SPEEDS /* 64 bits */
};

#define ATTRIBUTE_RUNS 8

struct attribute {
	uint16_t id;
	enum select_place select;
	enum counter_view view;
	bool switches_only;
	bool has_opcode;
	uint64_t option_mask; /* the bits of PortSamplesControl that say that it is there */
	struct counter_run run[ATTRIBUTE_RUNS]; /* up to one of no counters */
};

/* attribute_find returns an attribute, or NULL if no node of this type has it. */
const struct attribute *attribute_find(uint16_t id, enum node_type type);

/*
 * attribute_shows returns where a counter is shown: in PortCountersExtended or, if it is not there,
 * in its attribute.
 */
const struct counter_run *attribute_shows(enum fabric_counter which, enum counter_view *view);

/* attribute_option_mask returns PortSamplesControl's OptionMask of a node of this type. */
uint64_t attribute_option_mask(enum node_type type);

/* attribute_selected returns the bits of the counters that a Set is about. */
uint64_t attribute_selected(const struct attribute *attribute, const uint8_t *data);

/* attribute_get and attribute_put read and write the n-th field of a run, of up to 64 bits. */
uint64_t attribute_get(const struct counter_run *run, unsigned int n, const uint8_t *data);
void attribute_put(const struct counter_run *run, unsigned int n, uint8_t *data, uint64_t value);

/* run_limit returns the largest value that fits. */
static inline uint64_t run_limit(const struct counter_run *run)
{
	return UINT64_MAX >> (64 - run->bits);
}

#endif
