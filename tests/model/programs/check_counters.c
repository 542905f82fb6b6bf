/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_counters.h"

#include <inttypes.h>

#include "madring-perf/counter.h"
#include "madring-perf/plan.h"
#include "world/model_fail.h"
#include "world/truth.h"

_Static_assert(COUNTERS == TRUTH_COUNTERS, "counters in the order of the programs'");

typedef void port_check(const struct port_counters *port, const void *context);

static void for_each_port(const struct collection *collection, port_check *check,
			  const void *context)
{
	for (size_t i = 0; i < collection->node_count; i++)
		for (size_t p = 0; p < collection->nodes[i].port_count; p++)
			check(&collection->nodes[i].ports[p], context);
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

struct real_context {
	const struct counter_bounds *bounds;
	bool cleared;
};

static void counter_is_real(const struct port_counters *port, enum counter counter,
			    const struct real_context *context)
{
	uint64_t guid = port->node->node->guid;
	const struct truth_node *before = truth_find(context->bounds->before, guid);
	const struct truth_node *after = truth_find(context->bounds->after, guid);
	struct counter_value value;
	enum MAD_FIELDS field;
	uint64_t limit;

	if (!before || !counter_get(port, counter, &value))
		return;
	counter_is_in(counter, value.attribute, &port->node->capabilities, &field);
	limit = pma_field_limit(field);
	expect(value.value >= at_most(before->port[port->number].counter[counter], limit) &&
		       (context->cleared ||
			value.value <= at_most(after->port[port->number].counter[counter], limit)),
	       "%s, port %u: %s was read as %" PRIu64 ", and is %" PRIu64, before->description,
	       port->number, counter_name(counter), value.value,
	       after->port[port->number].counter[counter]);
}

static void port_is_real(const struct port_counters *port, const void *context)
{
	for (unsigned int counter = 0; counter < COUNTERS; counter++)
		counter_is_real(port, (enum counter)counter, context);
}

void check_counters_are_real(const struct collection *collection,
			     const struct counter_bounds *bounds, bool cleared)
{
	const struct real_context context = { .bounds = bounds, .cleared = cleared };

	for_each_port(collection, port_is_real, &context);
}

/* Returns whether the collector has to ask for an attribute of a port. */
static bool is_asked(const struct port_counters *port, const struct plan *plan, unsigned int which)
{
	const struct node_counters *node = port->node;

	if (!(plan->attributes & PMA_SET(which)) || !node->wanted || node->unreachable)
		return false;
	if (node->all && !node->all->open && !port->reading[which])
		return false; /* the sum was enough */
	if (which == PMA_EXTENDED)
		return node->capabilities.mask & (PMA_CAP_EXTENDED | PMA_CAP_EXTENDED_NOIETF);
	return which != PMA_SW_PORT_VL_CONGESTION || node->node->type == MADRING_NODE_SWITCH;
}

static void port_is_explained(const struct port_counters *port, const void *context)
{
	const struct plan *plan = context;

	for (unsigned int i = 0; i < PMA_ATTRIBUTES; i++) {
		const struct reading *reading = port->reading[i];

		expect(reading || !is_asked(port, plan, i), "%s, port %u: %s was not asked for",
		       port->node->node->description, port->number, pma_attribute_info(i)->name);
		expect(!reading || reading->state != READING_OPEN,
		       "%s, port %u: %s is neither read nor missing", port->node->node->description,
		       port->number, pma_attribute_info(i)->name);
	}
	expect(!port->open, "%s, port %u: %u requests are open", port->node->node->description,
	       port->number, port->open);
}

static void node_is_explained(const struct node_counters *node)
{
	expect(!node->port_count || node->unreachable ||
		       node->class_port_info.state != READING_OPEN,
	       "%s: ClassPortInfo was not asked for", node->node->description);
	expect(node->node->type != MADRING_NODE_SWITCH ||
		       node->port_count ==
			       node->node->port_count + (node->node->enhanced_port0 ? 1u : 0u),
	       "%s: %zu of its ports are counted", node->node->description, node->port_count);
}

void check_counters_are_explained(const struct collection *collection, const struct plan *plan)
{
	for (size_t i = 0; i < collection->node_count; i++)
		node_is_explained(&collection->nodes[i]);
	for_each_port(collection, port_is_explained, plan);
}

static void port_is_whole(const struct port_counters *port, const void *context)
{
	(void)context;
	for (unsigned int i = 0; i < PMA_ATTRIBUTES; i++) {
		const struct reading *reading = port->reading[i];

		expect(!reading || reading->state == READING_DONE ||
			       reading->state == READING_UNSUPPORTED,
		       "%s, port %u: %s was not read: %d, %d", port->node->node->description,
		       port->number, pma_attribute_info(i)->name, (int)reading->state,
		       reading->error);
	}
}

void check_counters_are_whole(const struct collection *collection)
{
	for (size_t i = 0; i < collection->node_count; i++)
		expect(!collection->nodes[i].unreachable, "%s is said not to answer",
		       collection->nodes[i].node->description);
	for_each_port(collection, port_is_whole, NULL);
}
