/* SPDX-License-Identifier: BSD-2-Clause */
#include "madring-perf/counter.h"
#include "port_metrics.h"

/* A counter's families, one for each type of node. */
#define FAMILY(type, suffix, unit_name, field)                                                     \
	{ "infiniband_" type "_port_" suffix, METRIC_COUNTER, unit_name,                           \
	  field ", of ports (" type ")" }
#define FAMILIES(suffix, unit_name, field)                                                         \
	{ FAMILY("switch", suffix, unit_name, field), FAMILY("hca", suffix, unit_name, field),     \
	  FAMILY("router", suffix, unit_name, field) }

#define COUNTER_FAMILIES(name, kind, field, counters_bit, extended_bit, suffix, unit_name, help)   \
	[COUNTER_##name] = FAMILIES(suffix, unit_name, help),
static const struct metric counters[COUNTERS][VIEW_TYPES] = { COUNTER_LIST(COUNTER_FAMILIES) };

/* The parts of errors that have metrics of their own. */
static const struct detail {
	enum pma_attribute attribute;
	enum MAD_FIELDS field;
	struct metric metric[VIEW_TYPES];
} details[] = {
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_LOCAL_PHY_ERR_F,
	  FAMILIES("local_physical_errors", NULL, "PortLocalPhysicalErrors") },
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_MALFORMED_PKT_ERR_F,
	  FAMILIES("malformed_packet_errors", NULL, "PortMalformedPktErrors") },
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_BUF_OVR_ERR_F,
	  FAMILIES("buffer_overrun_errors", NULL, "PortBufferOverrunErrors") },
	/* Existing dashboards have "dli" here. */
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_DLID_MAP_ERR_F,
	  FAMILIES("dli_mapping_errors", NULL, "PortDLIDMappingErrors") },
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_VL_MAP_ERR_F,
	  FAMILIES("vl_mapping_errors", NULL, "PortVLMappingErrors") },
	{ PMA_RCV_ERROR_DETAILS, IB_PC_RCV_LOOPING_ERR_F,
	  FAMILIES("looping_errors", NULL, "PortLoopingErrors") },
	{ PMA_XMIT_DISCARD_DETAILS, IB_PC_XMT_INACT_DISC_F,
	  FAMILIES("inactive_discards", NULL, "PortInactiveDiscards") },
	{ PMA_XMIT_DISCARD_DETAILS, IB_PC_XMT_NEIGH_MTU_DISC_F,
	  FAMILIES("neighbor_mtu_discards", NULL, "PortNeighborMTUDiscards") },
	{ PMA_XMIT_DISCARD_DETAILS, IB_PC_XMT_SW_LIFE_DISC_F,
	  FAMILIES("switch_lifetime_limit_discards", NULL, "PortSwLifetimeLimitDiscards") },
	{ PMA_XMIT_DISCARD_DETAILS, IB_PC_XMT_SW_HOL_DISC_F,
	  FAMILIES("switch_hoq_lifetime_limit_discards", NULL, "PortSwHOQLifetimeLimitDiscards") },
};

static const struct metric other = {
	.name = "madring_perf_port_field",
	.type = METRIC_COUNTER,
	.help = "A counter of a port, by the names that perfquery has for it and its attribute",
};
static const struct metric saturated = {
	.name = "madring_perf_port_saturated",
	.type = METRIC_GAUGE,
	.help = "1: the counter is full, and counts no more until it is cleared",
};

static const struct metric above_threshold = {
	.name = "madring_perf_port_above_threshold",
	.type = METRIC_GAUGE,
	.help = "1: the counter is beyond its threshold in the thresholds file",
};

typedef void (*visit_port)(struct exposition *page, const struct port_counters *port,
			   const void *context);

static void each_port(struct exposition *page, const struct view *view, enum view_type type,
		      visit_port visit, const void *context)
{
	for (size_t i = 0; i < view->collection->node_count; i++) {
		const struct node_counters *node = view_node(view, i, type);

		for (size_t p = 0; node && p < node->port_count; p++)
			visit(page, &node->ports[p], context);
	}
}

static void begin_sample(struct exposition *page, const struct port_counters *port)
{
	exposition_sample(page, NULL);
	view_label_guid(page, port);
	exposition_label_u64(page, "port", port->number);
}

static void write_counter(struct exposition *page, const struct port_counters *port,
			  const void *context)
{
	enum counter counter = *(const enum counter *)context;
	struct counter_value value;

	if (!counter_get(port, counter, &value))
		return;
	begin_sample(page, port);
	if (counter_is_words(counter))
		exposition_value_words(page, value.value);
	else
		exposition_value(page, value.value);
}

static void write_detail(struct exposition *page, const struct port_counters *port,
			 const void *context)
{
	const struct detail *detail = context;
	const uint8_t *data = port_data(port, detail->attribute);

	if (!data)
		return;
	begin_sample(page, port);
	exposition_value(page, pma_field(detail->field, data));
}

static void write_other(struct exposition *page, const struct port_counters *port,
			const void *context)
{
	enum pma_attribute attribute = *(const enum pma_attribute *)context;
	const struct pma_attribute_info *info = pma_attribute_info(attribute);
	const uint8_t *data = port_data(port, attribute);

	for (enum MAD_FIELDS field = info->first; data && field < info->last; field++) {
		begin_sample(page, port);
		exposition_label(page, "attribute", info->name);
		exposition_label(page, "field", mad_field_name(field));
		exposition_value(page, pma_field(field, data));
	}
}

static void write_saturated(struct exposition *page, const struct port_counters *port,
			    const void *context)
{
	struct counter_value value;

	(void)context;
	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		if (!counter_get(port, counter, &value) || !value.saturated)
			continue;
		begin_sample(page, port);
		exposition_label(page, "counter", counter_name(counter));
		exposition_value(page, 1);
	}
}

static void write_above_threshold(struct exposition *page, const struct port_counters *port,
				  const void *context)
{
	const struct thresholds *thresholds = context;
	struct counter_value value;

	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		if (!thresholds_exceeded(thresholds, port, counter, &value))
			continue;
		begin_sample(page, port);
		exposition_label(page, "counter", counter_name(counter));
		exposition_value(page, 1);
	}
}

static void metrics_of(struct exposition *page, const struct view *view, enum view_type type)
{
	for (enum counter counter = 0; counter < COUNTERS; counter++) {
		exposition_family(page, &counters[counter][type]);
		each_port(page, view, type, write_counter, &counter);
	}
	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		exposition_family(page, &details[i].metric[type]);
		each_port(page, view, type, write_detail, &details[i]);
	}
}

static bool has_own_names(enum pma_attribute attribute)
{
	return PMA_SET(attribute) & (PMA_SET_BASE | PMA_SET_DETAILS);
}

void port_metrics(struct exposition *page, const struct view *view)
{
	for (enum view_type type = 0; type < VIEW_TYPES; type++)
		metrics_of(page, view, type);
	exposition_family(page, &other);
	for (enum pma_attribute attribute = 0; attribute < PMA_ATTRIBUTES; attribute++)
		for (enum view_type type = 0; type < VIEW_TYPES && !has_own_names(attribute);
		     type++)
			each_port(page, view, type, write_other, &attribute);
	exposition_family(page, &saturated);
	for (enum view_type type = 0; type < VIEW_TYPES; type++)
		each_port(page, view, type, write_saturated, NULL);
	exposition_family(page, &above_threshold);
	for (enum view_type type = 0; type < VIEW_TYPES; type++)
		each_port(page, view, type, write_above_threshold, view->thresholds);
}
