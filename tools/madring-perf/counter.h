/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters that PortCounters and PortCountersExtended have between them: one value for
 * each, from the wider of the two that the node has.
 */
#ifndef PERF_COUNTER_H
#define PERF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"

/*
 * Everything that tells one counter from another, in the order of ibqueryerrors(8): errors, then
 * data. A new counter is a line here, and one in madring-perf-metrics(7).
 *
 * COUNTER(enumerator, kind (see counter.c), libibmad's name, bits that clear it in PortCounters and
 *         in PortCountersExtended (see counter_select()), Prometheus' name, its unit, its help)
 */
/* clang-format off */
#define COUNTER_LIST(COUNTER)									\
	COUNTER(SYMBOL_ERRORS, ERROR, ERR_SYM, BIT(0), BIT(16),					\
		"symbol_error", NULL, "SymbolErrorCounter")					\
	COUNTER(LINK_ERROR_RECOVERIES, ERROR, LINK_RECOVERS, BIT(1), BIT(17),			\
		"link_error_recovery", NULL, "LinkErrorRecoveryCounter")			\
	COUNTER(LINK_DOWNED, ERROR, LINK_DOWNED, BIT(2), BIT(18),				\
		"link_downed", NULL, "LinkDownedCounter")					\
	COUNTER(RCV_ERRORS, ERROR, ERR_RCV, BIT(3), BIT(19),					\
		"receive_errors", NULL, "PortRcvErrors")					\
	COUNTER(RCV_REMOTE_PHYSICAL_ERRORS, ERROR, ERR_PHYSRCV, BIT(4), BIT(20),		\
		"receive_remote_physical_errors", NULL, "PortRcvRemotePhysicalErrors")		\
	COUNTER(RCV_SWITCH_RELAY_ERRORS, ERROR, ERR_SWITCH_REL, BIT(5), BIT(21),		\
		"receive_switch_relay_errors", NULL, "PortRcvSwitchRelayErrors")		\
	COUNTER(XMIT_DISCARDS, ERROR, XMT_DISCARDS, BIT(6), BIT(22),				\
		"transmit_discards", NULL, "PortXmitDiscards")					\
	COUNTER(XMIT_CONSTRAINT_ERRORS, ERROR, ERR_XMTCONSTR, BIT(7), BIT(23),			\
		"transmit_constraint_errors", NULL, "PortXmitConstraintErrors")			\
	COUNTER(RCV_CONSTRAINT_ERRORS, ERROR, ERR_RCVCONSTR, BIT(8), BIT(24),			\
		"receive_constraint_errors", NULL, "PortRcvConstraintErrors")			\
	COUNTER(LOCAL_LINK_INTEGRITY_ERRORS, ERROR, ERR_LOCALINTEG, BIT(9), BIT(25),		\
		"local_link_integrity_errors", NULL, "LocalLinkIntegrityErrors")		\
	COUNTER(EXCESSIVE_BUFFER_OVERRUN_ERRORS, ERROR, ERR_EXCESS_OVR, BIT(10), BIT(26),	\
		"excessive_buffer_overrun_errors", NULL, "ExcessiveBufferOverrunErrors")	\
	COUNTER(VL15_DROPPED, ERROR, VL15_DROPPED, BIT(11), BIT(27),				\
		"vl15_dropped", NULL, "VL15Dropped")						\
	COUNTER(QP1_DROPPED, QP1, QP1_DROP, NO_BIT, NO_BIT,					\
		"qp1_dropped", NULL, "QP1Dropped")						\
	COUNTER(XMIT_WAIT, WAIT, XMT_WAIT, BIT(16), BIT(28),					\
		"transmit_wait", NULL, "PortXmitWait")						\
	COUNTER(XMIT_DATA, WORDS, XMT_BYTES, BIT(12), BIT(0),					\
		"transmit_data_bytes", "bytes", "PortXmitData in bytes")			\
	COUNTER(RCV_DATA, WORDS, RCV_BYTES, BIT(13), BIT(1),					\
		"receive_data_bytes", "bytes", "PortRcvData in bytes")				\
	COUNTER(XMIT_PKTS, PACKETS, XMT_PKTS, BIT(14), BIT(2),					\
		"transmit_packets", NULL, "PortXmitPkts")					\
	COUNTER(RCV_PKTS, PACKETS, RCV_PKTS, BIT(15), BIT(3),					\
		"receive_packets", NULL, "PortRcvPkts")						\
	COUNTER(UNICAST_XMIT_PKTS, CASTS, XMT_UPKTS, NO_BIT, BIT(4),				\
		"unicast_transmit_packets", NULL, "PortUnicastXmitPkts")			\
	COUNTER(UNICAST_RCV_PKTS, CASTS, RCV_UPKTS, NO_BIT, BIT(5),				\
		"unicast_receive_packets", NULL, "PortUnicastRcvPkts")				\
	COUNTER(MULTICAST_XMIT_PKTS, CASTS, XMT_MPKTS, NO_BIT, BIT(6),				\
		"multicast_transmit_packets", NULL, "PortMulticastXmitPkts")			\
	COUNTER(MULTICAST_RCV_PKTS, CASTS, RCV_MPKTS, NO_BIT, BIT(7),				\
		"multicast_receive_packets", NULL, "PortMulticastRcvPkts")
/* clang-format on */

#define COUNTER_ENUMERATOR(name, ...) COUNTER_##name,
enum counter {
	COUNTER_LIST(COUNTER_ENUMERATOR) COUNTERS,
};

struct counter_value {
	uint64_t value;
	enum pma_attribute attribute; /* it is from: PMA_COUNTERS or PMA_EXTENDED */
	/*
	 * Tells that the value is as large as it can get, and so may have been larger. Extended
	 * counters count on from 0 instead, and are never saturated.
	 */
	bool saturated;
	uint64_t time_ns; /* monotonic, of the reply */
};

/* Returns the name that perfquery(8) has for a counter, such as "SymbolErrorCounter". */
const char *counter_name(enum counter counter);

/* Returns whether a counter counts errors, rather than data, packets or waiting. */
bool counter_is_error(enum counter counter);

/* Returns whether a counter counts words of 4 bytes. */
bool counter_is_words(enum counter counter);

/*
 * Returns whether an attribute of a node with these capabilities has the counter, and in which
 * field.
 */
bool counter_is_in(enum counter counter, enum pma_attribute attribute,
		   const struct capabilities *capabilities, enum MAD_FIELDS *field);

/*
 * Returns the bit of CounterSelect, or from bit 16 on of CounterSelect2, by which a Set of
 * @attribute clears the counter; 0: it cannot be cleared at a node with these capabilities.
 */
uint32_t counter_select(enum counter counter, enum pma_attribute attribute,
			const struct capabilities *capabilities);

/*
 * Reads the value of a counter of a port. Returns false if the node does not have the counter, or
 * it was not read.
 */
bool counter_get(const struct port_counters *port, enum counter counter,
		 struct counter_value *value);

/* The change of a counter between two collections. */
enum counter_change {
	CHANGE_UNKNOWN,	  /* there is no value in one of them, or not of the same attribute */
	CHANGE_COUNTED,	  /* by .delta, in .seconds */
	CHANGE_SATURATED, /* it is full, and tells no more: .delta is the least it can be */
	CHANGE_RESET,	  /* it fell, so it was cleared in between: .delta is what came since */
};

struct counter_delta {
	uint64_t delta;
	double seconds, rate; /* .rate: each second; 0 when no time has passed */
};

enum counter_change counter_compare(const struct port_counters *before,
				    const struct port_counters *after, enum counter counter,
				    struct counter_delta *delta);

#endif
