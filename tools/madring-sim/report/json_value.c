/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdio.h>

#include <infiniband/umad_str.h>
#include <infiniband/umad_types.h>

#include "common/utf8.h"

#include "fabric/model.h"
#include "report/json_value.h"
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

/* The attribute's name in the InfiniBand Architecture; "" for any other. */
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

struct json_object *json_of_kinds(const struct fabric_stats *stats)
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
