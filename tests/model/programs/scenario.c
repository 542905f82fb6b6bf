/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario.h"

#include <inttypes.h>
#include <string.h>

#include <madring.h>

#include "madring-perf/attribute.h"
#include "model/common/prng.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define KERNEL_QUEUE 200000 /* messages, in Linux */

/* The programs' own numbers, for a scenario that has none. */
#define SWEEP_RETRIES	   9
#define COLLECTION_RETRIES 5
#define LONGEST_TIMEOUT	   (250 * MS)
#define SHORTEST_TIMEOUT   (10 * MS)

static bool one_in(struct prng *prng, unsigned int count)
{
	return !prng_below(prng, count);
}

static uint32_t ppm(struct prng *prng, unsigned int one_in_count, uint64_t most)
{
	return one_in(prng, one_in_count) ? (uint32_t)prng_log_range(prng, 100, most) : 0;
}

static unsigned int size(struct prng *prng)
{
	/* Most fabrics are small. */
	if (one_in(prng, 20))
		return (unsigned int)prng_range(prng, 500, 1000);
	return (unsigned int)prng_log_range(prng, 2, 200);
}

static void draw_shape(struct prng *prng, struct fabric_scenario *fabric)
{
	unsigned int nodes = size(prng), hosts, rows;

	fabric->random_nodes = nodes;
	switch (prng_below(prng, 6)) {
	case 0:
		rows = (unsigned int)prng_range(prng, 1, 1 + nodes / 30);
		hosts = (nodes + rows - 1) / rows;
		snprintf(fabric->shape, sizeof(fabric->shape),
			 "fat-tree:leafs=%u,spines=%u,hosts=%u,links=%u", rows,
			 1 + (unsigned int)prng_below(prng, rows), hosts < 200 ? hosts : 200,
			 (unsigned int)prng_range(prng, 1, 2));
		break;
	case 1:
		rows = (unsigned int)prng_range(prng, 2, 7);
		snprintf(fabric->shape, sizeof(fabric->shape), "%s:%ux%u,hosts=%u",
			 one_in(prng, 2) ? "mesh" : "torus", rows,
			 (unsigned int)prng_range(prng, 2, 8), 1 + nodes / 60);
		break;
	case 2:
		snprintf(fabric->shape, sizeof(fabric->shape), "mesh:%u,hosts=%u",
			 (unsigned int)prng_range(prng, 2, nodes < 60 ? nodes : 60),
			 1 + nodes / 60);
		break;
	case 3:
		snprintf(fabric->shape, sizeof(fabric->shape), "dragonfly:a=%u,p=%u,h=1,groups=%u",
			 3 + nodes / 300, 1 + nodes / 60, (unsigned int)prng_range(prng, 2, 4));
		break;
	default: /* a random graph */
		break;
	}
}

static void draw_model(struct prng *prng, struct fabric_scenario *fabric)
{
	fabric->attach_to_switch = one_in(prng, 5);
	if (one_in(prng, 4))
		return; /* no delay at all */
	fabric->hop = prng_log_range(prng, 100, 2 * US);
	fabric->transit = prng_log_range(prng, 500, 10 * US);
	fabric->service_host = prng_log_range(prng, US, 50 * US);
	fabric->service_switch = prng_log_range(prng, US, 50 * US);
	if (one_in(prng, 4))
		fabric->queue = (uint32_t)prng_log_range(prng, 4, 256);
}

static void draw_faults(struct prng *prng, struct fabric_scenario *fabric)
{
	fabric->loss = ppm(prng, 3, 50000);
	fabric->duplicate = ppm(prng, 4, 200000);
	fabric->reorder = ppm(prng, 4, 500000);
	fabric->reorder_delay = prng_log_range(prng, US, 100 * MS);
	fabric->corrupt = ppm(prng, 20, 20000);
	fabric->busy = ppm(prng, 6, 50000);
	fabric->dead = ppm(prng, 5, 200000);
	fabric->hung = ppm(prng, 6, 200000);
	fabric->late = ppm(prng, 6, 300000);
	fabric->lateness = prng_log_range(prng, MS, 400 * MS);
	fabric->unplug_at = SCENARIO_NEVER;
	fabric->changes_end = prng_log_range(prng, 100 * US, 2 * S);
	fabric->stall_time = prng_log_range(prng, MS, 3 * S);
	if (one_in(prng, 8))
		fabric->stalls = (unsigned int)prng_range(prng, 1, 10);
	if (one_in(prng, 8))
		fabric->flaps = (unsigned int)prng_range(prng, 1, 20);
	if (one_in(prng, 10))
		fabric->deaths = (unsigned int)prng_range(prng, 1, 5);
	if (one_in(prng, 10))
		fabric->unplug_at = prng_log_range(prng, 10 * US, S);
}

