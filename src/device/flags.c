/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel answers a registration with flags that it does not know by those that it does, but
 * umad_register2() loses the answer: it sets the flags to 0 first. So the kernel is asked itself.
 * (Its own header cannot be included together with libibumad's.)
 */
#include "device/flags.h"

#include <errno.h>
#include <sys/ioctl.h>

#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>

#define PERFORMANCE_MANAGEMENT 0x04

uint32_t device_flags(int fd)
{
	struct ib_user_mad_reg_req2 request = {
		.qpn = 1,
		.mgmt_class = PERFORMANCE_MANAGEMENT,
		.mgmt_class_version = 1,
		.flags = UINT32_MAX,
		.oui = UINT32_MAX, /* should it know them all, there is still no such agent */
	};

	if (!ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &request) || errno != EINVAL)
		return 0;
	return request.flags;
}
