/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "kind.h"
#include "target.h"

/* The kernel of a node answers so for a class that no program there has registered. */
#define STATUS_NOBODY 0x000c

static const struct {
	const char *name, *description;
	uint8_t mgmt_class, class_version;
	uint16_t attribute;
} kinds[] = {
	[KIND_SMP] = { "smp", "NodeInfo", MADRING_CLASS_SMP, 1, MADRING_ATTR_NODE_INFO },
	[KIND_PMA] = { "pma", "PMA ClassPortInfo", MADRING_CLASS_PMA, 1,
		       MADRING_ATTR_CLASS_PORT_INFO },
	[KIND_SA] = { "sa", "SA ClassPortInfo", MADRING_CLASS_SA, 2, MADRING_ATTR_CLASS_PORT_INFO },
	[KIND_IBPING] = { "ibping", "ibping", IBPING_CLASS, 1, 0 },
};

bool kind_find(const char *name, enum kind *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(name, kinds[i].name)) {
			*kind = (enum kind)i;
			return true;
		}
	}
	return false;
}

const char *kind_name(enum kind kind)
{
	return kinds[kind].name;
}

const char *kind_description(enum kind kind)
{
	return kinds[kind].description;
}

uint8_t kind_class(enum kind kind, bool by_route)
{
	return by_route ? MADRING_CLASS_SMP_DIRECTED : kinds[kind].mgmt_class;
}

uint8_t kind_class_version(enum kind kind)
{
	return kinds[kind].class_version;
}

static void set_oui(struct madring_mad *mad, uint32_t oui)
{
	uint8_t *place = (uint8_t *)madring_mad_data(mad) + IBPING_OUI_AT;

	place[0] = (uint8_t)(oui >> 16);
	place[1] = (uint8_t)(oui >> 8);
	place[2] = (uint8_t)oui;
}

static void set_address(struct madring_mad *mad, const struct target *target, uint8_t gid_index)
{
	struct madring_grh grh = { .hop_limit = target->hop_limit, .gid_index = gid_index };

	madring_mad_address(mad)->sl = target->sl;
	if (!target->global)
		return;
	memcpy(grh.gid, target->gid, sizeof(grh.gid));
	madring_mad_set_grh(mad, &grh);
}

void kind_prepare(enum kind kind, struct madring_mad *mad, const struct target *target,
		  uint32_t oui, uint8_t gid_index)
{
	uint16_t attribute = kinds[kind].attribute;

	if (target->by_route) {
		madring_smp_dr_prepare(mad, target->route.port, target->route.hops, MADRING_GET,
				       attribute, 0);
		return;
	}
	switch (kind) {
	case KIND_SMP:
		/* SMPs have no SL but 0, and no GRH. */
		madring_smp_prepare(mad, target->lid, MADRING_GET, attribute, 0);
		return;
	case KIND_SA:
		madring_sa_prepare(mad, target->lid, target->sl, MADRING_GET, attribute, 0, 0);
		break;
	case KIND_IBPING:
		madring_gmp_prepare(mad, target->lid, MADRING_GET, attribute, 0);
		set_oui(mad, oui);
		break;
	case KIND_PMA:
		madring_gmp_prepare(mad, target->lid, MADRING_GET, attribute, 0);
		break;
	}
	set_address(mad, target, gid_index);
}

const char *kind_check(enum kind kind, const struct madring_mad *reply, size_t length,
		       bool by_route)
{
	const struct madring_mad_hdr *header = madring_mad_const_header(reply);

	if (length < MADRING_MAD_BYTES)
		return "a reply that is too short";
	if (header->mgmt_class != kind_class(kind, by_route) || header->method != MADRING_GET_RESP)
		return "a reply of another class, or no GetResp";
	if (be16toh(header->attr_id) != kinds[kind].attribute)
		return "a reply of another attribute";
	return NULL;
}

const char *kind_refusal(enum kind kind, uint16_t status)
{
	if (status == STATUS_NOBODY && kind == KIND_IBPING)
		return "no ibping server runs there";
	if (status == STATUS_NOBODY && kind == KIND_SA)
		return "no subnet manager runs there";
	return madring_status_text(kinds[kind].mgmt_class, status);
}
