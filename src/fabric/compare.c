/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two fabrics by their public view, so that it does not matter where they came from. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "public.h"
#include "node_attributes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The bytes of a number as text. */
#define VALUE_BYTES 24

struct comparison {
	const struct madring_fabric *old, *now;
	madring_difference_seen seen;
	void *user;
	int count, error;
};

static void tell(struct comparison *comparison, const struct madring_difference *difference)
{
	if (comparison->error)
		return;
	if (comparison->count < INT_MAX)
		comparison->count++;
	if (comparison->seen)
		comparison->error = comparison->seen(comparison->user, difference);
}

static void tell_texts(struct comparison *comparison, const struct madring_difference *difference,
		       const char *old_value, const char *value)
{
	struct madring_difference changed = *difference;

	changed.old_value = old_value;
	changed.value = value;
	if (strcmp(old_value, value) != 0)
		tell(comparison, &changed);
}

static void tell_numbers(struct comparison *comparison, const struct madring_difference *difference,
			 bool is_hex, uint64_t old_value, uint64_t value)
{
	const char *format = is_hex ? "0x%" PRIx64 : "%" PRIu64;
	char old_text[VALUE_BYTES], text[VALUE_BYTES];

	if (old_value == value)
		return;
	snprintf(old_text, sizeof(old_text), format, old_value);
	snprintf(text, sizeof(text), format, value);
	tell_texts(comparison, difference, old_text, text);
}

/* Compares a node of both fabrics: its description, its attributes and its ports. */
static void compare_node(struct comparison *comparison, const struct madring_node *old,
			 const struct madring_node *now)
{
	const struct {
		enum madring_change change;
		bool is_hex;
		const char *name;
		uint64_t old_value, value;
	} numbers[] = {
		{ MADRING_CHANGE_SYSTEM_GUID, true, "system_guid", old->system_guid,
		  now->system_guid },
		{ MADRING_CHANGE_VENDOR_ID, true, "vendor_id", old->vendor_id, now->vendor_id },
		{ MADRING_CHANGE_DEVICE_ID, true, "device_id", old->device_id, now->device_id },
		{ MADRING_CHANGE_REVISION, true, "revision", old->revision, now->revision },
		{ MADRING_CHANGE_PORT_COUNT, false, "port_count", old->port_count,
		  now->port_count },
		{ MADRING_CHANGE_ENHANCED_PORT0, false, "enhanced_port0", old->enhanced_port0,
		  now->enhanced_port0 },
	};
	struct madring_difference difference = { .kind = MADRING_DIFFERENCE_NODE_CHANGED,
						 .change = MADRING_CHANGE_DESCRIPTION,
						 .change_name = "description",
						 .old_node = old,
						 .node = now };

	tell_texts(comparison, &difference, old->description, now->description);
	difference.change = MADRING_CHANGE_TYPE;
	difference.change_name = "type";
	tell_texts(comparison, &difference, madring_node_type_text(old->type),
		   madring_node_type_text(now->type));
	for (size_t i = 0; i < COUNT(numbers); i++) {
		difference.change = numbers[i].change;
		difference.change_name = numbers[i].name;
		tell_numbers(comparison, &difference, numbers[i].is_hex, numbers[i].old_value,
			     numbers[i].value);
	}
}

static const char *state_text(uint8_t state)
{
	static const char *const texts[] = { "unknown", "down", "initialize", "armed", "active" };

	return texts[state < COUNT(texts) ? state : 0];
}

static const char *physical_state_text(uint8_t state)
{
	static const char *const texts[] = { "unknown",	 "sleep",   "polling",	"disabled",
					     "training", "link up", "recovery", "test" };

	return texts[state < COUNT(texts) ? state : 0];
}

/* Compares the PortInfo of a port. */
static void compare_info(struct comparison *comparison, struct madring_difference *difference)
{
	const struct madring_node_port *old = difference->old_port, *now = difference->port;
	bool is_up = old->physical_state == PHYSICAL_STATE_LINK_UP &&
		     now->physical_state == PHYSICAL_STATE_LINK_UP;
	const struct {
		enum madring_change change;
		bool is_valid;
		const char *name, *old_value, *value;
	} texts[] = {
		{ MADRING_CHANGE_STATE, true, "state", state_text(old->state),
		  state_text(now->state) },
		{ MADRING_CHANGE_PHYSICAL_STATE, true, "physical_state",
		  physical_state_text(old->physical_state),
		  physical_state_text(now->physical_state) },
		{ MADRING_CHANGE_WIDTH, is_up, "width", madring_link_width_text(old->width),
		  madring_link_width_text(now->width) },
		{ MADRING_CHANGE_SPEED, is_up, "speed", madring_link_speed_text(old),
		  madring_link_speed_text(now) },
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		difference->change = texts[i].change;
		difference->change_name = texts[i].name;
		if (texts[i].is_valid)
			tell_texts(comparison, difference, texts[i].old_value, texts[i].value);
	}
	difference->change = MADRING_CHANGE_VL_CAP;
	difference->change_name = "vl_cap";
	tell_numbers(comparison, difference, false, old->vl_cap, now->vl_cap);
}

