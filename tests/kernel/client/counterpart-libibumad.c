/* SPDX-License-Identifier: BSD-2-Clause */
/* The counterpart that uses libibumad's functions. */
#include "counterpart.h"

#include <errno.h>
#include <fcntl.h>

#include <infiniband/umad.h>

const char counterpart_name[] = "libibumad";

int counterpart_open(const char *device, int port)
{
	int fd = umad_open_port(device, port);

	if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK)) {
		umad_close_port(fd);
		return -errno;
	}
	return fd;
}

void counterpart_close(int fd)
{
	umad_close_port(fd);
}

int counterpart_register(int fd, const struct counterpart_agent *agent)
{
	long mask[16 / sizeof(long)] = { (long)agent->methods };
	long *methods = agent->methods ? mask : NULL;
	uint8_t oui[] = { agent->oui >> 16 & 0xff, agent->oui >> 8 & 0xff, agent->oui & 0xff };

	if (agent->oui)
		return umad_register_oui(fd, agent->mgmt_class, agent->rmpp_version, oui, methods);
	return umad_register(fd, agent->mgmt_class, agent->class_version, agent->rmpp_version,
			     methods);
}

int counterpart_send(int fd, int agent, void *umad, size_t length, int timeout_ms, int retries)
{
	return umad_send(fd, agent, umad, (int)length, timeout_ms, retries);
}

ssize_t counterpart_receive(int fd, void *umad, size_t room)
{
	int length = (int)room;
	int agent;

	errno = 0;
	agent = umad_recv(fd, umad, &length, 0);
	if (agent >= 0)
		return length;
	return errno ? -errno : agent;
}
