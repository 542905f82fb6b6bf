/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include <infiniband/mad.h>

#include "fabric/capability.h"
#include "fabric/flight.h"
#include "fabric/notice.h"
#include "fabric/smp.h"

#define TIMEOUT_UNIT 4096 /* ns; SubnetTimeOut is the power of two of these */
#define MIN_TIMEOUT  8	  /* about 1 ms, so that traps are not all that is going on */

enum notice_kind { NOTICE_LINK, NOTICE_LOCAL, NOTICE_KEY, NOTICE_KINDS };

enum notice_type { TYPE_URGENT = 1, TYPE_SECURITY = 2, TYPE_INFORMATIONAL = 4 };

/* The details of trap 256, by their offsets in the notice. */
enum bad_mkey_offset {
	BAD_MKEY_LID = 12,
	BAD_MKEY_DR_SLID = 14,
	BAD_MKEY_METHOD = 16,
	BAD_MKEY_ATTRIBUTE = 18,
	BAD_MKEY_MODIFIER = 20,
	BAD_MKEY_KEY = 24,
	BAD_MKEY_HOPS = 33,
	BAD_MKEY_PATH = 34,
};

#define BAD_MKEY_MAX_HOPS 30
#define DIRECTED	  0x80 /* in the byte with the hops */
#define TRUNCATED	  0x40

static const struct {
	uint16_t trap;
	uint8_t type;
} kinds[NOTICE_KINDS] = {
	[NOTICE_LINK] = { 128, TYPE_URGENT },
	[NOTICE_LOCAL] = { 144, TYPE_INFORMATIONAL },
	[NOTICE_KEY] = { 256, TYPE_SECURITY },
};

struct notice {
	struct notices *of;
	bool repressed, again; /* the last one has been; one more is to follow */
	bool has_timer;
	uint64_t due; /* when it may be sent once more, or the next one */
	uint64_t tid;
	uint8_t data[ATTRIBUTE_BYTES], next[ATTRIBUTE_BYTES];
};

struct notices {
	struct place place;
	uint32_t sequence;
	struct notice notice[NOTICE_KINDS];
};

static uint32_t field(struct port *port, enum MAD_FIELDS which)
{
	return mad_get_field(port->port_info, 0, which);
}

static struct port *port_of(const struct notice *notice)
{
	return port_at(&notice->of->place);
}

static bool knows_manager(struct port *port)
{
	return port->lid && field(port, IB_PORT_SMLID_F);
}

static void send_trap(struct fabric *fabric, const struct notice *notice)
{
	struct port *port = port_of(notice);
	struct fabric_packet packet = {
		.slid = port->lid,
		.dlid = (uint16_t)field(port, IB_PORT_SMLID_F),
		.sl = (uint8_t)field(port, IB_PORT_SMSL_F),
	};
	uint8_t *mad = packet.mad;

	mad[SMP_BASE_VERSION] = 1;
	mad[SMP_CLASS] = IB_SMI_CLASS;
	mad[SMP_CLASS_VERSION] = 1;
	mad[SMP_METHOD] = IB_MAD_METHOD_TRAP;
	smp_set16(mad, SMP_ATTRIBUTE, NOTICE);
	memcpy(mad + SMP_TID, &notice->tid, sizeof(notice->tid));
	memcpy(mad + SMP_DATA, notice->data, ATTRIBUTE_BYTES);
	fabric->stats.traps++;
	flight_start(fabric, &notice->of->place, &packet);
}

static void ring(struct fabric *fabric, void *user);

/*
 * set_timer sets the timer of the next trap. Without memory for it, the trap is taken for
 * repressed.
 */
static void set_timer(struct fabric *fabric, struct notice *notice)
{
	notice->has_timer = !queue_call(&fabric->queue, notice->due, ring, notice);
	if (notice->has_timer)
		return;
	fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
	notice->repressed = true;
	notice->again = false;
}

static uint64_t interval(struct port *port)
{
	uint32_t timeout = field(port, IB_PORT_SUBN_TIMEOUT_F);

	return (uint64_t)TIMEOUT_UNIT << (timeout > MIN_TIMEOUT ? timeout : MIN_TIMEOUT);
}

static void tell(struct fabric *fabric, struct notice *notice)
{
	notice->due = fabric->now + interval(port_of(notice));
	set_timer(fabric, notice);
	if (node_answers(notice->of->place.node))
		send_trap(fabric, notice);
}

/*
 * tell_new sends the first trap of a notice. Its TID has the node's number, so that no two nodes
 * use the same.
 */
static void tell_new(struct fabric *fabric, struct notice *notice)
{
	uint64_t node = (uint64_t)(notice->of->place.node - fabric->nodes);

	notice->tid = htobe64(node << 32 | ++notice->of->sequence);
	notice->repressed = false;
	notice->again = false;
	memcpy(notice->data, notice->next, ATTRIBUTE_BYTES);
	tell(fabric, notice);
}

static void ring(struct fabric *fabric, void *user)
{
	struct notice *notice = user;

	notice->has_timer = false;
	if (!knows_manager(port_of(notice))) {
		notice->repressed = true;
		notice->again = false;
	} else if (!notice->repressed) {
		tell(fabric, notice);
	} else if (notice->again) {
		tell_new(fabric, notice);
	}
}

