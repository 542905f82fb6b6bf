/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "common/memory.h"
#include "counter.h"

/* The CounterSelect of all of PortRcvErrorDetails, and that of PortXmitDiscardDetails. */
#define RCV_ERROR_DETAILS 0x003fu
#define DISCARD_DETAILS	  0x000fu

static void queue_request(struct collector *collector, const struct request *request)
{
	struct request *queued = memory_get(1, sizeof(*queued));

	*queued = *request;
	queued->next = NULL;
	*collector->last = queued;
	collector->last = &queued->next;
	collector->waiting++;
}

struct request *collector_take(struct collector *collector)
{
	struct request *request = collector->first;

	if (!request)
		return NULL;
	collector->first = request->next;
	if (!collector->first)
		collector->last = &collector->first;
	collector->waiting--;
	return request;
}

/* Returns the LID of the port through which ClassPortInfo is asked, or 0 if it has none. */
static uint16_t asking_lid(const struct node_counters *node)
{
	return port_counters_lid(&node->ports[node->asking]);
}

static void give_node_up(struct collector *collector, struct node_counters *node)
{
	node->unreachable = true;
	collector->collection->unreachable_count++;
}

/*
 * Asks for ClassPortInfo through the next port that has a LID other than @tried. Returns false if
 * there is none.
 */
static bool ask_class_port_info(struct collector *collector, struct node_counters *node,
				uint16_t tried)
{
	for (; node->asking < node->port_count; node->asking++)
		if (asking_lid(node) && asking_lid(node) != tried) {
			queue_request(collector, &(struct request){ .node = node });
			return true;
		}
	node->asking = 0;
	return false;
}

/* Asks a node for its ClassPortInfo, if the plan wants the node. */
static void start_node(struct collector *collector, struct node_counters *node)
{
	const struct plan *plan = collector->plan;

	node->wanted = !plan->wanted || plan->wanted(plan->context, node->node);
	if (!node->wanted || !node->port_count)
		return;
	if (ask_class_port_info(collector, node, 0))
		return;
	node->class_port_info.state = READING_NO_REPLY;
	node->class_port_info.error = -EDESTADDRREQ;
	give_node_up(collector, node);
}

void collector_start(struct collector *collector, struct collection *collection,
		     const struct plan *plan)
{
	*collector = (struct collector){ .collection = collection, .plan = plan };
	collector->last = &collector->first;
	for (size_t i = 0; i < collection->node_count; i++)
		start_node(collector, &collection->nodes[i]);
}

static void drop_waiting(struct collector *collector)
{
	struct request *request;

	while ((request = collector_take(collector)))
		free(request);
}

void collector_end(struct collector *collector)
{
	drop_waiting(collector);
}

/* Returns whether the node may have an attribute, by what it told. */
static bool may_have(const struct node_counters *node, enum pma_attribute attribute)
{
	if (attribute == PMA_EXTENDED)
		return node->capabilities.mask & (PMA_CAP_EXTENDED | PMA_CAP_EXTENDED_NOIETF);
	if (attribute == PMA_SW_PORT_VL_CONGESTION)
		return node->node->type == MADRING_NODE_SWITCH;
	return true;
}

/* Asks for all that the plan wants of a port, or of the sum of all ports. */
static void ask_port(struct collector *collector, struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++) {
		struct reading *reading;

		if (!(collector->plan->attributes & PMA_SET(a)) || !may_have(port->node, a))
			continue;
		reading = memory_get(1, sizeof(*reading));
		port->reading[a] = reading;
		if (!port_counters_lid(port)) {
			reading->state = READING_NO_REPLY;
			reading->error = -EDESTADDRREQ;
			continue;
		}
		port->open++;
		queue_request(
			collector,
			&(struct request){ .node = port->node, .port = port, .attribute = a });
	}
}

static void ask_all_ports(struct collector *collector, struct node_counters *node)
{
	for (size_t i = 0; i < node->port_count; i++)
		ask_port(collector, &node->ports[i]);
}

/*
 * Returns CounterSelect, and from bit 16 on CounterSelect2, of what the plan clears of
 * @attribute.
 */
static uint32_t clear_mask(const struct plan *plan, const struct capabilities *capabilities,
			   enum pma_attribute attribute)
{
	uint32_t mask = 0;

	if (attribute == PMA_RCV_ERROR_DETAILS)
		return plan->clear_errors ? RCV_ERROR_DETAILS : 0;
	if (attribute == PMA_XMIT_DISCARD_DETAILS)
		return plan->clear_errors ? DISCARD_DETAILS : 0;
	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		bool is_data = counter >= COUNTER_XMIT_DATA;

		if (is_data ? plan->clear_counts : plan->clear_errors)
			mask |= counter_select(counter, attribute, capabilities);
	}
	return mask;
}

static void clear_port(struct collector *collector, struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++) {
		uint32_t mask = clear_mask(collector->plan, &port->node->capabilities, a);

		if (mask && port_data(port, a))
			queue_request(collector, &(struct request){ .node = port->node,
								    .port = port,
								    .attribute = a,
								    .clear = mask });
	}
}

/*
 * Returns whether the ports must be asked after their sum: it exceeds a threshold, or is
 * incomplete.
 */
