/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What moves the counters of ports: traffic, errors, and flows through the forwarding tables. No
 * packet is played for it. A counter has a rate, and what it shows is worked out when it is
 * read, to the event: however often, and whenever, it was read before, it shows the same.
 *
 * Everything here happens at the fabric's time. What carries a rate goes on until it is changed,
 * whatever becomes of the link; and MADs themselves are not counted. What is counted belongs to
 * one port: an error does not show at the other end of the link, nor in the counters that detail
 * it, unless it is set there too.
 *
 * An int that is returned is 0, -EINVAL (no such port, counter or number) or -ENOMEM; then
 * nothing has changed. A port whose counters have moved, or were set to other than 0, takes 32
 * bytes and 64 for each of these counters, of which there is room for 6 at a time.
 */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

struct fabric;

#define FABRIC_VLS   16 /* and SLs */
#define FABRIC_LANES 12

/*
 * The counters of the attributes that our PMAs have, in their order there. Those of data count
 * units of 4 bytes; those of waiting, ticks of FABRIC_TICK. Of VLs, SLs and lanes there is one
 * for each, of which the first is named here.
 */
enum fabric_counter {
	/* PortCounters and PortCountersExtended */
	FABRIC_SYMBOL_ERRORS,
	FABRIC_LINK_RECOVERIES,
	FABRIC_LINK_DOWNED,
	FABRIC_RCV_ERRORS,
	FABRIC_RCV_REMOTE_PHYSICAL_ERRORS,
	FABRIC_RCV_SWITCH_RELAY_ERRORS,
	FABRIC_XMIT_DISCARDS,
	FABRIC_XMIT_CONSTRAINT_ERRORS,
	FABRIC_RCV_CONSTRAINT_ERRORS,
	FABRIC_LOCAL_LINK_INTEGRITY_ERRORS,
	FABRIC_EXCESSIVE_BUFFER_OVERRUNS,
	FABRIC_VL15_DROPPED,
	FABRIC_XMIT_DATA,
	FABRIC_RCV_DATA,
	FABRIC_XMIT_PKTS,
	FABRIC_RCV_PKTS,
	FABRIC_XMIT_WAIT,
	/* PortCountersExtended alone */
	FABRIC_UNICAST_XMIT_PKTS,
	FABRIC_UNICAST_RCV_PKTS,
	FABRIC_MULTICAST_XMIT_PKTS,
	FABRIC_MULTICAST_RCV_PKTS,
	/* PortRcvErrorDetails */
	FABRIC_LOCAL_PHYSICAL_ERRORS,
	FABRIC_MALFORMED_PKT_ERRORS,
	FABRIC_BUFFER_OVERRUN_ERRORS,
	FABRIC_DLID_MAPPING_ERRORS,
	FABRIC_VL_MAPPING_ERRORS,
	FABRIC_LOOPING_ERRORS,
	/* PortXmitDiscardDetails */
	FABRIC_INACTIVE_DISCARDS,
	FABRIC_NEIGHBOR_MTU_DISCARDS,
	FABRIC_SW_LIFETIME_LIMIT_DISCARDS,
	FABRIC_SW_HOQ_LIFETIME_LIMIT_DISCARDS,
	/* PortOpRcvCounters; no packet here has an opcode, so they count whatever is asked for */
	FABRIC_OP_RCV_PKTS,
	FABRIC_OP_RCV_DATA,
	/* PortFlowCtlCounters */
	FABRIC_XMIT_FLOW_PKTS,
	FABRIC_RCV_FLOW_PKTS,
	/* One for each VL, or each SL, has an attribute for itself. */
	FABRIC_VL_OP_PACKETS,
	FABRIC_VL_OP_DATA = FABRIC_VL_OP_PACKETS + FABRIC_VLS,
	FABRIC_VL_XMIT_FLOW_CTL_UPDATE_ERRORS = FABRIC_VL_OP_DATA + FABRIC_VLS,
	FABRIC_VL_XMIT_WAIT = FABRIC_VL_XMIT_FLOW_CTL_UPDATE_ERRORS + FABRIC_VLS,
	FABRIC_SW_VL_CONGESTION = FABRIC_VL_XMIT_WAIT + FABRIC_VLS,
	FABRIC_XMIT_DATA_SL = FABRIC_SW_VL_CONGESTION + FABRIC_VLS,
	FABRIC_RCV_DATA_SL = FABRIC_XMIT_DATA_SL + FABRIC_VLS,
	/* PortExtendedSpeedsCounters */
	FABRIC_SYNC_HEADER_ERRORS = FABRIC_RCV_DATA_SL + FABRIC_VLS,
	FABRIC_UNKNOWN_BLOCKS,
	FABRIC_ERROR_DETECTION_LANE,
	FABRIC_FEC_CORRECTABLE_LANE = FABRIC_ERROR_DETECTION_LANE + FABRIC_LANES,
	FABRIC_FEC_UNCORRECTABLE_LANE = FABRIC_FEC_CORRECTABLE_LANE + FABRIC_LANES,

