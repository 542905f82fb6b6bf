/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_target.h"

#include "mark.h"

#define NODE_INFO    0x0011
#define GUID_IN_INFO 12 /* the node's, in NodeInfo */
#define HOST_LID     0x100u
#define FIRST_GUID   0x0002c90300001000ull
#define HOSTS	     16
#define FIRST_HOST   2 /* the switch's port behind that of a one-port HCA */
#define CLASS_DIRECT 0x81
#define CLASS_ROUTED 0x01

bool target_is_smp(const struct target *target)
{
	return target->mgmt_class == CLASS_DIRECT || target->mgmt_class == CLASS_ROUTED;
}

uint32_t target_oui(const struct target *target)
{
	return has_oui(target->mgmt_class) ? OUI : 0;
}

static unsigned int host_of(uint32_t mark)
{
	return FIRST_HOST + mark % HOSTS;
}

static uint16_t lid_of(const struct target *target, uint32_t mark)
{
	return target->responder ? target->responder : (uint16_t)(HOST_LID + host_of(mark));
}

void target_ask(const struct target *target, struct madring_mad *mad, uint32_t mark)
{
	uint16_t lid = lid_of(target, mark);
	uint8_t path[] = { 0, 1, (uint8_t)host_of(mark) };

	if (target->mgmt_class == CLASS_DIRECT) {
		madring_smp_dr_prepare(mad, path, 2, MADRING_GET, NODE_INFO, 0);
	} else if (target->mgmt_class == CLASS_ROUTED) {
		madring_smp_prepare(mad, lid, MADRING_GET, NODE_INFO, 0);
	} else {
		madring_gmp_prepare(mad, lid, MADRING_GET, NODE_INFO, mark);
		mark_write(madring_mad_data(mad), mark);
	}
	if (has_oui(target->mgmt_class))
		oui_write(madring_mad_data(mad));
}

bool target_answers(const struct target *target, const struct madring_mad *reply, uint32_t mark)
{
	const uint8_t *data = madring_mad_const_data(reply);
	uint64_t guid;

	if (target_is_smp(target)) {
		memcpy(&guid, data + MADRING_SMP_DATA + GUID_IN_INFO, sizeof(guid));
		return be64toh(guid) == FIRST_GUID + 0x100 + 0x10 * host_of(mark);
	}
	return mark_read(data) == mark && (!target->responder || proof_is_good(data)) &&
	       (!has_oui(target->mgmt_class) || oui_is_good(data));
}