static void draw_kernel(struct prng *prng, struct kernel_scenario *kernel)
{
	kernel->receive_queue = KERNEL_QUEUE;
	if (one_in(prng, 12))
		kernel->receive_queue = (uint32_t)prng_log_range(prng, 8, 1024);
	if (one_in(prng, 12))
		kernel->most_sent = (uint32_t)prng_log_range(prng, 4, 128);
	kernel->again = ppm(prng, 5, 100000);
	kernel->no_memory = ppm(prng, 10, 5000);
	kernel->slow_take = ppm(prng, 6, 20000);
	kernel->slow_report = ppm(prng, 3, 300000);
	kernel->slow_time = prng_log_range(prng, US, 500 * MS);
	kernel->interrupt = ppm(prng, 8, 50000);
	kernel->turn_time = prng_log_range(prng, 200, 50 * US);
	kernel->pause = ppm(prng, 8, 5000);
	kernel->pause_time = prng_log_range(prng, MS, 2 * S);
	kernel->report_most = (uint32_t)prng_log_range(prng, 8, 512);
	kernel->write_most = (uint32_t)prng_log_range(prng, 8, 8192);
	kernel->batch_time = one_in(prng, 2) ? prng_log_range(prng, US, 200 * US) : 0;
	kernel->breaks_at = SCENARIO_NEVER;
	if (one_in(prng, 25))
		kernel->breaks_at = prng_log_range(prng, 10 * US, S);
}

static void draw_ring(struct prng *prng, struct ring_scenario *ring)
{
	ring->transactions = (uint32_t)prng_log_range(prng, 2, 4096);
	ring->buffers = (uint32_t)prng_log_range(prng, ring->transactions, 2 * ring->transactions);
	ring->reads = 64u << prng_below(prng, 5);
	ring->lanes = one_in(prng, 3) ? 0 : (uint32_t)prng_range(prng, 1, 16);
	ring->tick_us = one_in(prng, 2) ? 1000 : (uint32_t)prng_log_range(prng, 100, 4000);
	if (one_in(prng, 4))
		ring->buffers = 1 + (uint32_t)prng_below(prng, ring->transactions);
	/* As the programs open it. */
	if (one_in(prng, 10))
		*ring = (struct ring_scenario){ .transactions = 16384 };
}

static void draw_sweep(struct prng *prng, struct sweep_scenario *sweep)
{
	sweep->deadline = 600 * S;
	if (one_in(prng, 5))
		sweep->timeout_ms = (int)prng_log_range(prng, 20, 500);
	if (one_in(prng, 6))
		sweep->retries =
			one_in(prng, 4) ? MADRING_NO_RETRIES : (int)prng_log_range(prng, 1, 20);
	if (one_in(prng, 2))
		sweep->window = (uint32_t)prng_log_range(prng, 1, 4096);
	sweep->pin_window = sweep->window && one_in(prng, 2);
	if (one_in(prng, 20))
		sweep->deadline = prng_log_range(prng, MS, 2 * S);
	if (one_in(prng, 30))
		sweep->max_nodes = (uint32_t)prng_range(prng, 1, 50);
}

static void draw_collection(struct prng *prng, struct collection_scenario *collection)
{
	collection->wanted = one_in(prng, 2);
	collection->attributes = PMA_SET_BASE;
	if (one_in(prng, 4))
		collection->attributes = (uint32_t)prng_range(prng, 1, PMA_SET_ALL);
	collection->look_closer = one_in(prng, 4);
	collection->clear = one_in(prng, 8);
	collection->deadline = 600 * S;
	if (one_in(prng, 5))
		collection->timeout_ms = (int)prng_log_range(prng, 20, 500);
	if (one_in(prng, 6))
		collection->retries =
			one_in(prng, 4) ? MADRING_NO_RETRIES : (int)prng_log_range(prng, 1, 20);
	if (one_in(prng, 2))
		collection->window = (uint32_t)prng_log_range(prng, 1, 4096);
	if (one_in(prng, 20))
		collection->deadline = prng_log_range(prng, MS, 2 * S);
}

/* Removes the faults that make a scenario unreliable: see scenario_is_reliable().
 */
