/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>

#include "server/kernel.h"
#include "server/mad.h"

#define QP_RECEIVES   512 /* of QP0, at most */
#define LIMIT_PART    4	  /* the part of the receive queue that an agent may use */
#define LIMIT_PART_SA 32

static const struct kernel_version versions[] = {
	{ .name = "6.1", .release = "6.1.0-madring-sim" },
	{ .name = "6.12", .release = "6.12.0-madring-sim" },
	{ .name = "7.3",
	  .release = "7.3.0-madring-sim",
	  .has_limits = true,
	  .completes_late = true },
};

const struct kernel_version *kernel_find(const char *name)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (!strcmp(versions[i].name, name))
			return &versions[i];
	}
	return NULL;
}

uint32_t kernel_agent_limit(const struct kernel *kernel, uint8_t mgmt_class)
{
	uint32_t receives = kernel->recv_queue_size;

	if (!kernel->version->has_limits)
		return 0;
	switch (mgmt_class) {
	case 0:
	case UMAD_CLASS_CM:
		return receives / LIMIT_PART;
	case UMAD_CLASS_SUBN_ADM:
		return receives / LIMIT_PART_SA;
	case UMAD_CLASS_SUBN_LID_ROUTED:
	case UMAD_CLASS_SUBN_DIRECTED_ROUTE:
		return (receives < QP_RECEIVES ? receives : QP_RECEIVES) / LIMIT_PART;
	default:
		return 0;
	}
}

/* is_for_own_port tells whether an SMP reaches its own HCA only, which no limit delays. */
static bool is_for_own_port(const uint8_t *mad)
{
	struct umad_smp smp;

	if (mad_class(mad) != UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return false;
	memcpy(&smp, mad, sizeof(smp));
	return !smp.hop_cnt && !(be16toh(smp.status) & MAD_STATUS_DIR);
}

bool kernel_limits_mad(const uint8_t *mad, uint32_t timeout_ms, uint8_t rmpp_version)
{
	uint8_t mgmt_class = mad_class(mad);

	if (!timeout_ms || (rmpp_version && mad_rmpp_active(mad)) || is_for_own_port(mad))
		return false;
	return mad_class_is_smp(mgmt_class) || mgmt_class == UMAD_CLASS_SUBN_ADM ||
	       mgmt_class == UMAD_CLASS_CM;
}
