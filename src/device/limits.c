/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/limits.h"

#include <infiniband/umad_types.h>

#include <madring/names.h>

#include "device/sysfs.h"

#define PARAMETERS "/sys/module/ib_core/parameters"
#define QUEUE	   512u /* the default */
#define QUEUE_SMP  512u /* the most of it that counts for SMPs */

/* The kernel keeps its parameter within these bounds. */
#define LEAST_QUEUE 64u
#define MOST_QUEUE  8192u

/* The kernel gives a registration these shares of a receive queue. */
#define SHARE	 4u
#define SHARE_SA 32u

uint32_t limits_of_class(uint8_t mgmt_class, unsigned int queue)
{
	if (queue < LEAST_QUEUE)
		queue = LEAST_QUEUE;
	if (queue > MOST_QUEUE)
		queue = MOST_QUEUE;
	switch (mgmt_class) {
	case MADRING_CLASS_SMP:
	case MADRING_CLASS_SMP_DIRECTED:
		return (queue < QUEUE_SMP ? queue : QUEUE_SMP) / SHARE;
	case MADRING_CLASS_SA:
		return queue / SHARE_SA;
	case MADRING_CLASS_CM:
	case 0: /* an agent that only sends, of any class */
		return queue / SHARE;
	default:
		return 0;
	}
}

uint32_t device_request_limit(uint8_t mgmt_class)
{
	unsigned int queue;

	if (sysfs_number(PARAMETERS, "recv_queue_size", &queue))
		queue = QUEUE;
	return limits_of_class(mgmt_class, queue);
}