static void calm(struct scenario *scenario)
{
	struct fabric_scenario *fabric = &scenario->fabric;

	fabric->queue = 0;
	fabric->corrupt = 0;
	fabric->late = 0;
	fabric->reorder_delay %= 10 * MS;
	fabric->stalls = 0;
	fabric->flaps = 0;
	fabric->deaths = 0;
	fabric->unplug_at = SCENARIO_NEVER;
	fabric->loss %= 10000;
	fabric->busy %= 10000;
	scenario->kernel.receive_queue = KERNEL_QUEUE;
	scenario->kernel.most_sent = 0;
	scenario->kernel.no_memory = 0;
	scenario->kernel.breaks_at = SCENARIO_NEVER;
	scenario->sweep.retries = 0;
	scenario->sweep.timeout_ms = 0;
	scenario->sweep.deadline = 600 * S;
	scenario->sweep.max_nodes = 0;
	scenario->collection.retries = 0;
	scenario->collection.timeout_ms = 0;
	scenario->collection.deadline = 600 * S;
}

void scenario_draw(struct scenario *scenario, uint64_t seed)
{
	struct prng prng;

	*scenario = (struct scenario){ .seed = seed };
	prng_seed(&prng, seed);
	draw_shape(&prng, &scenario->fabric);
	draw_model(&prng, &scenario->fabric);
	draw_faults(&prng, &scenario->fabric);
	draw_kernel(&prng, &scenario->kernel);
	draw_ring(&prng, &scenario->ring);
	scenario->rounds = one_in(&prng, 5) ? (unsigned int)prng_range(&prng, 2, 3) : 1;
	draw_sweep(&prng, &scenario->sweep);
	draw_collection(&prng, &scenario->collection);
	if (one_in(&prng, 2))
		calm(scenario);
}

/* How one of the programs sends its requests. */
struct manner {
	unsigned int attempts;
	uint64_t timeout; /* 0: by the measured round trip */
	uint32_t window;
};

static struct manner manner_of(int timeout_ms, int retries, int other_retries, uint32_t window)
{
	return (struct manner){
		.attempts = retries == MADRING_NO_RETRIES
				    ? 1
				    : (unsigned int)(retries ? retries : other_retries) + 1,
		.timeout = (uint64_t)timeout_ms * MS,
		.window = window ? window : 4096,
	};
}

/* Returns the chance that an attempt is not answered, whichever node it is sent to. */
static double failing_attempts(const struct scenario *scenario)
{
	double arrives = 1 - scenario->fabric.loss / 1e6;
	double is_answer = 1 - scenario->fabric.busy / 1e6;
	double is_taken = 1 - scenario->kernel.slow_take / 1e6;
	/* An attempt's time may be up when its refusal is reported. */
	double is_refused = scenario->kernel.again / 1e6 * scenario->kernel.slow_report / 1e6;

	return 1 - arrives * arrives * is_answer * is_taken * (1 - is_refused);
}

/* Returns how long an answer may wait in queues, behind all other requests in flight. */
static uint64_t queuing(const struct scenario *scenario, uint32_t window)
{
	const struct fabric_scenario *fabric = &scenario->fabric;
	uint64_t slowest = fabric->transit;

	if (scenario->ring.transactions < window)
		window = scenario->ring.transactions;
	if (fabric->service_host > slowest)
		slowest = fabric->service_host;
	if (fabric->service_switch > slowest)
		slowest = fabric->service_switch;
	return 2 * window * slowest + 100 * fabric->hop + 2 * scenario->kernel.turn_time +
	       scenario->kernel.batch_time;
}

static bool is_in_time(const struct scenario *scenario, const struct manner *manner)
{
	const struct fabric_scenario *fabric = &scenario->fabric;
	uint64_t late = queuing(scenario, manner->window);
	uint64_t timeout = manner->timeout ? manner->timeout : SHORTEST_TIMEOUT;

	if (fabric->late)
		late += fabric->lateness;
	if (fabric->reorder)
		late += 2 * fabric->reorder_delay;
	late += fabric->stalls * fabric->stall_time;
	if (manner->attempts >= 5 && (!manner->timeout || manner->timeout > LONGEST_TIMEOUT / 2))
		return late < LONGEST_TIMEOUT / 2;
	return late < timeout / 2;
}

static bool is_reliable(const struct scenario *scenario, struct manner manner)
{
	double failing = failing_attempts(scenario), silent = 1e5; /* of so many requests */

	for (unsigned int i = 0; i < manner.attempts; i++)
		silent *= failing;
	return silent < 1e-6 && is_in_time(scenario, &manner);
}

