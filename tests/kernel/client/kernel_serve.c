/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>

#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"

/* Returns a descriptor that is readable when SIGTERM has come. */
static int end_open(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		fail("signalfd", -errno);
	return fd;
}

static void send_due(struct service *service)
{
	struct held_message *message;

	while ((message = held_take(&service->held, clock_us()))) {
		service->send(&message->umad, message->length);
		free(message);
	}
}

void serve(struct service *service)
{
	struct pollfd wait[] = {
		{ .fd = service->fd, .events = POLLIN },
		{ .fd = end_open(), .events = POLLIN },
	};

	printf("ready\n");
	fflush(stdout);
	while (!wait[1].revents) {
		if (poll(wait, 2, held_wait(&service->held, clock_us())) < 0)
			fail("poll", -errno);
		service->receive();
		send_due(service);
	}
}
