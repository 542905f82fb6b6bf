/* SPDX-License-Identifier: BSD-2-Clause */
/* The function that both counterparts share. */
#include "counterpart.h"

#include "../common/fail.h"

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
