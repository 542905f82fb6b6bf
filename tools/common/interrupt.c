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

/* A signal that is ignored from the start, as under nohup, stays so. */
static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	if (!sigaction(signal, NULL, &before) && before.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

void interrupt_watch(struct madring *ring)
{
	watched = ring;
	handle(SIGINT, note);
	handle(SIGTERM, note);
}

void interrupt_unwatch(void)
{
	handle(SIGINT, SIG_DFL);
	handle(SIGTERM, SIG_DFL);
	watched = NULL;
}

bool interrupted(void)
{
	return caught;
}