bool scenario_is_reliable(const struct scenario *scenario)
{
	const struct sweep_scenario *sweep = &scenario->sweep;
	const struct collection_scenario *collection = &scenario->collection;

	if (scenario->fabric.queue || scenario->fabric.corrupt || scenario->kernel.no_memory ||
	    scenario->kernel.most_sent || scenario->kernel.receive_queue < KERNEL_QUEUE)
		return false;
	if (!is_reliable(scenario, manner_of(sweep->timeout_ms, sweep->retries, SWEEP_RETRIES,
					     sweep->window)))
		return false;
	return !collection->wanted ||
	       is_reliable(scenario, manner_of(collection->timeout_ms, collection->retries,
					       COLLECTION_RETRIES, collection->window));
}

bool scenario_is_static(const struct scenario *scenario)
{
	return !scenario->fabric.flaps && !scenario->fabric.deaths && !scenario->fabric.corrupt &&
	       scenario->fabric.unplug_at == SCENARIO_NEVER &&
	       scenario->kernel.breaks_at == SCENARIO_NEVER;
}

unsigned int scenario_attempts(int retries, int other_retries)
{
	return manner_of(0, retries, other_retries, 0).attempts;
}

#define SHOW(format, field) fprintf(out, "  %-32s " format "\n", #field, scenario->field)

void scenario_print(FILE *out, const struct scenario *scenario)
{
	fprintf(out, "seed %" PRIu64 ":%s%s\n", scenario->seed,
		scenario_is_reliable(scenario) ? " reliable" : "",
		scenario_is_static(scenario) ? " static" : "");
	SHOW("%s", fabric.shape);
	SHOW("%u", fabric.random_nodes);
	SHOW("%d", fabric.attach_to_switch);
	SHOW("%" PRIu64, fabric.hop);
	SHOW("%" PRIu64, fabric.transit);
	SHOW("%" PRIu64, fabric.service_host);
	SHOW("%" PRIu64, fabric.service_switch);
	SHOW("%u", fabric.queue);
	SHOW("%u", fabric.loss);
	SHOW("%u", fabric.duplicate);
	SHOW("%u", fabric.reorder);
	SHOW("%" PRIu64, fabric.reorder_delay);
	SHOW("%u", fabric.corrupt);
	SHOW("%u", fabric.busy);
	SHOW("%u", fabric.dead);
	SHOW("%u", fabric.hung);
	SHOW("%u", fabric.late);
	SHOW("%" PRIu64, fabric.lateness);
	SHOW("%u", fabric.stalls);
	SHOW("%" PRIu64, fabric.stall_time);
	SHOW("%u", fabric.flaps);
	SHOW("%u", fabric.deaths);
	SHOW("%" PRIu64, fabric.changes_end);
	SHOW("%" PRIu64, fabric.unplug_at);
	SHOW("%u", kernel.receive_queue);
	SHOW("%u", kernel.most_sent);
	SHOW("%u", kernel.again);
	SHOW("%u", kernel.no_memory);
	SHOW("%u", kernel.slow_take);
	SHOW("%u", kernel.slow_report);
	SHOW("%" PRIu64, kernel.slow_time);
	SHOW("%u", kernel.interrupt);
	SHOW("%" PRIu64, kernel.turn_time);
	SHOW("%u", kernel.pause);
	SHOW("%" PRIu64, kernel.pause_time);
	SHOW("%u", kernel.report_most);
	SHOW("%u", kernel.write_most);
	SHOW("%" PRIu64, kernel.batch_time);
	SHOW("%" PRIu64, kernel.breaks_at);
	SHOW("%u", rounds);
	SHOW("%u", ring.transactions);
	SHOW("%u", ring.buffers);
	SHOW("%u", ring.reads);
	SHOW("%u", ring.lanes);
	SHOW("%u", ring.tick_us);
	SHOW("%d", sweep.timeout_ms);
	SHOW("%d", sweep.retries);
	SHOW("%u", sweep.window);
	SHOW("%d", sweep.pin_window);
	SHOW("%" PRIu64, sweep.deadline);
	SHOW("%u", sweep.max_nodes);
	SHOW("%d", collection.wanted);
	SHOW("0x%x", collection.attributes);
	SHOW("%d", collection.look_closer);
	SHOW("%d", collection.clear);
	SHOW("%d", collection.timeout_ms);
	SHOW("%d", collection.retries);
	SHOW("%u", collection.window);
	SHOW("%" PRIu64, collection.deadline);
}