/* Compares what addresses a port, which of a switch its port 0 has. */
static void compare_address(struct comparison *comparison, struct madring_difference *difference)
{
	const struct madring_node_port *old = difference->old_port, *now = difference->port;

	difference->change = MADRING_CHANGE_PORT_GUID;
	difference->change_name = "guid";
	tell_numbers(comparison, difference, true, old->guid, now->guid);
	if (!old->known || !now->known)
		return;
	difference->change = MADRING_CHANGE_LID;
	difference->change_name = "lid";
	tell_numbers(comparison, difference, false, old->lid, now->lid);
	difference->change = MADRING_CHANGE_LMC;
	difference->change_name = "lmc";
	tell_numbers(comparison, difference, false, old->lmc, now->lmc);
}

static void compare_port(struct comparison *comparison, const struct madring_node_port *old,
			 const struct madring_node_port *now)
{
	struct madring_difference difference = { .kind = MADRING_DIFFERENCE_PORT_CHANGED,
						 .old_node = old->node,
						 .node = now->node,
						 .old_port = old,
						 .port = now };

	if (!old->found || !now->found)
		return;
	difference.change = MADRING_CHANGE_KNOWN;
	difference.change_name = "known";
	tell_texts(comparison, &difference, old->known ? "yes" : "no", now->known ? "yes" : "no");
	if (!now->number || now->node->type != MADRING_NODE_SWITCH)
		compare_address(comparison, &difference);
	if (old->known && now->known)
		compare_info(comparison, &difference);
}

/* Compares the nodes of both fabrics in the order of their GUIDs. */
static void compare_nodes(struct comparison *comparison)
{
	const struct madring_node *old, *now;

	for (size_t i = 0; (old = madring_fabric_node(comparison->old, i)); i++) {
		now = madring_fabric_node_by_guid(comparison->now, old->guid);
		if (!now) {
			tell(comparison,
			     &(struct madring_difference){ .kind = MADRING_DIFFERENCE_NODE_GONE,
							   .old_node = old });
			continue;
		}
		compare_node(comparison, old, now);
		for (unsigned int p = 0; p <= old->port_count && p <= now->port_count; p++)
			compare_port(comparison, madring_node_port_by_number(old, p),
				     madring_node_port_by_number(now, p));
	}
	for (size_t i = 0; (now = madring_fabric_node(comparison->now, i)); i++)
		if (!madring_fabric_node_by_guid(comparison->old, now->guid))
			tell(comparison,
			     &(struct madring_difference){ .kind = MADRING_DIFFERENCE_NODE_ADDED,
							   .node = now });
}

/* Returns the port of @fabric that is the same as a port of another fabric, or NULL. */
static const struct madring_node_port *find_same(const struct madring_fabric *fabric,
						 const struct madring_node_port *port)
{
	const struct madring_node *node = madring_fabric_node_by_guid(fabric, port->node->guid);

	return node ? madring_node_port_by_number(node, port->number) : NULL;
}

/*
 * Returns whether @fabric has the link of a port of another fabric. A file may tell of a link at
 * one of its ends only.
 */
static bool has_link(const struct madring_fabric *fabric, const struct madring_node_port *end)
{
	const struct madring_node_port *port = find_same(fabric, end);
	const struct madring_node_port *peer = find_same(fabric, end->peer);

	return port && peer && (port->peer == peer || peer->peer == port);
}

static void compare_links(struct comparison *comparison)
{
	const struct madring_node_port *end = NULL;

	while ((end = madring_fabric_link(comparison->old, end)))
		if (!has_link(comparison->now, end))
			tell(comparison,
			     &(struct madring_difference){ .kind = MADRING_DIFFERENCE_LINK_GONE,
							   .old_node = end->node,
							   .old_port = end });
	while ((end = madring_fabric_link(comparison->now, end)))
		if (!has_link(comparison->old, end))
			tell(comparison,
			     &(struct madring_difference){ .kind = MADRING_DIFFERENCE_LINK_ADDED,
							   .node = end->node,
							   .port = end });
}

int madring_fabric_compare(const struct madring_fabric *old, const struct madring_fabric *now,
			   madring_difference_seen seen, void *user)
{
	struct comparison comparison = { .old = old, .now = now, .seen = seen, .user = user };

	compare_nodes(&comparison);
	compare_links(&comparison);
	return comparison.error ? comparison.error : comparison.count;
}
