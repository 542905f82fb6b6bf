/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "fabric/ext_speed.h"
#include "fabric/link_state.h"
#include "fabric/notice.h"
#include "fabric/port_counters.h"
#include "topology/link.h"

enum width { WIDTH_1X = 1, WIDTH_4X = 2, WIDTH_8X = 4, WIDTH_12X = 8, WIDTH_2X = 16 };
enum speed { SPEED_SDR = 1, SPEED_QDR = 4 };

/* widths_up_to returns all widths that a cable of this width carries. */
static uint8_t widths_up_to(uint8_t width)
{
	switch (width) {
	case WIDTH_1X:
		return WIDTH_1X;
	case WIDTH_2X:
		return WIDTH_1X | WIDTH_2X;
	case WIDTH_4X:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X;
	case WIDTH_8X:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X | WIDTH_8X;
	default:
		return WIDTH_1X | WIDTH_2X | WIDTH_4X | WIDTH_8X | WIDTH_12X;
	}
}

/* speeds_up_to returns all speeds up to this one. The encodings of speeds are bits in order. */
static uint8_t speeds_up_to(uint8_t speed)
{
	return (uint8_t)(2 * speed - 1);
}

static struct topology_port masks_of(const struct place *place)
{
	const struct topology_port *cabled = &place->node->topology->port[place->port];
	struct port *port = port_at(place);
	uint32_t width = mad_get_field(port->port_info, 0, IB_PORT_LINK_WIDTH_ENABLED_F);
	uint32_t speed = mad_get_field(port->port_info, 0, IB_PORT_LINK_SPEED_ENABLED_F);
	uint8_t ext = ext_speed_get(port->port_info, EXT_SPEED_ENABLED);

	return (struct topology_port){
		.width_enabled = (uint8_t)(width & widths_up_to(cabled->width)),
		.speed_enabled = (uint8_t)(speed & speeds_up_to(cabled->speed)),
		.speed_ext_enabled =
			(uint8_t)(cabled->speed_ext ? ext & speeds_up_to(cabled->speed_ext) : 0),
		.fdr10_enabled = port->fdr10_enabled,
	};
}

static void show_rate(struct port *port, const struct topology_port *agreed)
{
	uint8_t *info = port->port_info;

	mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, agreed->width);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F, agreed->speed);
	ext_speed_set(info, EXT_SPEED_ACTIVE, agreed->speed_ext);
	port->fdr10 = agreed->fdr10 && agreed->speed == SPEED_QDR;
}

/*
 * link_train gives both ports the best width and speed that both have enabled and the cable
 * carries: up to what the topology says the link had when it was cabled. False: there is none.
 */
static bool link_train(const struct place *one, const struct place *other)
{
	struct topology_port a = masks_of(one), b = masks_of(other);

	if (link_agree(&a, &b))
		return false;
	show_rate(port_at(one), &a);
	show_rate(port_at(other), &b);
	return true;
}

void link_untrain(struct port *port)
{
	static const struct topology_port none = { .width = WIDTH_4X, .speed = SPEED_SDR };

	show_rate(port, &none);
}

struct link {
	struct place end[2];
};

/* link_of returns the same link for both its ends. */
static struct link link_of(struct node *node, unsigned int number)
{
	struct place here = { .node = node, .port = number };
	struct place there = { .node = node->port[number].peer,
			       .port = node->port[number].peer_port };

	if (port_at(&here) < port_at(&there))
		return (struct link){ .end = { here, there } };
	return (struct link){ .end = { there, here } };
}

static bool end_allows(const struct place *place)
{
	const struct port *port = port_at(place);

	return !port->cable_out && !port->disabled && node_has_links(place->node);
}

static bool should_be_up(const struct link *link)
{
	return end_allows(&link->end[0]) && end_allows(&link->end[1]);
}

static void show_state(const struct place *place, enum port_state_value state,
		       enum phys_state_value phys)
{
	struct port *port = port_at(place);

	mad_set_field(port->port_info, 0, IB_PORT_STATE_F, state);
	mad_set_field(port->port_info, 0, IB_PORT_PHYS_STATE_F, phys);
}

/*
 * tell tells of a link that has come up or gone down. Both ends must have their new state already:
 * a trap is an SMP, which may travel over them.
 */
static void tell(struct fabric *fabric, const struct link *link)
{
	for (int i = 0; i < 2; i++) {
		struct node *node = link->end[i].node;

		if (node->type == NODE_SWITCH)
			mad_set_field(node->switch_info, 0, IB_SW_STATE_CHANGE_F, 1);
	}
	for (int i = 0; i < 2; i++)
		notice_link_changed(fabric, link->end[i].node);
}

/* come_up ends the training of a link. Ends that have no width or speed in common go on polling. */
static void come_up(struct fabric *fabric, struct link *link)
{
	bool trained = link_train(&link->end[0], &link->end[1]);

	for (int i = 0; i < 2; i++) {
		struct port *port = port_at(&link->end[i]);

		port->ready_at = FABRIC_NEVER;
		port->up = trained;
		if (trained)
			show_state(&link->end[i], PORT_INIT, PHYS_LINK_UP);
	}
	if (trained)
		tell(fabric, link);
}

static void go_down(struct fabric *fabric, struct link *link)
{
	bool was_up = port_at(&link->end[0])->up;

	for (int i = 0; i < 2; i++) {
		struct port *port = port_at(&link->end[i]);

		port->ready_at = FABRIC_NEVER;
		if (port->up)
			counters_link_downed(fabric, port);
		port->up = false;
		link_untrain(port);
		show_state(&link->end[i], PORT_DOWN, port->disabled ? PHYS_DISABLED : PHYS_POLLING);
	}
	if (was_up)
		tell(fabric, link);
}

/*
 * training_ends is called by the timer that was set when training began. The link may have been
 * taken down since.
 */
static void training_ends(struct fabric *fabric, void *user)
{
	struct port *port = user;
	struct port *far = &port->peer->port[port->peer_port];
	struct link link = link_of(far->peer, far->peer_port);

	if (port->ready_at == fabric->now)
		come_up(fabric, &link);
}

static void train(struct fabric *fabric, struct link *link)
{
	struct port *port = port_at(&link->end[0]);

	if (port->ready_at != FABRIC_NEVER)
		return;
	port->ready_at = time_after(fabric->now, fabric->model.training);
	if (!fabric->model.training ||
	    queue_call(&fabric->queue, port->ready_at, training_ends, port))
		come_up(fabric, link);
}

void link_refresh(struct fabric *fabric, struct node *node, unsigned int number)
{
	struct link link;

	if (!node->port[number].peer)
		return;
	link = link_of(node, number);
	if (!should_be_up(&link))
		go_down(fabric, &link);
	else if (!node->port[number].up)
		train(fabric, &link);
}

void link_restart(struct fabric *fabric, struct node *node, unsigned int number)
{
	struct link link;

	if (!node->port[number].up)
		return;
	link = link_of(node, number);
	go_down(fabric, &link);
	train(fabric, &link);
}