	FABRIC_COUNTERS = FABRIC_FEC_UNCORRECTABLE_LANE + FABRIC_LANES
};

#define FABRIC_TICK 1000 /* ns */

/* As perfquery prints it: "PortXmitData", "SymbolErrorCounter", "XmtDataSL3". */
const char *fabric_counter_name(enum fabric_counter counter);

/* False: there is none of that name. Case does not matter. */
bool fabric_counter_of(const char *name, enum fabric_counter *counter);

/* The most that a counter can be moved by a second; for bytes, four times that. */
#define FABRIC_MAX_RATE (UINT64_C(1) << 38)

/* What one port sends and receives, each second. */
struct fabric_traffic {
	uint64_t xmit_bytes, rcv_bytes;
	uint64_t xmit_packets, rcv_packets;
	uint64_t xmit_multicasts, rcv_multicasts; /* so many of the packets */
	uint64_t xmit_wait;			  /* ticks */
	/* Parts of the data and of the waiting, by VL and by the SL of the same number. All of them
	   0: it is all on VL 0. */
	uint8_t share[FABRIC_VLS];
};

/* In place of the port's traffic so far, and of rates that its counters had. */
int fabric_set_traffic(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		       const struct fabric_traffic *traffic);

/*
 * Has a counter move so often a second. When, is drawn from the fabric's seed: once in each
 * period of 1/per_second, at any time in it. The smallest rate other than 0 is 2^-24; a counter
 * that traffic moves is moved evenly.
 */
int fabric_set_error_rate(struct fabric *fabric, const struct topology_node *node,
			  unsigned int port, enum fabric_counter counter, double per_second);

/* Adds to a counter at once. */
int fabric_count(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		 enum fabric_counter counter, uint64_t amount);

/* Has a counter show a value now, in all its attributes, as far as it is wide enough there. */
int fabric_set_counter(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		       enum fabric_counter counter, uint64_t value);

/* What a counter shows now in PortCountersExtended or, when it is not there, in its attribute. */
int fabric_get_counter(const struct fabric *fabric, const struct topology_node *node,
		       unsigned int port, enum fabric_counter counter, uint64_t *value);

/*
 * Unicast data from a port to a LID, the way that the forwarding tables lead now. Its rates are
 * laid on the ports of the way, xmit and rcv: so a read costs the same with any number of flows,
 * and a flow stays on its way when tables or links change, until fabric_lay_flows().
 */
struct fabric_flow {
	const struct topology_node *node;
	unsigned int port; /* of a switch, 0 */
	uint16_t lid;
	uint8_t sl;
	uint64_t bytes_per_second;
	uint32_t packet_bytes;
};

#define FABRIC_FLOWS 1048576

/* Also -EHOSTUNREACH: no active way leads there; -ENOSPC: there are as many as there can be. */
int fabric_add_flow(struct fabric *fabric, const struct fabric_flow *flow);

/*
 * Lays all flows anew along the tables and links of now. Returns how many lead nowhere: they
 * stop at the sender until they are laid again. -ENOMEM, -EINVAL (too much on one port): no flow
 * is laid any more.
 */
int fabric_lay_flows(struct fabric *fabric);

void fabric_clear_flows(struct fabric *fabric);

#endif
