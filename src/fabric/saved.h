/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of nodes, ports and cables in what madring-sweep --json wrote, whatever their order
 * in an object. Nothing in them is checked; see load.c.
 */
#ifndef FABRIC_SAVED_H
#define FABRIC_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/structs.h>

#include "node_attributes.h"
#include "json/json_read.h"
#include "directed_route.h"

/* A number that the file does not have. */
#define SAVED_NONE UINT64_MAX

/* The most ports of a node: those with the numbers 0 to 254. */
#define SAVED_MOST_PORTS 255u

/* A port as the other end of a cable, or as the local one. */
struct saved_end {
	uint64_t guid, port; /* the node's GUID, or 0 */
};

struct saved_port {
	uint64_t number, lid, state, physical_state;
	uint64_t lmc, vl_cap; /* 0: the file has none */
	uint64_t guid;
	bool known;
	char width[8], speed[8];
	bool has_peer; /* the member is there, but may be null */
	bool is_joined;
	struct saved_end peer;
};

struct saved_node {
	uint64_t guid, port_guid, system_guid; /* 0: none */
	uint64_t port_count, vendor_id, device_id, revision;
	char type[8];
	char description[DESCRIPTION_BYTES + 1];
	bool enhanced_port0;
	bool has_switch_info;
	bool is_switch_info_wrong; /* a number in it is too large */
	struct madring_switch_info switch_info;
	bool has_path; /* a valid one */
	struct route route;
	bool has_ports;
	bool has_too_many_ports;  /* those beyond SAVED_MOST_PORTS are skipped */
	struct saved_port *ports; /* the caller frees them at the end */
	size_t saved_count, room;
};

/* Reads a node, in which the memory of the last node's ports is used again. */
void saved_read_node(struct json_reader *reader, struct saved_node *node);

/* Reads a port of a node. Returns false if the value is null. */
bool saved_read_end(struct json_reader *reader, struct saved_end *end);

#endif
