/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names the numbers of a MAD: its management class, method, attribute and status. Functions
 * translate each number to its name and back. All numbers are in host byte order.
 *
 * Names are those of the InfiniBand Architecture Specification (IBA), such as "PortInfo". The
 * functions that look a name up ignore upper and lower case.
 */
#ifndef MADRING_NAMES_H
#define MADRING_NAMES_H

#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_completion; /* see send.h */

/* Management classes (IBA 13.4.4). */
enum madring_class {
	MADRING_CLASS_SMP = 0x01,	   /* subnet management, routed by LID */
	MADRING_CLASS_SMP_DIRECTED = 0x81, /* subnet management, by a directed route */
	MADRING_CLASS_SA = 0x03,	   /* subnet administration */
	MADRING_CLASS_PMA = 0x04,	   /* performance management */
	MADRING_CLASS_BM = 0x05,	   /* baseboard management */
	MADRING_CLASS_DM = 0x06,	   /* device management */
	MADRING_CLASS_CM = 0x07,	   /* communication management */
	MADRING_CLASS_SNMP = 0x08,	   /* SNMP tunneling */
	MADRING_CLASS_VENDOR = 0x09, /* the first vendor class without an OUI; the last: 0x0f */
	MADRING_CLASS_DEVICE_ADMINISTRATION = 0x10,
	MADRING_CLASS_BOOT_MANAGEMENT = 0x11,
	MADRING_CLASS_BIS = 0x12,	 /* boot information service */
	MADRING_CLASS_CC = 0x21,	 /* congestion control */
	MADRING_CLASS_VENDOR_OUI = 0x30, /* the first vendor class with an OUI; the last: 0x4f */
};

/* Attributes. The same number means different attributes in different classes. */
enum madring_attribute {
	/* Attributes of every class (IBA 13.4.8). */
	MADRING_ATTR_CLASS_PORT_INFO = 0x0001,
	MADRING_ATTR_NOTICE = 0x0002,
	MADRING_ATTR_INFORM_INFO = 0x0003,

	/* Attributes of subnet management (IBA 14.2.5). */
	MADRING_ATTR_NODE_DESCRIPTION = 0x0010,
	MADRING_ATTR_NODE_INFO = 0x0011,
	MADRING_ATTR_SWITCH_INFO = 0x0012,
	MADRING_ATTR_GUID_INFO = 0x0014,
	MADRING_ATTR_PORT_INFO = 0x0015,
	MADRING_ATTR_PKEY_TABLE = 0x0016,
	MADRING_ATTR_SL_TO_VL_MAPPING_TABLE = 0x0017,
	MADRING_ATTR_VL_ARBITRATION_TABLE = 0x0018,
	MADRING_ATTR_LINEAR_FORWARDING_TABLE = 0x0019,
	MADRING_ATTR_RANDOM_FORWARDING_TABLE = 0x001a,
	MADRING_ATTR_MULTICAST_FORWARDING_TABLE = 0x001b,
	MADRING_ATTR_LINK_SPEED_WIDTH_PAIRS_TABLE = 0x001c,
	MADRING_ATTR_VENDOR_SPECIFIC_MADS_TABLE = 0x001d,
	MADRING_ATTR_HIERARCHY_INFO = 0x001e,
	MADRING_ATTR_SM_INFO = 0x0020,
	MADRING_ATTR_VENDOR_DIAG = 0x0030,
	MADRING_ATTR_LED_INFO = 0x0031,
	MADRING_ATTR_CABLE_INFO = 0x0032,
	MADRING_ATTR_PORT_INFO_EXTENDED = 0x0033,
	MADRING_ATTR_EXTENDED_PORT_INFO = 0xff90, /* NVIDIA's own: FDR10 among others */

	/* Attributes of performance management (IBA 16.1.3, 16.1.4, A10.4). */
	MADRING_ATTR_PORT_SAMPLES_CONTROL = 0x0010,
	MADRING_ATTR_PORT_SAMPLES_RESULT = 0x0011,
	MADRING_ATTR_PORT_COUNTERS = 0x0012,
	MADRING_ATTR_PORT_RCV_ERROR_DETAILS = 0x0015,
	MADRING_ATTR_PORT_XMIT_DISCARD_DETAILS = 0x0016,
	MADRING_ATTR_PORT_OP_RCV_COUNTERS = 0x0017,
	MADRING_ATTR_PORT_FLOW_CTL_COUNTERS = 0x0018,
	MADRING_ATTR_PORT_VL_OP_PACKETS = 0x0019,
	MADRING_ATTR_PORT_VL_OP_DATA = 0x001a,
	MADRING_ATTR_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS = 0x001b,
	MADRING_ATTR_PORT_VL_XMIT_WAIT_COUNTERS = 0x001c,
	MADRING_ATTR_PORT_COUNTERS_EXTENDED = 0x001d,
	MADRING_ATTR_PORT_SAMPLES_RESULT_EXTENDED = 0x001e,
	MADRING_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS = 0x001f,
	MADRING_ATTR_SW_PORT_VL_CONGESTION = 0x0030,
	MADRING_ATTR_PORT_RCV_CON_CTRL = 0x0031,
	MADRING_ATTR_PORT_SL_RCV_FECN = 0x0032,
	MADRING_ATTR_PORT_SL_RCV_BECN = 0x0033,
	MADRING_ATTR_PORT_XMIT_CON_CTRL = 0x0034,
	MADRING_ATTR_PORT_VL_XMIT_TIME_CONG = 0x0035,
	MADRING_ATTR_PORT_XMIT_DATA_SL = 0x0036,
	MADRING_ATTR_PORT_RCV_DATA_SL = 0x0037,

