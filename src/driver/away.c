/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells how long the thread was off its processor while MADs may have arrived. The kernel counts
 * how long a thread was ready to run and did not: it was preempted, or was woken late. Without
 * that count, as in a container without /proc, nothing is known.
 */
#include "driver/driver_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* After so short a time, or so few looks, the kernel is not asked. */
#define SHORT_NS  100000u
#define FEW_LOOKS 16u

/* A thread that sleeps is always woken so late, ns, which is its own speed. */
#define WAKE_NS 10000u

static int open_counter(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* Reads the time that the thread was ready to run and did not, in ns; the second of three. */
static bool read_counter(int fd, uint64_t *ns)
{
	char text[64], *end;
	ssize_t bytes = pread(fd, text, sizeof(text) - 1, 0);

	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	strtoull(text, &end, 10);
	*ns = strtoull(end, &end, 10);
	return *end == ' ';
}

void away_open(struct away *away)
{
	*away = (struct away){ .fd = open_counter(), .thread = pthread_self() };
	if (away->fd >= 0 && !read_counter(away->fd, &away->counted_ns))
		away_close(away);
}

void away_close(struct away *away)
{
	if (away->fd >= 0)
		close(away->fd);
	away->fd = -1;
}

/* Counts for the calling thread, if it is another one than before. */
static void follow_thread(struct away *away, uint64_t now)
{
	if (pthread_equal(away->thread, pthread_self()))
		return;
	away_close(away);
	away_open(away);
	away->looked_at = now;
}

uint64_t away_look(struct away *away, uint64_t now)
{
	uint64_t passed, before, usual, ns;

	follow_thread(away, now);
	passed = now - away->looked_at;
	before = away->counted_ns;
	away->looked_at = now;
	if (away->fd < 0 || (++away->looks < FEW_LOOKS && passed < SHORT_NS))
		return 0;
	usual = (uint64_t)away->looks * WAKE_NS;
	away->looks = 0;
	if (!read_counter(away->fd, &away->counted_ns))
		return 0;
	ns = away->counted_ns - before;
	ns = ns > usual ? ns - usual : 0;
	return ns < passed ? ns : passed;
}
