/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <madring.h>

#include "fabric/graph.h"
#include "perf_answers.h"

/* The maximum of requests in flight. */
#define IN_FLIGHT 16

static struct node *add(struct madring_fabric *fabric, enum madring_node_type type, uint64_t guid,
			uint8_t ports)
{
	struct madring_node_info info = {
		.type = type, .port_count = ports, .node_guid = guid, .port_guid = guid
	};
	struct node *node = fabric_add(fabric, &info, &(struct route){ 0 });

	for (unsigned int p = type == MADRING_NODE_SWITCH ? 0 : 1; p <= ports; p++) {
		node->port[p].public.found = true;
		node->port[p].public.known = true;
		node->port[p].public.guid = guid + p;
	}
	return node;
}

struct madring_fabric *answers_fabric(void)
{
	struct madring_fabric *fabric = fabric_new();
	struct node *node = add(fabric, MADRING_NODE_SWITCH, SWITCH_GUID, SWITCH_PORTS);

	node->port[0].info.lid = 1;
	node = add(fabric, MADRING_NODE_CA, HOST_GUID, HOST_PORTS);
	node->port[1].info.lid = 2;
	node->port[2].info.lid = 3;
	fabric_settle(fabric);
	return fabric;
}

uint64_t answers_value(uint16_t lid, uint8_t port, enum pma_attribute attribute,
		       enum MAD_FIELDS field)
{
	uint64_t value = lid * UINT64_C(1000003) + port * 10007u + attribute * 101u + field;

	if (attribute == PMA_EXTENDED)
		return value << 20;
	return value % pma_field_limit(field);
}

static void put_class_port_info(uint8_t *data, const struct capabilities *capabilities)
{
	mad_set_field(data, 0, IB_CPI_CAPMASK_F, capabilities->mask);
	mad_set_field(data, 0, IB_CPI_CAPMASK2_F, capabilities->mask2);
}

static void put_fields(uint8_t *data, const struct request *request, enum MAD_FIELDS first,
		       enum MAD_FIELDS last)
{
	for (unsigned int field = first; field < last; field++) {
		uint64_t value = answers_value(request_lid(request), request->port->number,
					       request->attribute, field);

		if (request->attribute == PMA_EXTENDED)
			mad_set_field64(data, 0, field, value);
		else if (field != IB_PC_COUNTER_SELECT2_F)
			mad_set_field(data, 0, field, value);
	}
}

static void put_attribute(uint8_t *data, const struct request *request)
{
	const struct pma_attribute_info *info = pma_attribute_info(request->attribute);

	put_fields(data, request, info->first, info->last);
	if (request->attribute == PMA_EXTENDED)
		put_fields(data, request, IB_PC_EXT_ERR_SYM_F, IB_PC_EXT_ERR_LAST_F);
	pma_set_port_select(data, request->port->number);
}

static void answer_request(struct agents *agents, const struct request *request,
			   struct answer *answer)
{
	struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = IB_PERFORMANCE_CLASS,
		.class_version = 1,
		.method = MADRING_GET_RESP,
		.attr_id = htobe16(request_attribute(request)),
	};
	uint8_t *data = answer->mad + MADRING_PMA_DATA;

	agents->now_ns += 1000;
	*answer = (struct answer){ .outcome = {
					   .length = ANSWER_BYTES,
					   .asked_lid = request_lid(request),
					   .source_lid = request_lid(request),
					   .now_ns = agents->now_ns,
					   .rtt_ns = 120000,
					   .attempts = 1,
				   } };
	memcpy(answer->mad, &header, sizeof(header));
	if (request->port)
		put_attribute(data, request);
	else
		put_class_port_info(data, request->node->node->type == MADRING_NODE_SWITCH
						  ? &agents->switch_capabilities
						  : &agents->host_capabilities);
}

static void answer_one(struct agents *agents, struct collector *collector, struct request *request)
{
	struct answer answer;

	answer_request(agents, request, &answer);
	answer.outcome.mad = answer.mad;
	if (request_method(request) == MADRING_SET)
		agents->sets++;
	else
		agents->gets++;
	if (agents->spoil)
		agents->spoil(agents, request, &answer);
	collector_outcome(collector, request, &answer.outcome);
}

struct collection *answers_collect(struct agents *agents, const struct madring_fabric *fabric,
				   const struct plan *plan)
{
	struct collection *collection = collection_new(fabric);
	struct request *out[IN_FLIGHT], *request;
	struct collector collector;
	size_t count = 0, at;

	prng_seed(&agents->prng, agents->seed);
	collector_start(&collector, collection, plan);
	for (;;) {
		while (count < IN_FLIGHT && (request = collector_take(&collector)))
			out[count++] = request;
		if (!count)
			break;
		at = prng_below(&agents->prng, count);
		request = out[at];
		out[at] = out[--count];
		answer_one(agents, &collector, request);
	}
	collector_end(&collector);
	return collection;
}

struct port_counters *answers_port(struct collection *collection, uint64_t guid, uint8_t number)
{
	for (size_t i = 0; i < collection->node_count; i++) {
		struct node_counters *node = &collection->nodes[i];

		if (node->node->guid != guid)
			continue;
		if (number == PMA_ALL_PORTS)
			return node->all;
		for (size_t p = 0; p < node->port_count; p++)
			if (node->ports[p].number == number)
				return &node->ports[p];
	}
	return NULL;
}
