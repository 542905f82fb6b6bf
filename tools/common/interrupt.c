/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <madring.h>

#include "clock.h"
#include "interrupt.h"

static struct madring *volatile watched;
static volatile sig_atomic_t caught;
static volatile sig_atomic_t file = -1;

static void note_signal(int signal)
{
	int saved = errno;

	(void)signal;
	caught = 1;
	/* Wakes the ring and the eventfd, because a signal just before the wait does not end it. */
	if (watched)
		madring_wake(watched);
	if (file >= 0)
		eventfd_write(file, 1);
	errno = saved;
}

/* Catches a signal, unless it is ignored when the program starts, as under nohup. */
static void catch_signal(int signal, void (*handler)(int))
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
	catch_signal(SIGINT, note_signal);
	catch_signal(SIGTERM, note_signal);
}

int interrupt_fd(void)
{
	if (file < 0)
		file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return file < 0 ? -errno : file;
}

void interrupt_unwatch(void)
{
	catch_signal(SIGINT, SIG_DFL);
	catch_signal(SIGTERM, SIG_DFL);
	watched = NULL;
}

bool interrupted(void)
{
	return caught;
}

/*
 * The signals are blocked but for the sleep, so that one between the check and the sleep ends
 * it.
 */
bool interrupt_sleep(uint64_t until_ns)
{
	sigset_t watched_signals, before;
	struct timespec left;
	uint64_t now;

	sigemptyset(&watched_signals);
	sigaddset(&watched_signals, SIGINT);
	sigaddset(&watched_signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &watched_signals, &before);
	while (!caught && (now = clock_ns()) < until_ns) {
		left.tv_sec = (time_t)((until_ns - now) / 1000000000u);
		left.tv_nsec = (long)((until_ns - now) % 1000000000u);
		ppoll(NULL, 0, &left, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !caught;
}
