/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of classes, methods, attributes and states, translated in both directions by tables. */
#include "api/handles.h"

#include <errno.h>
#include <strings.h>

#include "base/mad_class.h"

#define EVERY_CLASS 0

/* Names a number of one class, or of every class. */
struct name {
	uint8_t mgmt_class;
	uint16_t number;
	const char *text;
};

struct status {
	struct name name;
	const char *meaning;
};

static const struct name classes[] = {
	{ EVERY_CLASS, MADRING_CLASS_SMP, "SMP" },
	{ EVERY_CLASS, MADRING_CLASS_SMP_DIRECTED, "SMPDirected" },
	{ EVERY_CLASS, MADRING_CLASS_SA, "SA" },
	{ EVERY_CLASS, MADRING_CLASS_PMA, "PMA" },
	{ EVERY_CLASS, MADRING_CLASS_BM, "BM" },
	{ EVERY_CLASS, MADRING_CLASS_DM, "DM" },
	{ EVERY_CLASS, MADRING_CLASS_CM, "CM" },
	{ EVERY_CLASS, MADRING_CLASS_SNMP, "SNMP" },
	{ EVERY_CLASS, MADRING_CLASS_DEVICE_ADMINISTRATION, "DevAdm" },
	{ EVERY_CLASS, MADRING_CLASS_BOOT_MANAGEMENT, "BootMgt" },
	{ EVERY_CLASS, MADRING_CLASS_BIS, "BIS" },
	{ EVERY_CLASS, MADRING_CLASS_CC, "CC" },
};

static const struct name methods[] = {
	{ EVERY_CLASS, MADRING_GET, "Get" },
	{ EVERY_CLASS, MADRING_SET, "Set" },
	{ EVERY_CLASS, MADRING_GET_RESP, "GetResp" },
	{ EVERY_CLASS, MADRING_SEND, "Send" },
	{ EVERY_CLASS, MADRING_TRAP, "Trap" },
	{ EVERY_CLASS, MADRING_REPORT, "Report" },
	{ EVERY_CLASS, MADRING_REPORT_RESP, "ReportResp" },
	{ EVERY_CLASS, MADRING_TRAP_REPRESS, "TrapRepress" },

	{ MADRING_CLASS_SA, MADRING_GET_TABLE, "GetTable" },
	{ MADRING_CLASS_SA, MADRING_GET_TABLE_RESP, "GetTableResp" },
	{ MADRING_CLASS_SA, MADRING_GET_TRACE_TABLE, "GetTraceTable" },
	{ MADRING_CLASS_SA, MADRING_GET_MULTI, "GetMulti" },
	{ MADRING_CLASS_SA, MADRING_GET_MULTI_RESP, "GetMultiResp" },
	{ MADRING_CLASS_SA, MADRING_DELETE, "Delete" },
	{ MADRING_CLASS_SA, MADRING_DELETE_RESP, "DeleteResp" },
};

