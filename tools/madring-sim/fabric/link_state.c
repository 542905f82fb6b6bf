/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "fabric/counters.h"
#include "fabric/link_state.h"
#include "fabric/sma/link_training.h"
#include "fabric/sma/notice.h"

struct link {
	struct place end[2];
};

static struct port *port_at(const struct place *place)
{
	return &place->node->port[place->port];
}

/* The same link is seen the same way from both its ends. */
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

	return !port->cable_out && !port->disabled && place->node->health != FABRIC_OFF;
}

static bool should_be_up(const struct link *link)
{
	return end_allows(&link->end[0]) && end_allows(&link->end[1]);
}

static void show(const struct place *place, enum port_state_value state, enum phys_state_value phys)
{
	struct port *port = port_at(place);

	mad_set_field(port->port_info, 0, IB_PORT_STATE_F, state);
	mad_set_field(port->port_info, 0, IB_PORT_PHYS_STATE_F, phys);
}

/* Only when both ends are as they are to be: telling is an SMP that travels. */
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

/* Ends that have nothing in common go on polling. */
static void come_up(struct fabric *fabric, struct link *link)
{
	bool trained = link_train(&link->end[0], &link->end[1]);

	for (int i = 0; i < 2; i++) {
		struct port *port = port_at(&link->end[i]);

		port->ready_at = FABRIC_NEVER;
		port->up = trained;
		if (trained)
			show(&link->end[i], PORT_INIT, PHYS_LINK_UP);
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
		show(&link->end[i], PORT_DOWN, port->disabled ? PHYS_DISABLED : PHYS_POLLING);
	}
	if (was_up)
		tell(fabric, link);
}

/* Set off when training began; in between, the link may have been taken down again. */
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
	if (!fabric->model.training || fabric_at(fabric, port->ready_at, training_ends, port))
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
