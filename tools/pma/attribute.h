/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of performance management that are collected (IBA 16.1.3 and 16.1.4). */
#ifndef PMA_ATTRIBUTE_H
#define PMA_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/mad.h>

enum pma_attribute {
	PMA_COUNTERS, /* PortCounters: small counters, which stick when they are full */
	PMA_EXTENDED, /* PortCountersExtended: of 64 bits */
	PMA_RCV_ERROR_DETAILS,
	PMA_XMIT_DISCARD_DETAILS,
	PMA_OP_RCV_COUNTERS,
	PMA_FLOW_CTL_COUNTERS,
	PMA_VL_OP_PACKETS,
	PMA_VL_OP_DATA,
	PMA_VL_XMIT_FLOW_CTL_ERRORS,
	PMA_VL_XMIT_WAIT,
	PMA_SW_PORT_VL_CONGESTION,
	PMA_RCV_CON_CTRL,
	PMA_SL_RCV_FECN,
	PMA_SL_RCV_BECN,
	PMA_XMIT_CON_CTRL,
	PMA_VL_XMIT_TIME_CONG,
	PMA_XMIT_DATA_SL,
	PMA_RCV_DATA_SL,
	PMA_EXTENDED_SPEEDS,
	PMA_ATTRIBUTES,
};

/* PMA_SET makes a set of attributes: bit n is attribute n. */
#define PMA_SET(attribute) (1u << (attribute))
#define PMA_SET_BASE	   (PMA_SET(PMA_COUNTERS) | PMA_SET(PMA_EXTENDED))
#define PMA_SET_DETAILS	   (PMA_SET(PMA_RCV_ERROR_DETAILS) | PMA_SET(PMA_XMIT_DISCARD_DETAILS))
#define PMA_SET_ALL	   (PMA_SET(PMA_ATTRIBUTES) - 1)
/* The attributes that count by virtual lane or service level. */
#define PMA_SET_LANES                                                                              \
	(PMA_SET(PMA_VL_OP_PACKETS) | PMA_SET(PMA_VL_OP_DATA) |                                    \
	 PMA_SET(PMA_VL_XMIT_FLOW_CTL_ERRORS) | PMA_SET(PMA_VL_XMIT_WAIT) |                        \
	 PMA_SET(PMA_SW_PORT_VL_CONGESTION) | PMA_SET(PMA_SL_RCV_FECN) |                           \
	 PMA_SET(PMA_SL_RCV_BECN) | PMA_SET(PMA_VL_XMIT_TIME_CONG) | PMA_SET(PMA_XMIT_DATA_SL) |   \
	 PMA_SET(PMA_RCV_DATA_SL))

/* The size of an attribute in a MAD. */
#define PMA_DATA_BYTES 192u

/* The PortSelect of the sum over all ports of a node. */
#define PMA_ALL_PORTS 255u

/* The ID of ClassPortInfo, which has no PortSelect. */
#define PMA_CLASS_PORT_INFO 0x0001

/* ClassPortInfo.CapabilityMask, and CapabilityMask2 (IBA 16.1.3.1). */
#define PMA_CAP_ALL_PORT_SELECT	     (1u << 8)
#define PMA_CAP_EXTENDED	     (1u << 9)	/* with unicast and multicast counters */
#define PMA_CAP_EXTENDED_NOIETF	     (1u << 10) /* without */
#define PMA_CAP_XMIT_WAIT	     (1u << 12)
#define PMA_CAP_QP1_DROPPED	     (1u << 15)
#define PMA_CAP2_ADDITIONAL_EXTENDED (1u << 1) /* PortCountersExtended counts errors, too */

/* ClassPortInfo's capability masks (PMA_CAP_), in host order. */
struct capabilities {
	uint16_t mask;
	uint32_t mask2;
};

/* Reads the masks of a ClassPortInfo. */
void capabilities_read(struct capabilities *capabilities, const uint8_t data[PMA_DATA_BYTES]);

struct pma_attribute_info {
	uint16_t id;
	const char *name; /* as perfquery(8) has it */
	/*
	 * Its counters, first to before last; of PortCounters and PortCountersExtended there are
	 * others besides, see counter.h.
	 */
	enum MAD_FIELDS first, last;
	/* Writes all fields as lines of text, but for those at the end of PortCountersExtended. */
	ib_mad_dump_fn *dump;
};

const struct pma_attribute_info *pma_attribute_info(enum pma_attribute attribute);

/* Returns a field of an attribute. */
uint64_t pma_field(enum MAD_FIELDS field, const uint8_t data[PMA_DATA_BYTES]);

/* Sets a field of an attribute to @value, which fits. */
void pma_set_field(enum MAD_FIELDS field, uint8_t data[PMA_DATA_BYTES], uint64_t value);

/* Returns the largest value of a field, by the number of its bits. */
uint64_t pma_field_limit(enum MAD_FIELDS field);

/*
 * `pma_port_select` returns the port that an attribute is about, a port of the node or
 * PMA_ALL_PORTS; `pma_set_port_select` sets it.
 */
uint8_t pma_port_select(const uint8_t data[PMA_DATA_BYTES]);
void pma_set_port_select(uint8_t data[PMA_DATA_BYTES], uint8_t port);

#endif
