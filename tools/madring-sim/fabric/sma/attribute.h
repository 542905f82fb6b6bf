/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The request for one attribute, a Get or Set, which the SMA hands to the function that answers it.
 */
#ifndef SIM_ATTRIBUTE_H
#define SIM_ATTRIBUTE_H

#include <infiniband/mad.h>

#include "fabric/node_agent.h"

struct request {
	struct fabric *fabric;
	struct node *node;
	unsigned int port; /* it came in by */
	uint8_t method;
	uint32_t modifier;
	bool any_mkey;
	const uint8_t *mad;
	uint8_t *data; /* ATTRIBUTE_BYTES, which become the reply */
};

/*
 * The functions of this type get an attribute, or set and then get it. They return the status, or
 * -ENOMEM.
 */
typedef int (*attribute_fn)(const struct request *request);

int node_info(const struct request *request);
int node_description(const struct request *request);
int switch_info(const struct request *request);
int guid_info(const struct request *request);
int port_info(const struct request *request);
int port_info_extended(const struct request *request);
int mlnx_ext_port_info(const struct request *request);
int pkey_table(const struct request *request);
int sl_to_vl_table(const struct request *request);
int vl_arbitration_table(const struct request *request);
int linear_forwarding_table(const struct request *request);
int multicast_forwarding_table(const struct request *request);

static inline bool is_set(const struct request *request)
{
	return request->method == IB_MAD_METHOD_SET;
}

/*
 * named_port returns the port that a modifier names. On a CA or router, 0 names the port that the
 * SMP came in by.
 */
static inline struct port *named_port(const struct request *request, unsigned int number)
{
	struct node *node = request->node;

	if (!number && node->type != NODE_SWITCH)
		number = request->port;
	return number <= node->port_count ? &node->port[number] : NULL;
}

#endif
