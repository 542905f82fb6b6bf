/* SPDX-License-Identifier: BSD-2-Clause */
#include "time_bound.h"

#include "model_scenario.h"

#define MOST_IN_FLIGHT	2    /* many requests may wait for the same node */
#define LONGEST_TIMEOUT 300u /* the programs' longest one, with jitter, ms */

/* Returns twice the time that chance takes on average, and ten times its longest for bad luck. */
static uint64_t by_chance(uint64_t times, uint32_t ppm, uint64_t longest)
{
	return ppm ? (uint64_t)((double)times * ppm / 1e6 * (double)longest) + 10 * longest : 0;
}

static uint64_t tick(const struct scenario *scenario)
{
	return (scenario->ring.tick_us ? scenario->ring.tick_us : 1000) * UINT64_C(1000);
}

/*
 * Returns the program's own time. With a window of one, a request takes a turn to be written, one
 * for the report of that, and one for its reply.
 */
static uint64_t of_program(const struct scenario *scenario, uint64_t mads)
{
	const struct kernel_scenario *kernel = &scenario->kernel;
	uint64_t turns = 3 * mads + 100;

	return turns * (kernel->turn_time + kernel->batch_time) +
	       by_chance(turns, kernel->pause, kernel->pause_time) +
	       by_chance(mads, kernel->slow_take, kernel->slow_time) +
	       by_chance(mads, kernel->slow_report, kernel->slow_time) +
	       by_chance(mads, kernel->again, 2 * tick(scenario));
}

/* Returns how many requests are in flight at once at least. */
static uint64_t in_flight(const struct scenario *scenario)
{
	const uint32_t limits[] = { scenario->sweep.window, scenario->collection.window,
				    scenario->ring.transactions, scenario->ring.buffers };
	uint64_t least = MOST_IN_FLIGHT;

	for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i] && limits[i] < least)
			least = limits[i];
	return least;
}

static uint64_t round_trip(const struct fabric_scenario *fabric, unsigned int hops)
{
	uint64_t service = fabric->service_host > fabric->service_switch ? fabric->service_host
									 : fabric->service_switch;

	if (fabric->late)
		service += fabric->lateness;
	return service + 2 * (hops + 1) * (fabric->hop + fabric->transit) + fabric->local_service;
}

/*
 * Returns the fabric's time: twice what its busiest node needs, and the requests in groups, one
 * group after the other.
 */
static uint64_t of_fabric(const struct scenario *scenario, const struct work_done *work)
{
	const struct fabric_scenario *fabric = &scenario->fabric;

	return 2 * work->least +
	       2 * work->mads * round_trip(fabric, work->hops) / in_flight(scenario) +
	       by_chance(work->mads, fabric->reorder, fabric->reorder_delay) +
	       fabric->stalls * fabric->stall_time;
}

static uint64_t longest_attempt(const struct scenario *scenario)
{
	unsigned int longest = LONGEST_TIMEOUT;

	if (scenario->sweep.timeout_ms > (int)longest)
		longest = (unsigned int)scenario->sweep.timeout_ms;
	if (scenario->collection.timeout_ms > (int)longest)
		longest = (unsigned int)scenario->collection.timeout_ms;
	return longest * UINT64_C(1000000) + 2 * tick(scenario);
}

/* `time_bound` has all attempts without an answer follow each other. */
uint64_t time_bound(const struct scenario *scenario, const struct work_done *work)
{
	return of_program(scenario, work->mads) + of_fabric(scenario, work) +
	       work->unanswered * longest_attempt(scenario);
}
