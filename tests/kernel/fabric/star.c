/* SPDX-License-Identifier: BSD-2-Clause */
#include "star.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/mad.h>

#define SWITCH_LID    0x100 /* and its ports' hosts from 0x101 */
#define GID_PREFIX    0xfe80000000000000ull
#define PORT_DOWN     1
#define PORT_ACTIVE   4
#define PHYS_POLLING  2
#define PHYS_LINK_UP  5
#define WIDTH_4X      2
#define SPEED_QDR     4
#define DIRECTION_BIT 0x8000
#define NOT_SUPPORTED 0x000c
#define VENDOR	      0x1405
#define TYPE_HCA      1
#define TYPE_SWITCH   2
#define HOST_PORT     1
#define SWITCH_PORTS  (VHCA_MAX_PORTS + STAR_MAX_HOSTS)

/*
 * The kind of a node. A place is a node and one port of it: the port that an SMP came in by, or the
 * one that has the LID.
 */
enum kind { HCA, SWITCH, HOST };
struct place {
	enum kind kind;
	uint8_t host; /* the switch's port that it is behind */
	uint8_t port;
};

static uint8_t switch_ports(const struct star *star)
{
	return star->ports + star->hosts;
}

static bool is_host_port(const struct star *star, unsigned int port)
{
	return port > star->ports && port <= switch_ports(star);
}

uint8_t star_hca_ports(const struct star *star)
{
	return star->planes ? star->planes : star->ports;
}

uint16_t star_lid(const struct star *star, uint8_t port)
{
	return star->planes ? 1 : port;
}

uint8_t star_port_of(const struct star *star, uint16_t lid)
{
	return lid >= 1 && lid <= star->ports ? (uint8_t)lid : 0;
}

bool star_has(const struct star *star, uint16_t lid)
{
	return lid == SWITCH_LID || (lid > SWITCH_LID && is_host_port(star, lid - SWITCH_LID));
}

static uint64_t guid_of(const struct star *star, const struct place *place)
{
	if (place->kind == HCA)
		return star->guid;
	return star->guid + (place->kind == SWITCH ? 0x100u : 0x100u + 0x10u * place->host);
}

static uint64_t port_guid_of(const struct star *star, const struct place *place)
{
	if (place->kind == HCA && star->planes)
		return guid_of(star, place) + 1;
	return guid_of(star, place) + (place->kind == SWITCH ? 0 : place->port);
}

static uint16_t lid_of(const struct star *star, const struct place *place)
{
	if (place->kind == HCA)
		return star_lid(star, place->port);
	return place->kind == SWITCH ? SWITCH_LID : SWITCH_LID + place->host;
}

/* Tells whether a port has a cable. Of planes, only the first has one. */
static bool has_cable(const struct star *star, const struct place *place)
{
	return place->kind != HCA || place->port <= star->ports;
}

struct vhca_port_record star_port(const struct star *star, uint8_t port)
{
	const struct place place = { .kind = HCA, .port = port };

	return (struct vhca_port_record){
		.head = { .length = sizeof(struct vhca_port_record),
			  .type = VHCA_PORT,
			  .port = port },
		.gid_prefix = htobe64(GID_PREFIX),
		.guid = htobe64(port_guid_of(star, &place)),
		.lid = star_lid(star, port),
		.sm_lid = star_lid(star, 1),
		.speed = SPEED_QDR,
		.width = WIDTH_4X,
		.state = has_cable(star, &place) ? PORT_ACTIVE : PORT_DOWN,
		.phys_state = has_cable(star, &place) ? PHYS_LINK_UP : PHYS_POLLING,
		.pkeys = { 0xffff },
	};
}

static uint8_t ports_of(const struct star *star, enum kind kind)
{
	if (kind == HCA)
		return star_hca_ports(star);
	return kind == SWITCH ? switch_ports(star) : 1;
}

static void put_node_info(const struct star *star, const struct place *place, uint8_t *data)
{
	mad_set_field(data, 0, IB_NODE_BASE_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_CLASS_VERS_F, 1);
	mad_set_field(data, 0, IB_NODE_TYPE_F, place->kind == SWITCH ? TYPE_SWITCH : TYPE_HCA);
	mad_set_field(data, 0, IB_NODE_NPORTS_F, ports_of(star, place->kind));
	mad_set_field64(data, 0, IB_NODE_SYSTEM_GUID_F, guid_of(star, place));
	mad_set_field64(data, 0, IB_NODE_GUID_F, guid_of(star, place));
	mad_set_field64(data, 0, IB_NODE_PORT_GUID_F, port_guid_of(star, place));
	mad_set_field(data, 0, IB_NODE_PARTITION_CAP_F, VHCA_PKEYS);
	mad_set_field(data, 0, IB_NODE_LOCAL_PORT_F, place->port);
	mad_set_field(data, 0, IB_NODE_VENDORID_F, VENDOR);
}

static void put_node_desc(const struct star *star, const struct place *place, uint8_t *data)
{
	char text[VHCA_NODE_DESC_BYTES] = { 0 };

	if (place->kind == HCA)
		memcpy(text, star->node_desc, sizeof(text));
	else if (place->kind == SWITCH)
		snprintf(text, sizeof(text), "switch");
	else
		snprintf(text, sizeof(text), "host%u", place->host);
	memcpy(data, text, sizeof(text));
}

