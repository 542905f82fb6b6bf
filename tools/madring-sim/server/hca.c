/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "server/device.h"
#include "server/rmpp.h"

#define DEVICE	   "simib0"
#define SMI_DEVICE "smi1"

/* list_port lists a port by its endpoint, by which it is found. Endpoints are counted from 0. */
static int list_port(struct server *server, struct device_port *port)
{
	size_t needed = (size_t)port->endpoint + 1;

	if (needed > server->port_count) {
		struct device_port **grown = reallocarray(server->port, needed, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		server->port = grown;
		for (size_t i = server->port_count; i < needed; i++)
			grown[i] = NULL;
		server->port_count = needed;
	}
	server->port[port->endpoint] = port;
	return 0;
}

static void close_port(struct device_port *port)
{
	outstanding_close(&port->outstanding);
	rmpp_receives_close(&port->receives);
	free(port);
}

/* Attaches a port of a node to the fabric as port of an HCA. Returns 0 or a negative errno. */
static int add_port_of(struct server *server, struct hca *hca, struct topology_node *node,
		       unsigned int number, const char *device)
{
	struct device_port *port = calloc(1, sizeof(*port));
	int result;

	if (!port)
		return -ENOMEM;
	port->hca = hca;
	port->agents.kernel = &server->kernel;
	port->device = device;
	port->number = (uint8_t)number;
	port->index = (uint32_t)hca->port_count;
	rmpp_receives_open(&port->receives);
	result = outstanding_open(&port->outstanding);
	if (!result)
		result = fabric_attach(server->loop.fabric, node, number);
	if (result >= 0) {
		port->endpoint = result;
		fabric_port_state(server->loop.fabric, port->endpoint, &port->state);
		result = list_port(server, port);
	}
	if (result) {
		close_port(port);
		return result;
	}
	hca->port[hca->port_count++] = port;
	return 0;
}

static int add_port(struct server *server, struct hca *hca, struct topology_node *node,
		    unsigned int number)
{
	return add_port_of(server, hca, node, number, DEVICE);
}

/*
 * add_planes adds the GSI device's port, which sends and receives through the first plane, and the
 * SMI device's port of each plane.
 */
static int add_planes(struct server *server, struct hca *hca, struct topology_node *node)
{
	int error = add_port(server, hca, node, 1);

	if (error)
		return error;
	hca->port[0]->planes = server->planes;
	for (unsigned int plane = 1; plane <= server->planes && !error; plane++) {
		error = add_port_of(server, hca, node, plane, SMI_DEVICE);
		if (!error)
			hca->port[plane]->gsi = hca->port[0];
	}
	return error;
}

static int add_ports(struct server *server, struct hca *hca, struct topology_node *node,
		     unsigned int number)
{
	unsigned int last = node->port_count;
	int error = 0;

	if (node->type == NODE_SWITCH)
		return number ? -EINVAL : add_port(server, hca, node, 0);
	if (number > last || number > SERVER_PORT_MAX)
		return -EINVAL;
	if (!number && server->planes && last >= server->planes)
		return add_planes(server, hca, node);
	if (number)
		return add_port(server, hca, node, number);
	for (number = 1; number <= last && number <= SERVER_PORT_MAX && !error; number++)
		error = add_port(server, hca, node, number);
	return error;
}

static int list_hca(struct server *server, struct hca *hca)
{
	struct hca **grown = reallocarray(server->hca, server->hca_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	server->hca = grown;
	hca->tree = (uint32_t)server->hca_count;
	grown[server->hca_count++] = hca;
	return 0;
}

static void unlist_ports(struct server *server, const struct hca *hca)
{
	for (size_t i = 0; i < hca->port_count; i++)
		server->port[hca->port[i]->endpoint] = NULL;
}

int hca_open(struct server *server, struct topology_node *node, unsigned int port)
{
	struct hca *hca = calloc(1, sizeof(*hca));
	int error;

	if (!hca)
		return -ENOMEM;
	hca->node = node;
	hca->tree = (uint32_t)server->hca_count;
	error = add_ports(server, hca, node, port);
	if (!error)
		error = sysfs_create(server, hca);
	if (!error)
		error = list_hca(server, hca);
	if (error) {
		unlist_ports(server, hca);
		hca_close(hca);
	}
	return error;
}

void hca_close(struct hca *hca)
{
	for (size_t i = 0; i < hca->port_count; i++)
		close_port(hca->port[i]);
	free(hca);
}

struct hca *hca_of_host(struct server *server, const char *name)
{
	struct topology_node *node = topology_find(fabric_topology(server->loop.fabric), name);
	int error;

	if (!node) {
		errno = ENODEV;
		return NULL;
	}
	for (size_t i = 0; i < server->hca_count; i++) {
		if (server->hca[i]->node == node)
			return server->hca[i];
	}
	error = hca_open(server, node, 0);
	if (error) {
		errno = -error;
		return NULL;
	}
	return server->hca[server->hca_count - 1];
}
