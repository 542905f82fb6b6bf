/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdio.h>

#include <infiniband/umad_str.h>
#include <infiniband/umad_types.h>

#include "json/utf8.h"
#include "fabric/model.h"
#include "report/report.h"
#include "topology/builder.h"

const char *node_type_name(enum node_type type)
{
	if (type == NODE_SWITCH)
		return "switch";
	return type == NODE_ROUTER ? "router" : "ca";
}

void report_node(struct json_writer *writer, const struct topology_node *node)
{
	char name[DESCRIPTION_BYTES + 1];

	snprintf(name, sizeof(name), "%s", node->description);
	utf8_make_printable(name);
	json_write_text(writer, "name", name);
	json_write_guid(writer, "guid", node->node_guid);
	json_write_text(writer, "type", node_type_name(node->type));
}

void report_model(struct json_writer *writer, const char *key, const struct fabric_model *model)
{
	char text[32];
	double value;

	json_write_open(writer, key, '{');
	for (size_t i = 0; i < MODEL_NUMBERS; i++) {
		value = model_get(model, &model_numbers[i]);
		/* 15 digits show a number as it was written. */
		snprintf(text, sizeof(text), "%.15g", value);
		if (model_numbers[i].kind == MODEL_PROBABILITY)
			json_write_digits(writer, model_numbers[i].name, text);
		else
			json_write_number(writer, model_numbers[i].name, (uint64_t)value);
	}
	json_write_close(writer, '}');
}

struct name {
	uint16_t attribute;
	const char *text;
};

static const struct name smp_names[] = {
	{ 0x0002, "Notice" },
	{ 0x0010, "NodeDescription" },
	{ 0x0011, "NodeInfo" },
	{ 0x0012, "SwitchInfo" },
	{ 0x0014, "GUIDInfo" },
	{ 0x0015, "PortInfo" },
	{ 0x0016, "P_KeyTable" },
	{ 0x0017, "SLtoVLMappingTable" },
	{ 0x0018, "VLArbitrationTable" },
	{ 0x0019, "LinearForwardingTable" },
	{ 0x001a, "RandomForwardingTable" },
	{ 0x001b, "MulticastForwardingTable" },
	{ 0x0020, "SMInfo" },
	{ 0x0030, "VendorDiag" },
	{ 0x0031, "LedInfo" },
	{ 0x0033, "PortInfoExtended" },
	{ 0xff90, "MlnxExtPortInfo" },
};

static const struct name perf_names[] = {
	{ 0x0001, "ClassPortInfo" },
	{ 0x0010, "PortSamplesControl" },
	{ 0x0011, "PortSamplesResult" },
	{ 0x0012, "PortCounters" },
	{ 0x0015, "PortRcvErrorDetails" },
	{ 0x0016, "PortXmitDiscardDetails" },
	{ 0x0017, "PortOpRcvCounters" },
	{ 0x0018, "PortFlowCtlCounters" },
	{ 0x0019, "PortVLOpPackets" },
	{ 0x001a, "PortVLOpData" },
	{ 0x001b, "PortVLXmitFlowCtlUpdateErrors" },
	{ 0x001c, "PortVLXmitWaitCounters" },
	{ 0x001d, "PortCountersExtended" },
	{ 0x001e, "PortSamplesResultExtended" },
	{ 0x0030, "SwPortVLCongestion" },
	{ 0x0031, "PortRcvConCtrl" },
	{ 0x0032, "PortSLRcvFECN" },
	{ 0x0033, "PortSLRcvBECN" },
	{ 0x0034, "PortXmitConCtrl" },
	{ 0x0035, "PortVLXmitTimeCong" },
	{ 0x0036, "PortXmitDataSL" },
	{ 0x0037, "PortRcvDataSL" },
	{ 0x0038, "PortExtendedSpeedsCounters" },
};

static const struct name sa_names[] = {
	{ 0x0001, "ClassPortInfo" },
	{ 0x0002, "Notice" },
	{ 0x0003, "InformInfo" },
	{ 0x0011, "NodeRecord" },
	{ 0x0012, "PortInfoRecord" },
	{ 0x0013, "SLtoVLMappingTableRecord" },
	{ 0x0014, "SwitchInfoRecord" },
	{ 0x0015, "LinearForwardingTableRecord" },
	{ 0x0016, "RandomForwardingTableRecord" },
	{ 0x0017, "MulticastForwardingTableRecord" },
	{ 0x0018, "SMInfoRecord" },
	{ 0x0020, "LinkRecord" },
	{ 0x0030, "GuidInfoRecord" },
	{ 0x0031, "ServiceRecord" },
	{ 0x0033, "P_KeyTableRecord" },
	{ 0x0035, "PathRecord" },
	{ 0x0036, "VLArbitrationTableRecord" },
	{ 0x0038, "MCMemberRecord" },
	{ 0x0039, "TraceRecord" },
	{ 0x003a, "MultiPathRecord" },
	{ 0x003b, "ServiceAssociationRecord" },
	{ 0x00f3, "InformInfoRecord" },
};

