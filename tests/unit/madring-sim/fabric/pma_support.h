/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The helpers that the tests of the performance agents share: they ask an agent directly, without a
 * packet's way.
 */
#ifndef TESTS_FABRIC_PMA_SUPPORT_H
#define TESTS_FABRIC_PMA_SUPPORT_H

#include "fabric/node_agent.h"
#include "support.h"
#include "fabric/traffic.h"

#define PMA_DATA       64
#define PMA_DATA_BYTES 192
#define ALL_PORTS      255

#define CLASS_PORT_INFO_ID	0x01
#define SAMPLES_CONTROL		0x10
#define SAMPLES_RESULT		0x11
#define PORT_COUNTERS		0x12
#define RCV_ERROR_DETAILS	0x15
#define XMIT_DISCARD_DETAILS	0x16
#define OP_RCV_COUNTERS		0x17
#define FLOW_CTL_COUNTERS	0x18
#define VL_OP_PACKETS		0x19
#define VL_OP_DATA		0x1a
#define VL_XMIT_FLOW_CTL_ERRORS 0x1b
#define VL_XMIT_WAIT		0x1c
#define PORT_COUNTERS_EXTENDED	0x1d
#define EXTENDED_SPEEDS		0x1f
#define SW_VL_CONGESTION	0x30
#define XMIT_DATA_SL		0x36
#define RCV_DATA_SL		0x37

/* The place of a counter on the wire: @bits bits from bit @bit of the data. */
struct wire {
	uint16_t attribute;
	enum fabric_counter counter;
	unsigned int bit, bits, select;
};

/* The places of all counters, written independently of the fabric's tables. */
extern struct wire wires[];
extern size_t wire_count;
void wires_fill(void);

uint64_t get_bits(const uint8_t *data, unsigned int bit, unsigned int bits);
void put_bits(uint8_t *data, unsigned int bit, unsigned int bits, uint64_t value);

/* Returns the largest value of a counter of @bits bits. */
uint64_t limit_of(unsigned int bits);

/* Selects counters in a Set of the attribute, each by its bit. */
void select_counters(uint8_t *data, uint16_t attribute, uint64_t select);

/* Returns a MAD of the class, for a port. */
struct fabric_packet pma_packet(uint8_t method, uint16_t attribute, unsigned int port);

/* Has the agent of a node's port answer it in its place. */
enum agent_result pma_ask(struct fabric *fabric, const char *node, unsigned int port,
			  struct fabric_packet *packet);

/* Asks the agent of a node's port; there must be an answer, with this status. Returns its data. */
uint8_t *pma_ask_status(struct fabric *fabric, const char *node, unsigned int port,
			struct fabric_packet *packet, uint16_t status);

/* Gets an attribute of a switch's port, or of an HCA's, into *@packet. */
uint8_t *pma_get(struct fabric *fabric, const char *node, uint16_t attribute, unsigned int port,
		 struct fabric_packet *packet);

/* Returns the value that a counter shows at a node's port. */
uint64_t pma_value(struct fabric *fabric, const char *node, const struct wire *wire,
		   unsigned int port);

const struct topology_node *pma_node(const struct fabric *fabric, const char *name);

/* Draws a number of the test's own, so that a test draws the same whatever the fabric does. */
uint64_t draw(uint64_t *state);

#endif