	/* Attributes of subnet administration (IBA 15.2.5). */
	MADRING_ATTR_NODE_RECORD = 0x0011,
	MADRING_ATTR_PORT_INFO_RECORD = 0x0012,
	MADRING_ATTR_SL_TO_VL_MAPPING_TABLE_RECORD = 0x0013,
	MADRING_ATTR_SWITCH_INFO_RECORD = 0x0014,
	MADRING_ATTR_LINEAR_FORWARDING_TABLE_RECORD = 0x0015,
	MADRING_ATTR_RANDOM_FORWARDING_TABLE_RECORD = 0x0016,
	MADRING_ATTR_MULTICAST_FORWARDING_TABLE_RECORD = 0x0017,
	MADRING_ATTR_SM_INFO_RECORD = 0x0018,
	MADRING_ATTR_LINK_SPEED_WIDTH_PAIRS_TABLE_RECORD = 0x0019,
	MADRING_ATTR_LINK_RECORD = 0x0020,
	MADRING_ATTR_GUID_INFO_RECORD = 0x0030,
	MADRING_ATTR_SERVICE_RECORD = 0x0031,
	MADRING_ATTR_PKEY_TABLE_RECORD = 0x0033,
	MADRING_ATTR_PATH_RECORD = 0x0035,
	MADRING_ATTR_VL_ARBITRATION_TABLE_RECORD = 0x0036,
	MADRING_ATTR_MC_MEMBER_RECORD = 0x0038,
	MADRING_ATTR_TRACE_RECORD = 0x0039,
	MADRING_ATTR_MULTI_PATH_RECORD = 0x003a,
	MADRING_ATTR_SERVICE_ASSOCIATION_RECORD = 0x003b,
	MADRING_ATTR_HIERARCHY_INFO_RECORD = 0x003c,
	MADRING_ATTR_CABLE_INFO_RECORD = 0x003d,
	MADRING_ATTR_PORT_INFO_EXTENDED_RECORD = 0x003e,
	MADRING_ATTR_INFORM_INFO_RECORD = 0x00f3,

	/* Attributes of baseboard management (IBA 16.2.3). */
	MADRING_ATTR_BM_BKEY_INFO = 0x0010,

	/* Attributes of device management (IBA 16.3.3). */
	MADRING_ATTR_DM_IO_UNIT_INFO = 0x0010,
	MADRING_ATTR_DM_IO_CONTROLLER_PROFILE = 0x0011,
	MADRING_ATTR_DM_SERVICE_ENTRIES = 0x0012,
	MADRING_ATTR_DM_DIAGNOSTIC_TIMEOUT = 0x0020,
	MADRING_ATTR_DM_PREPARE_TO_TEST = 0x0021,
	MADRING_ATTR_DM_TEST_DEVICE_ONCE = 0x0022,
	MADRING_ATTR_DM_TEST_DEVICE_LOOP = 0x0023,
	MADRING_ATTR_DM_DIAG_CODE = 0x0024,

	/* Messages of communication management (IBA 12.6). */
	MADRING_ATTR_CM_REQ = 0x0010,
	MADRING_ATTR_CM_MRA = 0x0011,
	MADRING_ATTR_CM_REJ = 0x0012,
	MADRING_ATTR_CM_REP = 0x0013,
	MADRING_ATTR_CM_RTU = 0x0014,
	MADRING_ATTR_CM_DREQ = 0x0015,
	MADRING_ATTR_CM_DREP = 0x0016,
	MADRING_ATTR_CM_SIDR_REQ = 0x0017,
	MADRING_ATTR_CM_SIDR_REP = 0x0018,
	MADRING_ATTR_CM_LAP = 0x0019,
	MADRING_ATTR_CM_APR = 0x001a,
	MADRING_ATTR_CM_SAP = 0x001b,
	MADRING_ATTR_CM_SPR = 0x001c,