static bool needs_closer_look(const struct collector *collector, const struct port_counters *all)
{
	const struct plan *plan = collector->plan;

	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (all->reading[a] && all->reading[a]->state != READING_DONE &&
		    all->reading[a]->state != READING_UNSUPPORTED)
			return true;
	return plan->look_closer(plan->context, all);
}

static void count_reply_time(struct collection_stats *stats, uint64_t rtt_ns)
{
	unsigned int bucket = 0;

	if (!rtt_ns)
		return;
	while (bucket < RTT_BUCKETS && rtt_ns > rtt_bucket_us[bucket] * UINT64_C(1000))
		bucket++;
	stats->rtt_bucket[bucket]++;
	stats->rtt_count++;
	stats->rtt_sum_ns += rtt_ns;
}

static void count_outcome(struct collection_stats *stats, const struct reading *reading,
			  const struct outcome *outcome)
{
	stats->requests++;
	stats->mads += outcome->attempts;
	stats->retries += outcome->attempts ? outcome->attempts - 1 : 0;
	if (!outcome->error)
		count_reply_time(stats, outcome->rtt_ns);
	stats->replies += reading->state == READING_DONE;
	stats->unsupported += reading->state == READING_UNSUPPORTED;
	stats->refused += reading->state == READING_STATUS;
	stats->malformed += reading->state == READING_MALFORMED;
	if (reading->state != READING_NO_REPLY)
		return;
	stats->timed_out += reading->error == -ETIMEDOUT;
	stats->failed += reading->error != -ETIMEDOUT;
}

static void take_outcome(struct collector *collector, struct reading *reading,
			 const struct request *request, const struct outcome *outcome)
{
	reading_take(reading, request_attribute(request),
		     request->port ? request->port->number : PMA_NO_PORT, outcome);
	count_outcome(&collector->collection->stats, reading, outcome);
}

/*
 * Takes a node's ClassPortInfo, which says what its ports can be asked for, and asks for the next.
 */
static void class_port_info_outcome(struct collector *collector, struct node_counters *node,
				    const struct request *request, const struct outcome *outcome)
{
	struct reading *reading = &node->class_port_info;

	take_outcome(collector, reading, request, outcome);
	if (reading->state == READING_NO_REPLY) {
		if (ask_class_port_info(collector, node, asking_lid(node)))
			*reading = (struct reading){ .state = READING_OPEN };
		else
			give_node_up(collector, node);
		return;
	}
	/* A node without ClassPortInfo still has what every node must have. */
	if (reading->state == READING_DONE)
		capabilities_read(&node->capabilities, reading->data);
	if (!collector->plan->look_closer || !(node->capabilities.mask & PMA_CAP_ALL_PORT_SELECT)) {
		ask_all_ports(collector, node);
		return;
	}
	node->all = memory_get(1, sizeof(*node->all));
	node->all->node = node;
	node->all->number = PMA_ALL_PORTS;
	ask_port(collector, node->all);
}

/* Takes the outcome of a Set, whose reply has what it set. */
static void clear_outcome(struct collector *collector, const struct request *request,
			  const struct outcome *outcome)
{
	struct reading answer = { .state = READING_OPEN };

	take_outcome(collector, &answer, request, outcome);
	collector->collection->stats.clear_failed += answer.state != READING_DONE;
}

static void port_outcome(struct collector *collector, struct port_counters *port,
			 const struct request *request, const struct outcome *outcome)
{
	take_outcome(collector, port->reading[request->attribute], request, outcome);
	if (--port->open)
		return;
	if (!port->port && needs_closer_look(collector, port))
		ask_all_ports(collector, port->node);
	else
		clear_port(collector, port);
}

void collector_outcome(struct collector *collector, struct request *request,
		       const struct outcome *outcome)
{
	/* Whoever runs the collection reports once why all requests in flight ended. */
	bool ended = outcome->error == -ECANCELED || outcome->error == -ENODEV;

	if (!ended && request->clear)
		clear_outcome(collector, request, outcome);
	else if (!ended && request->port)
		port_outcome(collector, request->port, request, outcome);
	else if (!ended)
		class_port_info_outcome(collector, request->node, request, outcome);
	free(request);
}

uint16_t request_lid(const struct request *request)
{
	return request->port ? port_counters_lid(request->port) : asking_lid(request->node);
}

uint8_t request_method(const struct request *request)
{
	return request->clear ? MADRING_SET : MADRING_GET;
}

uint16_t request_attribute(const struct request *request)
{
	return request->port ? pma_attribute_info(request->attribute)->id : PMA_CLASS_PORT_INFO;
}

void request_data(const struct request *request, uint8_t data[PMA_DATA_BYTES])
{
	memset(data, 0, PMA_DATA_BYTES);
	if (request->port)
		pma_set_port_select(data, request->port->number);
	if (request->clear) {
		pma_set_field(IB_PC_COUNTER_SELECT_F, data, request->clear & 0xffff);
		if (request->attribute == PMA_COUNTERS)
			pma_set_field(IB_PC_COUNTER_SELECT2_F, data, request->clear >> 16);
		if (request->attribute == PMA_EXTENDED)
			pma_set_field(IB_PC_EXT_COUNTER_SELECT2_F, data, request->clear >> 16);
	}
}
