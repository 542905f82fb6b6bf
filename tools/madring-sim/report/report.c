/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
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

void json_add_node(struct json_object *object, const struct topology_node *node)
{
	char name[DESCRIPTION_BYTES + 1];

	snprintf(name, sizeof(name), "%s", node->description);
	utf8_make_printable(name);
	json_add_text(object, "name", name);
	json_add(object, "guid", json_guid(node->node_guid));
	json_add_text(object, "type", node_type_name(node->type));
}

struct json_object *json_of_model(const struct fabric_model *model)
{
	struct json_object *object = json_new_object();
	char text[32];
	double value;

	for (size_t i = 0; i < MODEL_NUMBERS; i++) {
		value = model_get(model, &model_numbers[i]);
		/* 15 digits show a number as it was written. */
		snprintf(text, sizeof(text), "%.15g", value);
		if (model_numbers[i].kind == MODEL_PROBABILITY)
			json_add(object, model_numbers[i].name, json_new_real_as(value, text));
		else
			json_add_number(object, model_numbers[i].name, (uint64_t)value);
	}
	return object;
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

struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "class", mgmt_class);
	json_add_number(object, "method", method);
	json_add_number(object, "attribute", attribute);
	json_add_text(object, "class_name", umad_class_str(mgmt_class));
	json_add_text(object, "method_name", umad_method_str(mgmt_class, method));
	json_add_text(object, "name", attribute_name(mgmt_class, attribute));
	return object;
}

static void add(struct json_object *array, struct json_object *object,
		const struct fabric_kind *kind)
{
	json_add_number(object, "sent", kind->sent);
	json_add_number(object, "answered", kind->answered);
	json_append(array, object);
}

/* json_of_kinds returns all kinds that were sent, and how many of each were answered. */
static struct json_object *json_of_kinds(const struct fabric_stats *stats)
{
	const struct fabric_kind *other = &stats->kind[FABRIC_KINDS];
	struct json_object *array = json_new_array(), *object;

	for (unsigned int i = 0; i < stats->kind_count; i++) {
		const struct fabric_kind *kind = &stats->kind[i];

		object = json_of_kind(kind->mgmt_class, kind->method, kind->attribute);
		add(array, object, kind);
	}
	if (other->sent) {
		object = json_new_object();
		json_add_text(object, "name", "all others");
		add(array, object, other);
	}
	return array;
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

static struct json_object *dropped_object(const struct fabric_stats *stats)
{
	struct json_object *object = json_new_object();

	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		json_add_number(object, drop_cause_name(cause), stats->dropped[cause]);
	return object;
}

/* json_of_drops returns what was dropped at a node, without the causes of no drop. */
static struct json_object *json_of_drops(const struct fabric *fabric,
					 const struct topology_node *node)
{
	struct json_object *object = json_new_object();

	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++) {
		uint64_t dropped = fabric_dropped(fabric, node, cause);

		if (dropped)
			json_add_number(object, drop_cause_name(cause), dropped);
	}
	return object;
}

void json_add_work(struct json_object *object, const struct fabric *fabric,
		   const struct topology_node *node)
{
	struct fabric_work work;

	fabric_work(fabric, node, &work);
	json_add_number(object, "served", work.served);
	json_add_number(object, "busy_ns", work.agent_busy);
	json_add_number(object, "passed_on", work.passed_on);
	json_add_number(object, "transit_ns", work.transit_busy);
	json_add_number(object, "taken", work.taken);
	json_add_number(object, "kernel_ns", work.kernel_busy);
	json_add(object, "dropped", json_of_drops(fabric, node));
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

/* json_of_busy_nodes returns all nodes that have worked or dropped something, and how much. */
static struct json_object *json_of_busy_nodes(const struct fabric *fabric)
{
	const struct topology *topology = fabric_topology(fabric);
	struct json_object *array = json_new_array(), *object;

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (!has_to_report(fabric, node))
			continue;
		object = json_new_object();
		json_add_node(object, node);
		json_add_work(object, fabric, node);
		json_append(array, object);
	}
	return array;
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

/* json_of_lower_bound returns a lower bound on any program's run time. */
static struct json_object *json_of_lower_bound(const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct json_object *object = json_new_object(), *busiest_object = NULL;
	const struct topology_node *busiest;
	uint64_t ns;

	busiest = find_busiest(fabric, &ns);
	if (busiest) {
		busiest_object = json_new_object();
		json_add_node(busiest_object, busiest);
		json_add_number(busiest_object, "ns", ns);
	}
	json_add_number(object, "ns", ns > stats->chain.ns ? ns : stats->chain.ns);
	json_add(object, "busiest", busiest_object);
	json_add_number(object, "chain_ns", stats->chain.ns);
	json_add_number(object, "chain_trips", stats->chain.trips);
	return object;
}

static struct json_object *fabric_object(const struct fabric *fabric)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct json_object *object = json_new_object();

	json_add_number(object, "sent", stats->sent);
	json_add_number(object, "delivered", stats->delivered);
	json_add_number(object, "answered", stats->answered);
	json_add_number(object, "traps", stats->traps);
	json_add_number(object, "duplicated", stats->duplicated);
	json_add_number(object, "reordered", stats->reordered);
	json_add_number(object, "corrupted", stats->corrupted);
	json_add(object, "dropped", dropped_object(stats));
	json_add(object, "kinds", json_of_kinds(stats));
	json_add(object, "nodes", json_of_busy_nodes(fabric));
	return object;
}

struct json_object *report_new(const struct fabric *fabric, const struct report_run *run)
{
	struct json_object *root = json_new_object();

	json_add_number(root, "seed", run->seed);
	json_add_text(root, "profile", run->profile);
	json_add(root, "model", json_of_model(fabric_model(fabric)));
	json_add_number(root, "time_ns", fabric_now(fabric));
	json_add(root, "fabric", fabric_object(fabric));
	json_add(root, "lower_bound", json_of_lower_bound(fabric));
	return root;
}

int report_print(struct json_object *report, FILE *out)
{
	int error = json_tree_print(out, report, JSON_INDENTED);

	if (error)
		return error;
	fputc('\n', out);
	return ferror(out) ? -EIO : 0;
}