static const struct name attributes[] = {
	{ EVERY_CLASS, MADRING_ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ EVERY_CLASS, MADRING_ATTR_NOTICE, "Notice" },
	{ EVERY_CLASS, MADRING_ATTR_INFORM_INFO, "InformInfo" },

	{ MADRING_CLASS_SMP, MADRING_ATTR_NODE_DESCRIPTION, "NodeDescription" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_NODE_INFO, "NodeInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_SWITCH_INFO, "SwitchInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_GUID_INFO, "GUIDInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, "PortInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_PKEY_TABLE, "P_KeyTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_SL_TO_VL_MAPPING_TABLE, "SLtoVLMappingTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_VL_ARBITRATION_TABLE, "VLArbitrationTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_LINEAR_FORWARDING_TABLE, "LinearForwardingTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_RANDOM_FORWARDING_TABLE, "RandomForwardingTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_MULTICAST_FORWARDING_TABLE, "MulticastForwardingTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_LINK_SPEED_WIDTH_PAIRS_TABLE,
	  "LinkSpeedWidthPairsTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_VENDOR_SPECIFIC_MADS_TABLE, "VendorSpecificMadsTable" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_HIERARCHY_INFO, "HierarchyInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_SM_INFO, "SMInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_VENDOR_DIAG, "VendorDiag" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_LED_INFO, "LedInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_CABLE_INFO, "CableInfo" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO_EXTENDED, "PortInfoExtended" },
	{ MADRING_CLASS_SMP, MADRING_ATTR_EXTENDED_PORT_INFO, "ExtendedPortInfo" },

	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_SAMPLES_CONTROL, "PortSamplesControl" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_SAMPLES_RESULT, "PortSamplesResult" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_COUNTERS, "PortCounters" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_RCV_ERROR_DETAILS, "PortRcvErrorDetails" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_XMIT_DISCARD_DETAILS, "PortXmitDiscardDetails" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_OP_RCV_COUNTERS, "PortOpRcvCounters" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_FLOW_CTL_COUNTERS, "PortFlowCtlCounters" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_VL_OP_PACKETS, "PortVLOpPackets" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_VL_OP_DATA, "PortVLOpData" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS,
	  "PortVLXmitFlowCtlUpdateErrors" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_VL_XMIT_WAIT_COUNTERS, "PortVLXmitWaitCounters" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_COUNTERS_EXTENDED, "PortCountersExtended" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_SAMPLES_RESULT_EXTENDED,
	  "PortSamplesResultExtended" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS,
	  "PortExtendedSpeedsCounters" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_SW_PORT_VL_CONGESTION, "SwPortVLCongestion" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_RCV_CON_CTRL, "PortRcvConCtrl" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_SL_RCV_FECN, "PortSLRcvFECN" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_SL_RCV_BECN, "PortSLRcvBECN" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_XMIT_CON_CTRL, "PortXmitConCtrl" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_VL_XMIT_TIME_CONG, "PortVLXmitTimeCong" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_XMIT_DATA_SL, "PortXmitDataSL" },
	{ MADRING_CLASS_PMA, MADRING_ATTR_PORT_RCV_DATA_SL, "PortRcvDataSL" },

	{ MADRING_CLASS_SA, MADRING_ATTR_NODE_RECORD, "NodeRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_PORT_INFO_RECORD, "PortInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_SL_TO_VL_MAPPING_TABLE_RECORD,
	  "SLtoVLMappingTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_SWITCH_INFO_RECORD, "SwitchInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_LINEAR_FORWARDING_TABLE_RECORD,
	  "LinearForwardingTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_RANDOM_FORWARDING_TABLE_RECORD,
	  "RandomForwardingTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_MULTICAST_FORWARDING_TABLE_RECORD,
	  "MulticastForwardingTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_SM_INFO_RECORD, "SMInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_LINK_SPEED_WIDTH_PAIRS_TABLE_RECORD,
	  "LinkSpeedWidthPairsTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_LINK_RECORD, "LinkRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_GUID_INFO_RECORD, "GUIDInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_SERVICE_RECORD, "ServiceRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_PKEY_TABLE_RECORD, "P_KeyTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_PATH_RECORD, "PathRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_VL_ARBITRATION_TABLE_RECORD, "VLArbitrationTableRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_MC_MEMBER_RECORD, "MCMemberRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_TRACE_RECORD, "TraceRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_MULTI_PATH_RECORD, "MultiPathRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_SERVICE_ASSOCIATION_RECORD, "ServiceAssociationRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_HIERARCHY_INFO_RECORD, "HierarchyInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_CABLE_INFO_RECORD, "CableInfoRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_PORT_INFO_EXTENDED_RECORD, "PortInfoExtendedRecord" },
	{ MADRING_CLASS_SA, MADRING_ATTR_INFORM_INFO_RECORD, "InformInfoRecord" },

	{ MADRING_CLASS_BM, MADRING_ATTR_BM_BKEY_INFO, "B_KeyInfo" },

	{ MADRING_CLASS_DM, MADRING_ATTR_DM_IO_UNIT_INFO, "IOUnitInfo" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_IO_CONTROLLER_PROFILE, "IOControllerProfile" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_SERVICE_ENTRIES, "ServiceEntries" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_DIAGNOSTIC_TIMEOUT, "DiagnosticTimeout" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_PREPARE_TO_TEST, "PrepareToTest" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_TEST_DEVICE_ONCE, "TestDeviceOnce" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_TEST_DEVICE_LOOP, "TestDeviceLoop" },
	{ MADRING_CLASS_DM, MADRING_ATTR_DM_DIAG_CODE, "DiagCode" },

	{ MADRING_CLASS_CM, MADRING_ATTR_CM_REQ, "REQ" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_MRA, "MRA" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_REJ, "REJ" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_REP, "REP" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_RTU, "RTU" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_DREQ, "DREQ" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_DREP, "DREP" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_SIDR_REQ, "SIDR_REQ" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_SIDR_REP, "SIDR_REP" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_LAP, "LAP" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_APR, "APR" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_SAP, "SAP" },
	{ MADRING_CLASS_CM, MADRING_ATTR_CM_SPR, "SPR" },

	{ MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_INFO, "CongestionInfo" },
	{ MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_KEY_INFO, "CongestionKeyInfo" },
	{ MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_LOG, "CongestionLog" },
	{ MADRING_CLASS_CC, MADRING_ATTR_SWITCH_CONGESTION_SETTING, "SwitchCongestionSetting" },
	{ MADRING_CLASS_CC, MADRING_ATTR_SWITCH_PORT_CONGESTION_SETTING,
	  "SwitchPortCongestionSetting" },
	{ MADRING_CLASS_CC, MADRING_ATTR_CA_CONGESTION_SETTING, "CACongestionSetting" },
	{ MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_CONTROL_TABLE, "CongestionControlTable" },
	{ MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_TIME_STAMP, "TimeStamp" },
};

