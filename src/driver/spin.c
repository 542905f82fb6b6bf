/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides when a turn looks for completions before it sleeps, and for how long. */
#include "driver/spin.h"

#include <errno.h>
#include <sched.h>

#include <madring/ring.h>

/* The longest time to look if the ring decides: to sleep and to be woken costs about as much. */
#define OWN_SPIN_NS 50000u
/* The shortest time that is worth to look for. */
#define LEAST_NS 5000u
/* The weight of a wait in the mean is 1 in so many. */
#define MEAN_WEIGHT 8u
/* A wait counts as at most so many times the longest time to look, so that it is forgotten soon. */
#define MOST_OF_A_WAIT 4u
/* The waits between two trials: so many at first, twice as many after each that fails. */
#define FIRST_PAUSE   16u
#define LONGEST_PAUSE 4096u

void spin_open(struct spin *spin, uint32_t spin_us, unsigned int processors)
{
	*spin = (struct spin){ .by_itself = !spin_us, .pause = FIRST_PAUSE };
	if (spin_us && spin_us != MADRING_NO_SPIN)
		spin->longest_ns = (uint64_t)spin_us * 1000;
	/* On one processor, looking would hold up the thread that is to answer. */
	if (spin->by_itself && processors > 1)
		spin->longest_ns = OWN_SPIN_NS;
	/* Before anything is known, the first wait is a trial. */
	spin->wait_ns = spin->longest_ns + 1;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t spin_time(struct spin *spin, uint64_t wait_ns)
{
	uint64_t longest = least_of(spin->longest_ns, wait_ns);

	if (!spin->by_itself || !longest)
		return longest;
	if (spin->wait_ns <= spin->longest_ns)
		return least_of(longest, 2 * spin->wait_ns + LEAST_NS);
	if (spin->left) {
		spin->left--;
		return 0;
	}
	spin->left = spin->pause;
	if (spin->pause < LONGEST_PAUSE)
		spin->pause *= 2;
	return longest;
}

static void add_to_mean(struct spin *spin, uint64_t ns)
{
	ns = least_of(ns, MOST_OF_A_WAIT * spin->longest_ns);
	spin->wait_ns = spin->wait_ns - spin->wait_ns / MEAN_WEIGHT + ns / MEAN_WEIGHT;
}

void spin_hit(struct spin *spin, uint64_t ns)
{
	spin->stats.hits++;
	spin->stats.ns += ns;
	spin->pause = FIRST_PAUSE;
	spin->left = FIRST_PAUSE;
	/* The mean of waits by sleeping counts the time to wake up, which this wait had not. */
	if (spin->wait_ns > spin->longest_ns)
		spin->wait_ns = ns;
	else
		add_to_mean(spin, ns);
}

void spin_missed(struct spin *spin, uint64_t ns)
{
	spin->stats.misses++;
	spin->stats.ns += ns;
}

void spin_slept(struct spin *spin, uint64_t ns)
{
	add_to_mean(spin, ns);
}

unsigned int spin_processors(void)
{
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return (unsigned int)CPU_COUNT(&set);
	/* The set has no room for a machine of more than CPU_SETSIZE processors. */
	return errno == EINVAL ? CPU_SETSIZE : 1;
}
