/* SPDX-License-Identifier: BSD-2-Clause */
/* A node of the fabric that programs run on: its ports, each a umad device, and its files. */
#ifndef SIM_HCA_H
#define SIM_HCA_H

#include <stdint.h>

#include "fabric/fabric.h"
#include "server/agent.h"
#include "server/outstanding.h"
#include "server/rmpp_receive.h"
#include "server/server.h"

struct source;

/* One port: one umad device. */
struct device_port {
	struct hca *hca;
	uint32_t index; /* the N of umadN */
	uint8_t number;
	int endpoint;
	struct fabric_port_state state;
	struct agents agents;
	struct outstanding_table outstanding;
	struct rmpp_receives receives;
	struct source *issm; /* who has opened the issm file; NULL */
};

struct hca {
	const struct topology_node *node;
	uint32_t tree; /* the number of the folder that stands for / */
	struct device_port *port[SERVER_PORT_MAX];
	size_t port_count;
};

/* The HCA of a node, with one of its ports or, if that is 0, all of them. 0 or -errno. */
int hca_open(struct server *server, struct topology_node *node, unsigned int port);
/* Closes it; nothing may have any of its files open. */
void hca_close(struct hca *hca);

/* The HCA of the node that is named so, opened when it isn't yet. NULL with errno. */
struct hca *hca_of_host(struct server *server, const char *name);

#endif
