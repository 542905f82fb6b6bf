/* SPDX-License-Identifier: BSD-2-Clause */
/* The counterpart, which uses open, ioctl, read and write alone. */
#include "counterpart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>

#include "../common/kernel_fail.h"

#define MOST_FILES 64 /* of umad */

/* Reads an attribute of a umad file from sysfs. Returns false if there is no such file. */
static bool says(unsigned int file, const char *what, char text[64])
{
	char path[64];
	FILE *attribute;
	bool known;

	snprintf(path, sizeof(path), "/sys/class/infiniband_mad/umad%u/%s", file, what);
	attribute = fopen(path, "r");
	if (!attribute)
		return false;
	known = fgets(text, 64, attribute);
	fclose(attribute);
	text[strcspn(text, "\n")] = '\0';
	return known;
}

static bool is_the_ports(unsigned int file, const char *device, int port)
{
	char its_device[64], its_port[64], wanted[16];

	if (!says(file, "ibdev", its_device) || !says(file, "port", its_port))
		return false;
	snprintf(wanted, sizeof(wanted), "%d", port);
	return (!device || !strcmp(device, its_device)) && (!port || !strcmp(wanted, its_port));
}

int counterpart_open(const char *device, int port)
{
	char path[64];
	int fd;

	for (unsigned int file = 0; file < MOST_FILES; file++) {
		if (!is_the_ports(file, device, port))
			continue;
		snprintf(path, sizeof(path), "/dev/infiniband/umad%u", file);
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		/* The header has a P_Key index only after this ioctl. */
		return ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL) ? -errno : fd;
	}
	return -ENODEV;
}

void counterpart_close(int fd)
{
	close(fd);
}

int counterpart_register(int fd, const struct counterpart_agent *agent)
{
	struct ib_user_mad_reg_req request = {
		.method_mask = { agent->methods },
		.qpn = agent->mgmt_class == 0x01 || agent->mgmt_class == 0x81 ? 0 : 1,
		.mgmt_class = agent->mgmt_class,
		.mgmt_class_version = agent->class_version,
		.oui = { agent->oui >> 16 & 0xff, agent->oui >> 8 & 0xff, agent->oui & 0xff },
		.rmpp_version = agent->rmpp_version,
	};

	return ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &request) ? -errno : (int)request.id;
}

int counterpart_begin(const char *device, int port, const struct counterpart_agent *agent,
		      int *number)
{
	int fd = counterpart_open(device, port);

	if (fd < 0)
		fail("opening the port", fd);
	*number = counterpart_register(fd, agent);
	if (*number < 0)
		fail("registering", *number);
	return fd;
}

int counterpart_send(int fd, int agent, void *umad, size_t length, int timeout_ms, int retries)
{
	struct ib_user_mad *message = umad;
	size_t bytes = sizeof(*message) + length;

	message->hdr.id = (uint32_t)agent;
	message->hdr.timeout_ms = (uint32_t)timeout_ms;
	message->hdr.retries = (uint32_t)retries;
	return write(fd, message, bytes) == (ssize_t)bytes ? 0 : -errno;
}

ssize_t counterpart_receive(int fd, void *umad, size_t room)
{
	ssize_t bytes = read(fd, umad, sizeof(struct ib_user_mad) + room);

	return bytes < 0 ? -errno : bytes - (ssize_t)sizeof(struct ib_user_mad);
}
