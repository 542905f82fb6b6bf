/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>

#include "hangup.h"

static volatile sig_atomic_t file = -1;

static void note_hangup(int signal)
{
	int saved = errno;

	(void)signal;
	eventfd_write(file, 1);
	errno = saved;
}

int hangup_watch(void)
{
	struct sigaction action = { .sa_handler = note_hangup, .sa_flags = SA_RESTART };

	file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file < 0)
		return -errno;
	sigemptyset(&action.sa_mask);
	sigaction(SIGHUP, &action, NULL);
	return file;
}

bool hangup_taken(void)
{
	eventfd_t count;

	return !eventfd_read(file, &count);
}
