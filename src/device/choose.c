/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/choose.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "device/attributes.h"
#include "device/device.h"

#define NODE_SWITCH 2

/* States of a port, and of its link (IBA 14.2.5.6). */
#define ACTIVE	 4
#define DISABLED 3
#define LINK_UP	 5

enum rank { UNFIT, FIT, BEST };

static bool is_infiniband(const umad_port_t *port)
{
	return !strcmp(port->link_layer, "InfiniBand") || !strcmp(port->link_layer, "IB");
}

static enum rank rank_port(const struct device_ca *ca, int portnum)
{
	const umad_port_t *port = device_ca_port(ca, portnum);

	if (!port || !is_infiniband(port))
		return UNFIT;
	if (port->state == ACTIVE)
		return BEST;
	return port->phys_state == DISABLED ? UNFIT : FIT;
}

/*
 * Chooses the first InfiniBand port that is active, else the first whose link is up, else the
 * first port of any link layer that is not disabled.
 */
static enum rank choose_best_port(const struct device_ca *ca, int *portnum)
{
	int up = -1, enabled = -1;

	for (size_t i = 0; i < ca->port_count; i++) {
		const umad_port_t *port = &ca->ports[i];

		if (is_infiniband(port) && port->state == ACTIVE) {
			*portnum = port->portnum;
			return BEST;
		}
		if (up < 0 && is_infiniband(port) && port->phys_state == LINK_UP)
			up = port->portnum;
		if (enabled < 0 && port->phys_state != DISABLED)
			enabled = port->portnum;
	}
	if (up < 0)
		up = enabled;
	if (up < 0)
		return UNFIT;
	*portnum = up;
	return FIT;
}

static enum rank choose_port_of_ca(const struct device_ca *ca, int *portnum)
{
	if (ca->node_type == NODE_SWITCH) {
		*portnum = 0;
		return BEST;
	}
	return *portnum ? rank_port(ca, *portnum) : choose_best_port(ca, portnum);
}

static enum rank choose_port_on(const char *ca_name, int *portnum)
{
	enum rank rank;
	struct device_ca ca;

	if (attributes_of_ca(ca_name, DEVICE_NO_PKEYS, &ca))
		return UNFIT;
	rank = choose_port_of_ca(&ca, portnum);
	attributes_release_ca(&ca);
	return rank;
}

/* Chooses the first port of rank BEST on any device, or else the first of rank FIT. */
static enum rank choose_any_port(int *portnum, char found[UMAD_CA_NAME_LEN])
{
	struct umad_device_node *list = umad_get_ca_device_list();
	enum rank best = UNFIT;
	int wanted = *portnum;

	for (const struct umad_device_node *node = list; node && best != BEST; node = node->next) {
		int number = wanted;
		enum rank rank = choose_port_on(node->ca_name, &number);

		if (rank <= best)
			continue;
		best = rank;
		*portnum = number;
		snprintf(found, UMAD_CA_NAME_LEN, "%s", node->ca_name);
	}
	umad_free_ca_device_list(list);
	return best;
}

int choose_port(const char *ca_name, int *portnum, char found[UMAD_CA_NAME_LEN])
{
	if (!ca_name)
		return choose_any_port(portnum, found) == UNFIT ? -ENODEV : 0;
	snprintf(found, UMAD_CA_NAME_LEN, "%s", ca_name);
	return choose_port_on(ca_name, portnum) == UNFIT ? -ENODEV : 0;
}