static const char *find(const struct name *names, size_t count, uint16_t attribute)
{
	for (size_t i = 0; i < count; i++) {
		if (names[i].attribute == attribute)
			return names[i].text;
	}
	return "";
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* attribute_name returns an attribute's name in the InfiniBand Architecture; "" for any other. */
static const char *attribute_name(uint8_t mgmt_class, uint16_t attribute)
{
	switch (mgmt_class) {
	case UMAD_CLASS_SUBN_LID_ROUTED:
	case UMAD_CLASS_SUBN_DIRECTED_ROUTE:
		return find(smp_names, COUNT(smp_names), attribute);
	case UMAD_CLASS_PERF_MGMT:
		return find(perf_names, COUNT(perf_names), attribute);
	case UMAD_CLASS_SUBN_ADM:
		return find(sa_names, COUNT(sa_names), attribute);
	default:
		return "";
	}
}

void report_kind(struct json_writer *writer, uint8_t mgmt_class, uint8_t method, uint16_t attribute)
{
	json_write_number(writer, "class", mgmt_class);
	json_write_number(writer, "method", method);
	json_write_number(writer, "attribute", attribute);
	json_write_text(writer, "class_name", umad_class_str(mgmt_class));
	json_write_text(writer, "method_name", umad_method_str(mgmt_class, method));
	json_write_text(writer, "name", attribute_name(mgmt_class, attribute));
}

static void write_answered(struct json_writer *writer, const struct fabric_kind *kind)
{
	json_write_number(writer, "sent", kind->sent);
	json_write_number(writer, "answered", kind->answered);
}

/* write_kinds writes all kinds that were sent, and how many of each were answered. */
static void write_kinds(struct json_writer *writer, const struct fabric_stats *stats)
{
	const struct fabric_kind *other = &stats->kind[FABRIC_KINDS];

	json_write_open(writer, "kinds", '[');
	for (unsigned int i = 0; i < stats->kind_count; i++) {
		const struct fabric_kind *kind = &stats->kind[i];

		json_write_open(writer, NULL, '{');
		report_kind(writer, kind->mgmt_class, kind->method, kind->attribute);
		write_answered(writer, kind);
		json_write_close(writer, '}');
	}
	if (other->sent) {
		json_write_open(writer, NULL, '{');
		json_write_text(writer, "name", "all others");
		write_answered(writer, other);
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

const char *drop_cause_name(enum fabric_drop cause)
{
	static const char *const names[FABRIC_DROP_CAUSES] = {
		[FABRIC_DROP_LOST] = "lost",
		[FABRIC_DROP_NO_LINK] = "no_link",
		[FABRIC_DROP_INACTIVE] = "inactive_port",
		[FABRIC_DROP_NO_ROUTE] = "no_route",
		[FABRIC_DROP_LOOP] = "loop",
		[FABRIC_DROP_DEAD] = "dead_node",
		[FABRIC_DROP_FULL] = "queue_full",
		[FABRIC_DROP_INVALID] = "invalid",
		[FABRIC_DROP_KEY] = "m_key",
		[FABRIC_DROP_UNCLAIMED] = "unclaimed",
		[FABRIC_DROP_LOCAL_VL15] = "local_vl15",
		[FABRIC_DROP_LOCAL_RECEIVE] = "local_receive_buffers",
		[FABRIC_DROP_NO_MEMORY] = "no_memory",
	};

	return names[cause];
}

static void write_dropped(struct json_writer *writer, const struct fabric_stats *stats)
{
	json_write_open(writer, "dropped", '{');
	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		json_write_number(writer, drop_cause_name(cause), stats->dropped[cause]);
	json_write_close(writer, '}');
}

/* write_drops writes what was dropped at a node, without the causes of no drop. */
static void write_drops(struct json_writer *writer, const struct fabric *fabric,
			const struct topology_node *node)
{
	json_write_open(writer, "dropped", '{');
	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++) {
		uint64_t dropped = fabric_dropped(fabric, node, cause);

		if (dropped)
			json_write_number(writer, drop_cause_name(cause), dropped);
	}
	json_write_close(writer, '}');
}

void report_work(struct json_writer *writer, const struct fabric *fabric,
		 const struct topology_node *node)
{
	struct fabric_work work;

	fabric_work(fabric, node, &work);
	json_write_number(writer, "served", work.served);
	json_write_number(writer, "busy_ns", work.agent_busy);
	json_write_number(writer, "passed_on", work.passed_on);
	json_write_number(writer, "transit_ns", work.transit_busy);
	json_write_number(writer, "taken", work.taken);
	json_write_number(writer, "kernel_ns", work.kernel_busy);
	write_drops(writer, fabric, node);
}

static bool has_to_report(const struct fabric *fabric, const struct topology_node *node)
{
	struct fabric_work work;

	fabric_work(fabric, node, &work);
	if (work.served || work.passed_on || work.taken)
		return true;
	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++) {
		if (fabric_dropped(fabric, node, cause))
			return true;
	}
	return false;
}

/* write_busy_nodes writes all nodes that have worked or dropped something, and how much. */
static void write_busy_nodes(struct json_writer *writer, const struct fabric *fabric)
{
	const struct topology *topology = fabric_topology(fabric);

	json_write_open(writer, "nodes", '[');
	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (!has_to_report(fabric, node))
			continue;
		json_write_open(writer, NULL, '{');
		report_node(writer, node);
		report_work(writer, fabric, node);
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

/* busy_time returns how long a node was busy. Its agent, SMI and kernel work at the same time. */
static uint64_t busy_time(const struct fabric_work *work)
{
	uint64_t ns = work->agent_busy;

	if (work->transit_busy > ns)
		ns = work->transit_busy;
	return work->kernel_busy > ns ? work->kernel_busy : ns;
}

static const struct topology_node *find_busiest(const struct fabric *fabric, uint64_t *ns)
{
	const struct topology *topology = fabric_topology(fabric);
	const struct topology_node *busiest = NULL;
	struct fabric_work work;

	*ns = 0;
	for (size_t i = 0; i < topology->node_count; i++) {
		fabric_work(fabric, topology->nodes[i], &work);
		if (busy_time(&work) > *ns) {
			busiest = topology->nodes[i];
			*ns = busy_time(&work);
		}
	}
	return busiest;
}

/* write_lower_bound writes a lower bound on any program's run time. */
static void write_lower_bound(struct json_writer *writer, const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	const struct topology_node *busiest;
	uint64_t ns;

	busiest = find_busiest(fabric, &ns);
	json_write_open(writer, "lower_bound", '{');
	json_write_number(writer, "ns", ns > stats->chain.ns ? ns : stats->chain.ns);
	if (busiest) {
		json_write_open(writer, "busiest", '{');
		report_node(writer, busiest);
		json_write_number(writer, "ns", ns);
		json_write_close(writer, '}');
	} else {
		json_write_null(writer, "busiest");
	}
	json_write_number(writer, "chain_ns", stats->chain.ns);
	json_write_number(writer, "chain_trips", stats->chain.trips);
	json_write_close(writer, '}');
}

static void write_fabric(struct json_writer *writer, const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);

	json_write_open(writer, "fabric", '{');
	json_write_number(writer, "sent", stats->sent);
	json_write_number(writer, "delivered", stats->delivered);
	json_write_number(writer, "answered", stats->answered);
	json_write_number(writer, "traps", stats->traps);
	json_write_number(writer, "duplicated", stats->duplicated);
	json_write_number(writer, "reordered", stats->reordered);
	json_write_number(writer, "corrupted", stats->corrupted);
	write_dropped(writer, stats);
	write_kinds(writer, stats);
	write_busy_nodes(writer, fabric);
	json_write_close(writer, '}');
}

void report_begin(struct json_writer *writer, FILE *out, const struct fabric *fabric,
		  const struct report_run *run)
{
	json_write_start(writer, out, JSON_INDENTED);
	json_write_open(writer, NULL, '{');
	json_write_number(writer, "seed", run->seed);
	json_write_text(writer, "profile", run->profile);
	report_model(writer, "model", fabric_model(fabric));
	json_write_number(writer, "time_ns", fabric_now(fabric));
	write_fabric(writer, fabric);
	write_lower_bound(writer, fabric);
}

void report_end(struct json_writer *writer)
{
	json_write_close(writer, '}');
	json_write_end(writer);
}