	/* Attributes of congestion control (IBA A10.4.3). */
	MADRING_ATTR_CONGESTION_INFO = 0x0011,
	MADRING_ATTR_CONGESTION_KEY_INFO = 0x0012,
	MADRING_ATTR_CONGESTION_LOG = 0x0013,
	MADRING_ATTR_SWITCH_CONGESTION_SETTING = 0x0014,
	MADRING_ATTR_SWITCH_PORT_CONGESTION_SETTING = 0x0015,
	MADRING_ATTR_CA_CONGESTION_SETTING = 0x0016,
	MADRING_ATTR_CONGESTION_CONTROL_TABLE = 0x0017,
	MADRING_ATTR_CONGESTION_TIME_STAMP = 0x0018,
};

/*
 * Values of a MAD's status (IBA 13.4.7), as madring_mad_status() returns it. The lower 8 bits mean
 * the same in every class; the upper 8 bits depend on the class.
 */
enum madring_status {
	MADRING_STATUS_BUSY = 0x0001,	  /* the destination discarded the request; repeat it */
	MADRING_STATUS_REDIRECT = 0x0002, /* ask whom the ClassPortInfo names */
	MADRING_STATUS_BAD_VERSION = 0x0004,
	MADRING_STATUS_BAD_METHOD = 0x0008,
	MADRING_STATUS_BAD_ATTRIBUTE = 0x000c, /* or it does not go with the method */
	MADRING_STATUS_BAD_VALUE = 0x001c,     /* in the attribute or its modifier */

	/* Values of subnet administration (IBA 15.2.4.1). */
	MADRING_STATUS_SA_NO_RESOURCES = 0x0100,
	MADRING_STATUS_SA_REQ_INVALID = 0x0200,
	MADRING_STATUS_SA_NO_RECORDS = 0x0300,
	MADRING_STATUS_SA_TOO_MANY_RECORDS = 0x0400,
	MADRING_STATUS_SA_INVALID_GID = 0x0500,
	MADRING_STATUS_SA_INSUFFICIENT_COMPONENTS = 0x0600,
	MADRING_STATUS_SA_REQ_DENIED = 0x0700,
	MADRING_STATUS_SA_PRIORITY_SUGGESTED = 0x0800,

	/* Values of device management (IBA 16.3.1). */
	MADRING_STATUS_DM_NO_RESPONSE = 0x0100,
	MADRING_STATUS_DM_NO_SERVICE_ENTRIES = 0x0200,
};

/*
 * Returns the name of a class: "SMP", "SMPDirected", "SA", "PMA", "BM", "DM", "CM", "SNMP",
 * "DevAdm", "BootMgt", "BIS" or "CC"; NULL for every other class. The string is constant.
 */
const char *madring_class_name(uint8_t mgmt_class);

/*
 * Returns the name of a method, such as "Get" or "GetTableResp"; NULL when it has none. The string
 * is constant. The methods that all classes have in common are known for an unknown class, too.
 */
const char *madring_method_name(uint8_t mgmt_class, uint8_t method);

/*
 * Returns the name of an attribute, such as "PortCountersExtended"; NULL when it has none. The
 * string is constant. The attributes of every class are known for an unknown class, too.
 */
const char *madring_attribute_name(uint8_t mgmt_class, uint16_t attr_id);

/*
 * Returns the name of a status, such as "BUSY" or "SA_NO_RECORDS"; "SUCCESS" for 0, and NULL for a
 * reserved value. The string is constant. Bit 15, the direction of a directed-route SMP, is ignored
 * in classes 0x01 and 0x81. A status can have several parts; the one that is named is the class's
 * own, else the refused field, else BUSY, else REDIRECT.
 */
const char *madring_status_name(uint8_t mgmt_class, uint16_t status);

/*
 * Explains a status in words, such as "busy: the request was discarded", by the same rules as
 * madring_status_name(). Never returns NULL; the string is constant.
 */
const char *madring_status_text(uint8_t mgmt_class, uint16_t status);

/*
 * Explains in words why a request has no good reply: by madring_error_text() if no reply came, and
 * by madring_status_text() if the reply has a status. Returns NULL when there is nothing to
 * explain: the reply has status 0, or none was expected.
 */
const char *madring_completion_text(const struct madring_completion *completion);

/* Returns the number of a class by its name, or -ENOENT when there is no such class. */
int madring_class_number(const char *name);

/* Returns the number of a method by its name, or -ENOENT when the class has no such method. */
int madring_method_number(uint8_t mgmt_class, const char *name);

/* Returns the number of an attribute by its name, or -ENOENT when the class has none of it. */
int madring_attribute_number(uint8_t mgmt_class, const char *name);

/*
 * Returns a status by the name that madring_status_name() returns, or -ENOENT when the class has
 * no such status.
 */
int madring_status_number(uint8_t mgmt_class, const char *name);

#ifdef __cplusplus
}
#endif
#endif