static const struct status states[] = {
	{ { EVERY_CLASS, 0, "SUCCESS" }, "success" },
	{ { EVERY_CLASS, MADRING_STATUS_BUSY, "BUSY" },
	  "busy: the destination discarded the request" },
	{ { EVERY_CLASS, MADRING_STATUS_REDIRECT, "REDIRECT" },
	  "redirect: the request belongs to another address" },
	{ { EVERY_CLASS, MADRING_STATUS_BAD_VERSION, "BAD_VERSION" },
	  "unsupported class or version" },
	{ { EVERY_CLASS, MADRING_STATUS_BAD_METHOD, "BAD_METHOD" }, "unsupported method" },
	{ { EVERY_CLASS, MADRING_STATUS_BAD_ATTRIBUTE, "BAD_ATTRIBUTE" },
	  "unsupported attribute, or method for this attribute" },
	{ { EVERY_CLASS, MADRING_STATUS_BAD_VALUE, "BAD_VALUE" },
	  "invalid value in the attribute or its modifier" },

	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_NO_RESOURCES, "SA_NO_RESOURCES" },
	  "SA: not enough resources to answer" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_REQ_INVALID, "SA_REQ_INVALID" },
	  "SA: invalid request" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_NO_RECORDS, "SA_NO_RECORDS" },
	  "SA: no record matches" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_TOO_MANY_RECORDS, "SA_TOO_MANY_RECORDS" },
	  "SA: more than one record matches a Get" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_INVALID_GID, "SA_INVALID_GID" },
	  "SA: invalid GID" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_INSUFFICIENT_COMPONENTS,
	    "SA_INSUFFICIENT_COMPONENTS" },
	  "SA: the component mask lacks required components" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_REQ_DENIED, "SA_REQ_DENIED" },
	  "SA: request denied" },
	{ { MADRING_CLASS_SA, MADRING_STATUS_SA_PRIORITY_SUGGESTED, "SA_PRIORITY_SUGGESTED" },
	  "SA: another priority is suggested" },

	{ { MADRING_CLASS_DM, MADRING_STATUS_DM_NO_RESPONSE, "DM_NO_RESPONSE" },
	  "device management: the I/O controller does not respond" },
	{ { MADRING_CLASS_DM, MADRING_STATUS_DM_NO_SERVICE_ENTRIES, "DM_NO_SERVICE_ENTRIES" },
	  "device management: no service entries" },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns the class whose names a class has: both classes of SMPs have the same. */
