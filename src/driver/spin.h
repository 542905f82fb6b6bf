/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking for completions before a turn sleeps.
 *
 * A thread that sleeps runs again only some time after its reply has come, and to sleep and to be
 * woken takes it longer than many replies take. So a turn looks for completions for a short time
 * first. That pays if they come soon: a moving mean of the last waits tells. When they do not, the
 * turn sleeps at once, and looks again only in a trial now and then.
 *
 * These functions are pure: the drivers look, and bring the times.
 */
#ifndef MADRING_SPIN_H
#define MADRING_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/spin_stats.h"

/* With so many requests in flight a turn sleeps until a part of them is answered. */
#define SPIN_IN_FLIGHT 128u

struct spin {
	uint64_t longest_ns; /* the longest time to look; 0: it never looks */
	bool by_itself;	     /* it looks only where that pays */
	uint64_t wait_ns;    /* the moving mean of the last waits */
	uint32_t pause;	     /* the waits between two trials */
	uint32_t left;	     /* of these, until the next trial */
	struct spin_stats stats;
};

/*
 * Prepares @spin by madring_config.spin_us. @processors may run this thread, or those that it waits
 * for.
 */
void spin_open(struct spin *spin, uint32_t spin_us, unsigned int processors);

/*
 * Returns how long to look for completions before a wait of at most @wait_ns, in ns; 0: not at
 * all. Each call is for one wait.
 */
uint64_t spin_time(struct spin *spin, uint64_t wait_ns);

/*
 * Each records the end of a wait:
 *
 * `spin_hit`: a completion was found by looking for @ns ns.
 * `spin_missed`: none was found in @ns ns. The wait goes on.
 * `spin_slept`: a wait of @ns ns has ended in which the thread slept.
 */
void spin_hit(struct spin *spin, uint64_t ns);
void spin_missed(struct spin *spin, uint64_t ns);
void spin_slept(struct spin *spin, uint64_t ns);

/* Returns how many processors this thread may run on; it is 1 if that cannot be found out. */
unsigned int spin_processors(void);

/* Makes the processor wait a moment, for the benefit of the other thread of its core. */
static inline void spin_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
