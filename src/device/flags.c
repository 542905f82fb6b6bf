/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel answers a registration with unknown flags by those that it knows. But
 * umad_register2() loses that answer, because it sets the flags to 0 first. So this asks the
 * kernel directly. (The kernel's header cannot be included together with libibumad's.)
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
		.oui = UINT32_MAX, /* invalid, in case the kernel knows all flags */
	};

	if (!ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &request) || errno != EINVAL)
		return 0;
	return request.flags;
}
