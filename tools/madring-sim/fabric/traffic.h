/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traffic, errors, and flows through the forwarding tables move the counters of ports. No packet is
 * played for them. A counter has a rate, and its value is computed when it is read, exact to the
 * event: earlier reads do not change it.
 *
 * Everything here happens at the fabric's time. A rate stays until it is changed, whatever becomes
 * of the link. MADs are not counted. An event counts at one port: an error does not show at the
 * other end of the link, nor in the counters that detail it, unless it is set there too.
 *
 * Functions that return an int return 0, -EINVAL (no such port, counter or number) or -ENOMEM;
 * after an error nothing has changed. A port whose counters have moved, or were set to other than
 * 0, takes 32 bytes and 64 for each of these counters, of which there is room for 6 at a time.
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
 * The counters of the PMAs' attributes, in their order there. Counters of data count units of 4
 * bytes; those of waiting, ticks of FABRIC_TICK. VLs, SLs and lanes have one counter each, of which
 * the first is named here.
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
	/* The counters by VL or by SL, each of which has an attribute for itself. */
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

/* fabric_counter_name returns the name that perfquery prints: "PortXmitData", "XmtDataSL3". */
const char *fabric_counter_name(enum fabric_counter counter);

/* fabric_counter_of finds a counter by its name, in any case. False: there is none. */
bool fabric_counter_of(const char *name, enum fabric_counter *counter);

/* The highest rate of a counter, per second; that of a counter of bytes is four times as high. */
#define FABRIC_MAX_RATE (UINT64_C(1) << 38)

/* The traffic of a port: what it sends and receives per second. */
struct fabric_traffic {
	uint64_t xmit_bytes, rcv_bytes;
	uint64_t xmit_packets, rcv_packets;
	uint64_t xmit_multicasts, rcv_multicasts; /* so many of the packets */
	uint64_t xmit_wait;			  /* ticks */
	/*
	 * Shares of the data and of the waiting, by VL and the SL of the same number. If all are 0,
	 * all is on VL 0.
	 */
	uint8_t share[FABRIC_VLS];
};

/* fabric_set_traffic replaces a port's traffic, and the rates that its counters had. */
int fabric_set_traffic(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		       const struct fabric_traffic *traffic);

/*
 * fabric_set_error_rate has a counter move so often a second: once in each period of 1/per_second,
 * at a time drawn from the fabric's seed. The smallest rate other than 0 is 2^-24. A counter that
 * traffic moves is moved evenly.
 */
int fabric_set_error_rate(struct fabric *fabric, const struct topology_node *node,
			  unsigned int port, enum fabric_counter counter, double per_second);

/* fabric_count adds to a counter at once. */
int fabric_count(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		 enum fabric_counter counter, uint64_t amount);

/* fabric_set_counter sets what a counter shows now in all its attributes, as far as it fits. */
int fabric_set_counter(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		       enum fabric_counter counter, uint64_t value);

/*
 * fabric_get_counter returns what a counter shows now in PortCountersExtended or, if it is not
 * there, in its attribute.
 */
int fabric_get_counter(const struct fabric *fabric, const struct topology_node *node,
		       unsigned int port, enum fabric_counter counter, uint64_t *value);

/*
 * A flow of unicast data from a port to a LID, along the forwarding tables of now. Its rates are
 * added to the ports on the way, xmit and rcv. So a read costs the same with any number of flows,
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

/* fabric_add_flow may also return -EHOSTUNREACH: no active route; or -ENOSPC: FABRIC_FLOWS. */
int fabric_add_flow(struct fabric *fabric, const struct fabric_flow *flow);

/*
 * fabric_lay_flows lays all flows anew along the tables and links of now. Returns how many have no
 * route: they stop at the sender until they are laid again. After -ENOMEM, or -EINVAL (too much on
 * one port), no flow is laid any more.
 */
int fabric_lay_flows(struct fabric *fabric);

void fabric_clear_flows(struct fabric *fabric);

#endif
