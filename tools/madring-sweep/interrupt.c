/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <madring.h>

#include "interrupt.h"

static struct madring *volatile watched;
static volatile sig_atomic_t caught;

static void note(int signal)
{
	int saved = errno;

	(void)signal;
	caught = 1;
	/* Without this a signal just before the wait would go unseen until something comes. */
	madring_wake(watched);
	errno = saved;
}

static void handle(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void interrupt_watch(struct madring *ring)
{
	watched = ring;
	handle(note);
}

void interrupt_unwatch(void)
{
	handle(SIG_DFL);
	watched = NULL;
}

bool interrupted(void)
{
	return caught;
}