static uint8_t class_of_names(uint8_t mgmt_class)
{
	return mgmt_class == MADRING_CLASS_SMP_DIRECTED ? MADRING_CLASS_SMP : mgmt_class;
}

static bool has_name(const struct name *name, uint8_t mgmt_class)
{
	return name->mgmt_class == EVERY_CLASS || name->mgmt_class == class_of_names(mgmt_class);
}

static const char *find_text(const struct name *names, size_t count, uint8_t mgmt_class,
			     uint16_t number)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].number == number && has_name(&names[i], mgmt_class))
			return names[i].text;
	return NULL;
}

static int find_number(const struct name *names, size_t count, uint8_t mgmt_class, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (has_name(&names[i], mgmt_class) && strcasecmp(names[i].text, text) == 0)
			return names[i].number;
	return -ENOENT;
}

API const char *madring_class_name(uint8_t mgmt_class)
{
	return find_text(classes, COUNT(classes), EVERY_CLASS, mgmt_class);
}

API int madring_class_number(const char *name)
{
	return find_number(classes, COUNT(classes), EVERY_CLASS, name);
}

API const char *madring_method_name(uint8_t mgmt_class, uint8_t method)
{
	return find_text(methods, COUNT(methods), mgmt_class, method);
}

API int madring_method_number(uint8_t mgmt_class, const char *name)
{
	return find_number(methods, COUNT(methods), mgmt_class, name);
}

API const char *madring_attribute_name(uint8_t mgmt_class, uint16_t attr_id)
{
	return find_text(attributes, COUNT(attributes), mgmt_class, attr_id);
}

API int madring_attribute_number(uint8_t mgmt_class, const char *name)
{
	return find_number(attributes, COUNT(attributes), mgmt_class, name);
}

#define STATUS_OF_CLASS	 0xff00u /* the bits of a status that the class defines (IBA 13.4.7) */
#define STATUS_OF_FIELDS 0x001cu /* the bits that say what was refused */

/* Returns the part of a status that madring_status_name() names. */
static uint16_t main_part(uint8_t mgmt_class, uint16_t status)
{
	if (mad_class_of(mgmt_class)->is_smp)
		status &= MAD_STATUS_MASK;
	if (status & STATUS_OF_CLASS)
		return status & STATUS_OF_CLASS;
	if (status & STATUS_OF_FIELDS)
		return status & STATUS_OF_FIELDS;
	return status & MADRING_STATUS_BUSY ? MADRING_STATUS_BUSY : status;
}

static const struct status *find_status(uint8_t mgmt_class, uint16_t status)
{
	uint16_t part = main_part(mgmt_class, status);

	for (size_t i = 0; i < COUNT(states); i++)
		if (states[i].name.number == part && has_name(&states[i].name, mgmt_class))
			return &states[i];
	return NULL;
}

API const char *madring_status_name(uint8_t mgmt_class, uint16_t status)
{
	const struct status *found = find_status(mgmt_class, status);

	return found ? found->name.text : NULL;
}

API const char *madring_status_text(uint8_t mgmt_class, uint16_t status)
{
	const struct status *found = find_status(mgmt_class, status);

	if (found)
		return found->meaning;
	return status & STATUS_OF_CLASS ? "a status of the class that madring does not know"
					: "a reserved status";
}

API const char *madring_completion_text(const struct madring_completion *completion)
{
	const struct madring_mad *mad = completion->mad;

	if (completion->status)
		return madring_error_text(completion->status);
	if (!mad || !madring_mad_status(mad))
		return NULL;
	return madring_status_text(madring_mad_const_header(mad)->mgmt_class,
				   madring_mad_status(mad));
}

API int madring_status_number(uint8_t mgmt_class, const char *name)
{
	for (size_t i = 0; i < COUNT(states); i++)
		if (find_number(&states[i].name, 1, mgmt_class, name) >= 0)
			return states[i].name.number;
	return -ENOENT;
}
