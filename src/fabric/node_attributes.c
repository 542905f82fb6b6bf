/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stddef.h>

#include <madring/field.h>
#include <madring/field_names.h>
#include <madring/names.h>
#include <madring/structs.h>

#include "node_attributes.h"

/* The bit of FDR10 in ExtendedPortInfo.LinkSpeedActive. */
#define SPEED_FDR10 0x01

/* The second set of extended speeds follows so many of the first. */
#define SPEEDS_EXT 5

static const char *node_info_check(const struct madring_node_info *info, bool via_cable)
{
	if (info->type < MADRING_NODE_CA || info->type > MADRING_NODE_ROUTER)
		return "its node type is none of CA, switch, router";
	if (info->node_guid == 0)
		return "its node GUID is 0";
	if (info->port_count == 0 || info->port_count == 255)
		return "its number of ports is not in 1 to 254";
	if (info->local_port > info->port_count)
		return "its local port is beyond its number of ports";
	if (info->local_port == 0 && (via_cable || info->type != MADRING_NODE_SWITCH))
		return "its local port is 0";
	return NULL;
}

const char *node_info_decode(struct madring_node_info *info, const void *attribute, bool via_cable)
{
	madring_node_info_decode(info, attribute);
	return node_info_check(info, via_cable);
}

/* The fields of PortInfo, and those of ExtendedPortInfo, that a sweep reads. */
enum {
	PORT_LID,
	PORT_LMC,
	PORT_STATE,
	PORT_PHYSICAL_STATE,
	PORT_WIDTH,
	PORT_WIDTH_SUPPORTED,
	PORT_SPEED,
	PORT_SPEED_SUPPORTED,
	PORT_SPEED_EXT,
	PORT_SPEED_EXT_SUPPORTED,
	PORT_SPEED_EXT2,
	PORT_SPEED_EXT2_SUPPORTED,
	PORT_VL_CAP,
	PORT_CAPABILITIES,
	PORT_CAPABILITIES2,
	PORT_FIELDS,
	EXTENDED_SPEED = PORT_FIELDS,
	EXTENDED_SPEED_SUPPORTED,
	FIELDS,
};

static const char *const names[FIELDS] = {
	[PORT_LID] = MADRING_FIELD_PORT_INFO_LID,
	[PORT_LMC] = MADRING_FIELD_PORT_INFO_LMC,
	[PORT_STATE] = MADRING_FIELD_PORT_INFO_PORT_STATE,
	[PORT_PHYSICAL_STATE] = MADRING_FIELD_PORT_INFO_PORT_PHYSICAL_STATE,
	[PORT_WIDTH] = MADRING_FIELD_PORT_INFO_LINK_WIDTH_ACTIVE,
	[PORT_WIDTH_SUPPORTED] = MADRING_FIELD_PORT_INFO_LINK_WIDTH_SUPPORTED,
	[PORT_SPEED] = MADRING_FIELD_PORT_INFO_LINK_SPEED_ACTIVE,
	[PORT_SPEED_SUPPORTED] = MADRING_FIELD_PORT_INFO_LINK_SPEED_SUPPORTED,
	[PORT_SPEED_EXT] = MADRING_FIELD_PORT_INFO_LINK_SPEED_EXT_ACTIVE,
	[PORT_SPEED_EXT_SUPPORTED] = MADRING_FIELD_PORT_INFO_LINK_SPEED_EXT_SUPPORTED,
	[PORT_SPEED_EXT2] = MADRING_FIELD_PORT_INFO_LINK_SPEED_EXT_ACTIVE2,
	[PORT_SPEED_EXT2_SUPPORTED] = MADRING_FIELD_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2,
	[PORT_VL_CAP] = MADRING_FIELD_PORT_INFO_VL_CAP,
	[PORT_CAPABILITIES] = MADRING_FIELD_PORT_INFO_CAPABILITY_MASK,
	[PORT_CAPABILITIES2] = MADRING_FIELD_PORT_INFO_CAPABILITY_MASK2,
	[EXTENDED_SPEED] = MADRING_FIELD_EXTENDED_PORT_INFO_LINK_SPEED_ACTIVE,
	[EXTENDED_SPEED_SUPPORTED] = MADRING_FIELD_EXTENDED_PORT_INFO_LINK_SPEED_SUPPORTED,
};

static const struct madring_field *fields[FIELDS];

static void find_fields(void)
{
	for (unsigned int i = 0; i < FIELDS; i++)
		fields[i] = madring_field_find(MADRING_CLASS_SMP,
					       i < PORT_FIELDS ? MADRING_ATTR_PORT_INFO
							       : MADRING_ATTR_EXTENDED_PORT_INFO,
					       names[i]);
}

/* Reads a field. A sweep reads few of PortInfo's 50, so it does not decode all. */
static uint32_t read_field(const void *attribute, unsigned int field)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_fields);
	return (uint32_t)madring_field_get(fields[field], attribute);
}

void port_info_decode(struct madring_node_port *port, struct port_info *info, const void *attribute)
{
	*info = (struct port_info){
		.lid = (uint16_t)read_field(attribute, PORT_LID),
		.speed_ext = (uint8_t)read_field(attribute, PORT_SPEED_EXT),
		.speed_ext2 = (uint8_t)(read_field(attribute, PORT_SPEED_EXT2) << SPEEDS_EXT),
		.speed_ext_supported = (uint8_t)read_field(attribute, PORT_SPEED_EXT_SUPPORTED),
		.speed_ext2_supported =
			(uint8_t)(read_field(attribute, PORT_SPEED_EXT2_SUPPORTED) << SPEEDS_EXT),
	};
	port->lmc = (uint8_t)read_field(attribute, PORT_LMC);
	port->state = (uint8_t)read_field(attribute, PORT_STATE);
	port->physical_state = (uint8_t)read_field(attribute, PORT_PHYSICAL_STATE);
	port->width = (uint8_t)read_field(attribute, PORT_WIDTH);
	port->speed = (uint8_t)read_field(attribute, PORT_SPEED);
	port->width_supported = (uint8_t)read_field(attribute, PORT_WIDTH_SUPPORTED);
	port->speed_supported = (uint8_t)read_field(attribute, PORT_SPEED_SUPPORTED);
	port->vl_cap = (uint8_t)read_field(attribute, PORT_VL_CAP);
	port->capability_mask = read_field(attribute, PORT_CAPABILITIES);
	port->capability_mask2 = (uint16_t)read_field(attribute, PORT_CAPABILITIES2);
}

bool extended_port_info_fdr10(const void *attribute)
{
	return read_field(attribute, EXTENDED_SPEED) & SPEED_FDR10;
}

bool extended_port_info_fdr10_supported(const void *attribute)
{
	return read_field(attribute, EXTENDED_SPEED_SUPPORTED) & SPEED_FDR10;
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

bool node_has_extended_port_info(const struct madring_node *node)
{
	const size_t count = sizeof(extended_port_info_devices) / sizeof(struct device_range);

	for (size_t i = 0; i < count; i++) {
		const struct device_range *range = &extended_port_info_devices[i];

		if (range->vendor_id && range->vendor_id != node->vendor_id)
			continue;
		if (node->device_id >= range->first && node->device_id <= range->last)
			return true;
	}
	return false;
}