static void put_switch_info(uint8_t *data)
{
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_CAP_F, 0xbfff);
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, SWITCH_LID + SWITCH_PORTS);
	mad_set_field(data, 0, IB_SW_PARTITION_ENFORCE_CAP_F, VHCA_PKEYS);
}

/*
 * Finds the port that a PortInfo is of; 0 stands for the port that the SMP came in by, but for
 * switches.
 */
static bool asked_port(const struct star *star, const struct place *place, uint32_t modifier,
		       uint8_t *port)
{
	if (modifier > ports_of(star, place->kind))
		return false;
	*port = (uint8_t)modifier;
	if (!modifier && place->kind != SWITCH)
		*port = place->port;
	return true;
}

static bool put_port_info(const struct star *star, const struct place *place, uint32_t modifier,
			  uint8_t *data)
{
	struct place asked = *place;

	if (!asked_port(star, place, modifier, &asked.port))
		return false;
	if (place->kind != SWITCH || !asked.port) {
		mad_set_field64(data, 0, IB_PORT_GID_PREFIX_F, GID_PREFIX);
		mad_set_field(data, 0, IB_PORT_LID_F, lid_of(star, &asked));
		mad_set_field(data, 0, IB_PORT_SMLID_F, star_lid(star, 1));
	}
	if (place->kind == HCA)
		mad_set_field(data, 0, IB_PORT_CAPMASK_F, star->capability_mask[asked.port - 1]);
	mad_set_field(data, 0, IB_PORT_LOCAL_PORT_F, place->port);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ENABLED_F, WIDTH_4X);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, WIDTH_4X);
	mad_set_field(data, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, WIDTH_4X);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, SPEED_QDR);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ENABLED_F, SPEED_QDR);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_ACTIVE_F, SPEED_QDR);
	mad_set_field(data, 0, IB_PORT_STATE_F, has_cable(star, &asked) ? PORT_ACTIVE : PORT_DOWN);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F,
		      has_cable(star, &asked) ? PHYS_LINK_UP : PHYS_POLLING);
	return true;
}

static bool put_attribute(const struct star *star, const struct place *place, struct umad_smp *smp)
{
	memset(smp->data, 0, sizeof(smp->data));
	switch (be16toh(smp->attr_id)) {
	case IB_ATTR_NODE_INFO:
		put_node_info(star, place, smp->data);
		return true;
	case IB_ATTR_NODE_DESC:
		put_node_desc(star, place, smp->data);
		return true;
	case IB_ATTR_SWITCH_INFO:
		put_switch_info(smp->data);
		return place->kind == SWITCH;
	case IB_ATTR_PORT_INFO:
		return put_port_info(star, place, be32toh(smp->attr_mod), smp->data);
	default:
		return false;
	}
}

static void answer(const struct star *star, const struct place *place, struct umad_smp *smp)
{
	bool known = smp->method == UMAD_METHOD_GET && put_attribute(star, place, smp);

	smp->method = UMAD_METHOD_GET_RESP;
	smp->status = htobe16(known ? 0 : NOT_SUPPORTED);
}

/* Goes one hop on, by a port. Returns false if it has no cable. */
static bool step(const struct star *star, struct place *place, uint8_t out)
{
	if (place->kind == HCA && out >= 1 && out <= star->ports)
		*place = (struct place){ .kind = SWITCH, .port = out };
	else if (place->kind == HOST && out == HOST_PORT)
		*place = (struct place){ .kind = SWITCH, .port = place->host };
	else if (place->kind == SWITCH && out >= 1 && out <= star->ports)
		*place = (struct place){ .kind = HCA, .port = out };
	else if (place->kind == SWITCH && is_host_port(star, out))
		*place = (struct place){ .kind = HOST, .host = out, .port = HOST_PORT };
	else
		return false;
	return true;
}

bool star_directed(const struct star *star, uint8_t port, struct umad_smp *smp)
{
	struct place place = { .kind = HCA, .port = port };

	if (smp->hop_cnt >= UMAD_SMP_MAX_HOPS)
		return false;
	for (unsigned int hop = 1; hop <= smp->hop_cnt; hop++) {
		if (!step(star, &place, smp->initial_path[hop]))
			return false;
		smp->return_path[hop] = place.port;
	}
	answer(star, &place, smp);
	/* The answer is on its way back, and nearly there. */
	smp->status |= htobe16(DIRECTION_BIT);
	smp->hop_ptr = smp->hop_cnt ? 1 : 0;
	return true;
}

void star_routed(const struct star *star, uint16_t lid, struct umad_smp *smp)
{
	struct place place = { .kind = SWITCH };

	if (star_port_of(star, lid))
		place = (struct place){ .kind = HCA, .port = star_port_of(star, lid) };
	else if (lid != SWITCH_LID)
		place = (struct place){ .kind = HOST,
					.host = (uint8_t)(lid - SWITCH_LID),
					.port = HOST_PORT };
	answer(star, &place, smp);
}
