/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>

#include "raw_agent.h"

int raw_register(int fd, const struct raw_agent *agent)
{
	struct ib_user_mad_reg_req request = {
		.qpn = (uint8_t)agent->qpn,
		.mgmt_class = agent->mgmt_class,
		.mgmt_class_version = 1,
		.rmpp_version = agent->rmpp_version,
	};

	return ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &request) ? errno : 0;
}

int raw_register2(int fd, struct raw_agent *agent)
{
	struct ib_user_mad_reg_req2 request = {
		.qpn = agent->qpn,
		.mgmt_class = agent->mgmt_class,
		.mgmt_class_version = 1,
		.rmpp_version = agent->rmpp_version,
		.oui = agent->oui,
		.flags = agent->flags,
	};
	int ret = ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &request) ? errno : 0;

	agent->flags = request.flags;
	return ret;
}

int raw_enable_pkey(int fd)
{
	return ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL) ? errno : 0;
}
