/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include <infiniband/mad.h>

#include "node_attributes.h"

/* The bit of FDR10 in ExtendedPortInfo.LinkSpeedActive. */
#define SPEED_FDR10 0x01

/* A copy of an attribute: libibmad reads aligned words and takes no const. */
struct attribute {
	_Alignas(8) uint8_t byte[IB_SMP_DATA_SIZE];
};

static struct attribute copy_attribute(const void *from)
{
	struct attribute attribute;

	memcpy(attribute.byte, from, sizeof(attribute.byte));
	return attribute;
}

static uint32_t field(struct attribute *attribute, enum MAD_FIELDS name)
{
	return mad_get_field(attribute->byte, 0, name);
}

static uint64_t field64(struct attribute *attribute, enum MAD_FIELDS name)
{
	return mad_get_field64(attribute->byte, 0, name);
}

static const char *node_info_check(const struct node_info *info, bool via_cable)
{
	if (info->type < NODE_CA || info->type > NODE_ROUTER)
		return "its node type is none of CA, switch, router";
	if (info->node_guid == 0)
		return "its node GUID is 0";
	if (info->port_count == 0 || info->port_count == 255)
		return "its number of ports is not in 1 to 254";
	if (info->local_port > info->port_count)
		return "its local port is beyond its number of ports";
	if (info->local_port == 0 && (via_cable || info->type != NODE_SWITCH))
		return "its local port is 0";
	return NULL;
}

const char *node_info_decode(struct node_info *info, const void *attribute, bool via_cable)
{
	struct attribute from = copy_attribute(attribute);

	*info = (struct node_info){
		.type = field(&from, IB_NODE_TYPE_F),
		.port_count = field(&from, IB_NODE_NPORTS_F),
		.local_port = field(&from, IB_NODE_LOCAL_PORT_F),
		.device_id = field(&from, IB_NODE_DEVID_F),
		.revision = field(&from, IB_NODE_REVISION_F),
		.vendor_id = field(&from, IB_NODE_VENDORID_F),
		.system_guid = field64(&from, IB_NODE_SYSTEM_GUID_F),
		.node_guid = field64(&from, IB_NODE_GUID_F),
		.port_guid = field64(&from, IB_NODE_PORT_GUID_F),
	};
	return node_info_check(info, via_cable);
}

/*
 * The byte of PortInfo that holds LinkSpeedExtActive2 in its bits 5 and 6, and
 * LinkSpeedExtSupported2 in 3 and 4. Older versions of libibmad do not know it.
 */
#define SPEED_EXT2_OFFSET 56

static uint8_t speed_ext2(const struct attribute *attribute, unsigned int shift)
{
	return (uint8_t)((attribute->byte[SPEED_EXT2_OFFSET] >> shift & 3) << 5);
}

void port_info_decode(struct port_info *info, const void *attribute)
{
	struct attribute from = copy_attribute(attribute);

	*info = (struct port_info){
		.lid = field(&from, IB_PORT_LID_F),
		.lmc = field(&from, IB_PORT_LMC_F),
		.state = field(&from, IB_PORT_STATE_F),
		.physical_state = field(&from, IB_PORT_PHYS_STATE_F),
		.width = field(&from, IB_PORT_LINK_WIDTH_ACTIVE_F),
		.speed = field(&from, IB_PORT_LINK_SPEED_ACTIVE_F),
		.speed_ext = field(&from, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
		.speed_ext2 = speed_ext2(&from, 5),
		.width_supported = field(&from, IB_PORT_LINK_WIDTH_SUPPORTED_F),
		.speed_supported = field(&from, IB_PORT_LINK_SPEED_SUPPORTED_F),
		.speed_ext_supported = field(&from, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F),
		.speed_ext2_supported = speed_ext2(&from, 3),
		.vl_cap = field(&from, IB_PORT_VL_CAP_F),
		.capability_mask = field(&from, IB_PORT_CAPMASK_F),
		.capability_mask2 = field(&from, IB_PORT_CAPMASK2_F),
	};
}

bool extended_port_info_fdr10(const void *attribute)
{
	struct attribute from = copy_attribute(attribute);

	return field(&from, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) & SPEED_FDR10;
}

bool extended_port_info_fdr10_supported(const void *attribute)
{
	struct attribute from = copy_attribute(attribute);

	return field(&from, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F) & SPEED_FDR10;
}

/* A range of device IDs, of one vendor or, if .vendor is 0, of any. */
struct device_range {
	uint32_t vendor_id;
	uint16_t first, last;
};

#define VENDOR_BULL 0x119f

/* The devices that ibnetdiscover(8) asks for ExtendedPortInfo. */
static const struct device_range extended_port_info_devices[] = {
	{ 0, 0x1003, 0x101b },					/* ConnectX-3 to ConnectX-6 */
	{ 0, 0xa2d2, 0xa2d2 },					/* BlueField */
	{ 0, 0xc738, 0xc73b },					/* SwitchX */
	{ 0, 0xc839, 0xc839 },		 { 0, 0xcb20, 0xcb20 }, /* Switch-IB */
	{ 0, 0xcf08, 0xcf09 },					/* Switch-IB 2 */
	{ 0, 0xd2f0, 0xd2f0 },					/* Quantum */
	{ VENDOR_BULL, 0x1b02, 0x1b02 }, /* the same silicon under Bull's name */
	{ VENDOR_BULL, 0x1b33, 0x1b33 }, { VENDOR_BULL, 0x1b40, 0x1b41 },
	{ VENDOR_BULL, 0x1b50, 0x1b50 }, { VENDOR_BULL, 0x1b60, 0x1b61 },
	{ VENDOR_BULL, 0x1b73, 0x1b73 }, { VENDOR_BULL, 0x1b83, 0x1b83 },
	{ VENDOR_BULL, 0x1b93, 0x1b94 }, { VENDOR_BULL, 0x1ba0, 0x1ba0 },
	{ VENDOR_BULL, 0x1bb4, 0x1bb5 }, { VENDOR_BULL, 0x1bc4, 0x1bc6 },
	{ VENDOR_BULL, 0x1bd0, 0x1bd5 }, { VENDOR_BULL, 0x1bf0, 0x1bf0 },
};

bool node_has_extended_port_info(const struct node_info *info)
{
	const size_t count = sizeof(extended_port_info_devices) / sizeof(struct device_range);

	for (size_t i = 0; i < count; i++) {
		const struct device_range *range = &extended_port_info_devices[i];

		if (range->vendor_id && range->vendor_id != info->vendor_id)
			continue;
		if (info->device_id >= range->first && info->device_id <= range->last)
			return true;
	}
	return false;
}

const char *attribute_name(uint16_t attribute)
{
	switch (attribute) {
	case IB_ATTR_NODE_DESC:
		return "NodeDescription";
	case IB_ATTR_NODE_INFO:
		return "NodeInfo";
	case IB_ATTR_SWITCH_INFO:
		return "SwitchInfo";
	case IB_ATTR_PORT_INFO:
		return "PortInfo";
	case IB_ATTR_MLNX_EXT_PORT_INFO:
		return "ExtendedPortInfo";
	}
	return "unknown attribute";
}
