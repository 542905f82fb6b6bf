/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each management class (IBA 13.4.4): where its attributes begin, which header fields it has beyond
 * those of all MADs, and how its agents are asked. No other file knows it.
 */
#ifndef MADRING_BASE_MAD_CLASS_H
#define MADRING_BASE_MAD_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/names.h>

struct mad_class {
	uint8_t data_offset;  /* where the attribute begins, in bytes from the MAD's beginning */
	bool is_smp : 1;      /* uses QP0 and VL15, and is never redirected */
	bool has_rmpp : 1;    /* an RMPP header follows the MAD header (IBA 13.6.2) */
	bool has_oui : 1;     /* a vendor class whose registration includes an OUI (IBA 16.5.1) */
	bool is_of_nodes : 1; /* each node has an agent of it, which answers in MADs alone */
	/*
	 * How an agent of the class asks by default. The timeouts are those of messages of one MAD.
	 */
	uint16_t flow_window; /* the most requests in flight to one destination */
	uint16_t flow_first;  /* those in flight at first */
	uint16_t first_timeout_ms, min_timeout_ms, max_timeout_ms;
	uint16_t patience_ms; /* 0: a request ends after all its attempts */
};

/* Returns the properties of a class; for an unknown one, those that most classes have. */
const struct mad_class *mad_class_of(uint8_t mgmt_class);

/*
 * The offsets of an SMP's fields (IBA 14.2.1.1, 14.2.1.2). Only directed routes have the hop
 * fields, the LIDs and the paths.
 */
#define SMP_HOP_POINTER	 6u
#define SMP_HOP_COUNT	 7u
#define SMP_MKEY	 24u
#define SMP_DR_SLID	 32u
#define SMP_DR_DLID	 34u
#define SMP_INITIAL_PATH 128u /* 64 bytes, of which entry 0 is not used */
#define SMP_MAX_HOPS	 63u
#define SMP_DIRECTION	 0x8000u /* in the status: set on the way back */

/* The offsets of an SA MAD's fields (IBA 15.2.1.1). */
#define SA_SM_KEY	  36u
#define SA_RECORD_WORDS	  44u /* AttributeOffset, in words of 8 bytes */
#define SA_COMPONENT_MASK 48u

/* The offset of the OUI in a MAD of a vendor class that has one (IBA 16.5.1). */
#define VENDOR_OUI 37u

/* The bit of the attribute modifier that a response to a baseboard Send has (IBA 16.2). */
#define BASEBOARD_RESPONSE 1u

/* Masks an SMP's direction out of a MAD's status. In other classes the bit is reserved. */
#define MAD_STATUS_MASK 0x7fffu

#endif