static struct notices *notices_of(struct node *node, unsigned int number)
{
	struct port *port = &node->port[number];

	if (port->notices)
		return port->notices;
	port->notices = calloc(1, sizeof(*port->notices));
	if (!port->notices)
		return NULL;
	port->notices->place = (struct place){ .node = node, .port = number };
	for (unsigned int kind = 0; kind < NOTICE_KINDS; kind++)
		port->notices->notice[kind] =
			(struct notice){ .of = port->notices, .repressed = true };
	return port->notices;
}

/* begin returns the notice to fill in. NULL: the port knows no SM, or no memory. */
static struct notice *begin(struct fabric *fabric, struct node *node, unsigned int number,
			    enum notice_kind kind)
{
	struct port *port = &node->port[number];
	struct notices *notices;
	uint8_t *data;

	if (!knows_manager(port))
		return NULL;
	notices = notices_of(node, number);
	if (!notices) {
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
		return NULL;
	}
	data = notices->notice[kind].next;
	memset(data, 0, ATTRIBUTE_BYTES);
	mad_set_field(data, 0, IB_NOTICE_IS_GENERIC_F, 1);
	mad_set_field(data, 0, IB_NOTICE_TYPE_F, kinds[kind].type);
	mad_set_field(data, 0, IB_NOTICE_PRODUCER_F, node->type);
	mad_set_field(data, 0, IB_NOTICE_TRAP_NUMBER_F, kinds[kind].trap);
	mad_set_field(data, 0, IB_NOTICE_ISSUER_LID_F, port->lid);
	return &notices->notice[kind];
}

static void finish(struct fabric *fabric, struct notice *notice)
{
	if (notice->has_timer)
		notice->again = true;
	else
		tell_new(fabric, notice);
}

void notice_link_changed(struct fabric *fabric, struct node *node)
{
	struct notice *notice;

	if (node->type != NODE_SWITCH)
		return;
	notice = begin(fabric, node, 0, NOTICE_LINK);
	if (!notice)
		return;
	mad_set_field(notice->next, 0, IB_NOTICE_DATA_LID_F, node->port->lid);
	finish(fabric, notice);
}

void notice_capability_changed(struct fabric *fabric, struct node *node, unsigned int number)
{
	struct port *port = &node->port[number];
	uint32_t mask = field(port, IB_PORT_CAPMASK_F);
	struct notice *notice;

	if (!(mask & CAP_CAPABILITY_TRAP))
		return;
	notice = begin(fabric, node, number, NOTICE_LOCAL);
	if (!notice)
		return;
	mad_set_field(notice->next, 0, IB_NOTICE_DATA_144_LID_F, port->lid);
	mad_set_field(notice->next, 0, IB_NOTICE_DATA_144_CAPMASK_F, mask);
	finish(fabric, notice);
}

static void note_path(uint8_t *data, const uint8_t *mad)
{
	uint8_t hops = mad[SMP_HOP_COUNT];

	data[BAD_MKEY_HOPS] = DIRECTED;
	if (hops > BAD_MKEY_MAX_HOPS) {
		data[BAD_MKEY_HOPS] |= TRUNCATED;
		hops = BAD_MKEY_MAX_HOPS;
	}
	data[BAD_MKEY_HOPS] |= hops;
	memcpy(data + BAD_MKEY_DR_SLID, mad + SMP_DR_SLID, 2);
	memcpy(data + BAD_MKEY_PATH, mad + SMP_RETURN_PATH + 1, hops);
}

void notice_bad_mkey(const struct agent_request *request)
{
	unsigned int number = request->node->type == NODE_SWITCH ? 0 : request->port;
	struct notice *notice = begin(request->fabric, request->node, number, NOTICE_KEY);
	const uint8_t *mad = request->packet->mad;
	uint16_t slid = htobe16(request->packet->slid);
	uint8_t *data;

	if (!notice)
		return;
	data = notice->next;
	memcpy(data + BAD_MKEY_LID, &slid, sizeof(slid));
	data[BAD_MKEY_METHOD] = mad[SMP_METHOD];
	memcpy(data + BAD_MKEY_ATTRIBUTE, mad + SMP_ATTRIBUTE, 2);
	memcpy(data + BAD_MKEY_MODIFIER, mad + SMP_MODIFIER, 4);
	memcpy(data + BAD_MKEY_KEY, mad + SMP_MKEY, 8);
	if (smp_is_directed(mad))
		note_path(data, mad);
	finish(request->fabric, notice);
}

void notice_repress(struct port *port, const uint8_t *mad)
{
	if (!port->notices)
		return;
	for (unsigned int kind = 0; kind < NOTICE_KINDS; kind++) {
		struct notice *notice = &port->notices->notice[kind];

		if (!memcmp(&notice->tid, mad + SMP_TID, sizeof(notice->tid)))
			notice->repressed = true;
	}
}

void notice_forget(struct port *port)
{
	if (!port->notices)
		return;
	for (unsigned int kind = 0; kind < NOTICE_KINDS; kind++) {
		port->notices->notice[kind].repressed = true;
		port->notices->notice[kind].again = false;
	}
}
