/* SPDX-License-Identifier: BSD-2-Clause */
#include "model_scenario.h"

#include <inttypes.h>
#include <stddef.h>

#include <madring.h>

#include "madring-perf/collect.h"
#include "model/common/prng.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define KERNEL_QUEUE 200000 /* messages, in Linux */

/* The programs' timeouts in a scenario that has none of its own. */
#define LONGEST_TIMEOUT	 (250 * MS)
#define SHORTEST_TIMEOUT (1 * MS)

/* A field of a scenario, and the values from .low to .high that .percent of all seeds draw. */
struct field {
	const char *name;
	size_t offset, bytes;
	bool is_even; /* each value is as likely as the next; else each order of magnitude */
	unsigned int percent;
	uint64_t low, high;
	uint64_t otherwise; /* the value for all other seeds */
};

#define FIELD(field, even, share, from, to, other)                                                 \
	{ .name = #field,                                                                          \
	  .offset = offsetof(struct scenario, field),                                              \
	  .bytes = sizeof(((struct scenario *)NULL)->field),                                       \
	  .is_even = (even),                                                                       \
	  .percent = (share),                                                                      \
	  .low = (from),                                                                           \
	  .high = (to),                                                                            \
	  .otherwise = (other) }
#define LOG(field, share, from, to)  FIELD(field, false, share, from, to, 0)
#define EVEN(field, share, from, to) FIELD(field, true, share, from, to, 0)
#define TRUE(field, share)	     FIELD(field, true, share, 1, 1, 0)
#define SHOWN(field)		     FIELD(field, false, 0, 0, 0, 0)

/* The fields in the order that scenario_print() shows them. SHOWN ones are drawn by functions. */
static const struct field fields[] = {
	SHOWN(fabric.random_nodes),
	TRUE(fabric.attach_to_switch, 20),
	LOG(fabric.hop, 100, 100, 2 * US),
	LOG(fabric.transit, 100, 500, 10 * US),
	LOG(fabric.service_host, 100, US, 50 * US),
	LOG(fabric.service_switch, 100, US, 50 * US),
	LOG(fabric.queue, 25, 4, 256),
	LOG(fabric.local_service, 50, 100, 20 * US),
	LOG(fabric.local_vl15, 25, 1024, 65536),
	LOG(fabric.local_receive_buffers, 12, 8, 512),
	LOG(fabric.loss, 33, 100, 50000),
	LOG(fabric.duplicate, 25, 100, 200000),
	LOG(fabric.reorder, 25, 100, 500000),
	LOG(fabric.reorder_delay, 100, US, 100 * MS),
	LOG(fabric.corrupt, 5, 100, 20000),
	LOG(fabric.busy, 17, 100, 50000),
	LOG(fabric.dead, 20, 100, 200000),
	LOG(fabric.hung, 17, 100, 200000),
	LOG(fabric.late, 17, 100, 300000),
	LOG(fabric.lateness, 100, MS, 400 * MS),
	EVEN(fabric.stalls, 12, 1, 10),
	LOG(fabric.stall_time, 100, MS, 3 * S),
	EVEN(fabric.flaps, 12, 1, 20),
	EVEN(fabric.deaths, 10, 1, 5),
	LOG(fabric.changes_end, 100, 100 * US, 2 * S),
	FIELD(fabric.unplug_at, false, 10, 10 * US, S, SCENARIO_NEVER),
	FIELD(kernel.receive_queue, false, 8, 8, 1024, KERNEL_QUEUE),
	LOG(kernel.most_sent, 16, 4, 128),
	TRUE(kernel.is_limit_known, 67),
	LOG(kernel.again, 20, 100, 100000),
	LOG(kernel.no_memory, 10, 100, 5000),
	LOG(kernel.slow_take, 17, 100, 20000),
	LOG(kernel.slow_report, 33, 100, 300000),
	LOG(kernel.slow_time, 100, US, 500 * MS),
	LOG(kernel.interrupt, 12, 100, 50000),
	LOG(kernel.turn_time, 100, 200, 50 * US),
	LOG(kernel.pause, 12, 100, 5000),
	LOG(kernel.pause_time, 100, MS, 2 * S),
	LOG(kernel.report_most, 100, 8, 512),
	LOG(kernel.write_most, 100, 8, 8192),
	LOG(kernel.batch_time, 50, US, 200 * US),
	FIELD(kernel.breaks_at, false, 4, 10 * US, S, SCENARIO_NEVER),
	FIELD(rounds, true, 20, 2, 3, 1),
	LOG(ring.transactions, 100, 2, 4096),
	SHOWN(ring.buffers),
	SHOWN(ring.reads),
	EVEN(ring.lanes, 67, 1, 16),
	FIELD(ring.tick_us, false, 50, 100, 4000, 1000),
	LOG(sweep.timeout_ms, 20, 20, 500),
	LOG(sweep.retries, 17, 1, 20),
	LOG(sweep.window, 50, 1, 4096),
	TRUE(sweep.pin_window, 50),
	FIELD(sweep.deadline, false, 5, MS, 2 * S, 600 * S),
	EVEN(sweep.max_nodes, 3, 1, 50),
	SHOWN(sweep.count_drops),
	TRUE(collection.wanted, 50),
	FIELD(collection.attributes, true, 25, 1, PMA_SET_ALL, PMA_SET_BASE),
	TRUE(collection.look_closer, 25),
	TRUE(collection.clear, 12),
	LOG(collection.timeout_ms, 20, 20, 500),
	LOG(collection.retries, 17, 1, 20),
	LOG(collection.window, 50, 1, 4096),
	FIELD(collection.deadline, false, 5, MS, 2 * S, 600 * S),
};

static void set_field(struct scenario *scenario, const struct field *field, uint64_t value)
{
	void *at = (char *)scenario + field->offset;

	if (field->bytes == sizeof(uint64_t))
		*(uint64_t *)at = value;
	else if (field->bytes == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)value;
	else
		*(bool *)at = value;
}

static void draw_field(struct scenario *scenario, const struct field *field, struct prng *prng)
{
	uint64_t value = field->otherwise;

	if (prng_below(prng, 100) < field->percent)
		value = field->is_even ? prng_range(prng, field->low, field->high)
				       : prng_log_range(prng, field->low, field->high);
	set_field(scenario, field, value);
}

static bool one_in(struct prng *prng, unsigned int count)
{
	return !prng_below(prng, count);
}

static unsigned int size(struct prng *prng)
{
	/* Most fabrics are small. */
	if (one_in(prng, 20))
		return (unsigned int)prng_range(prng, 500, 1000);
	return (unsigned int)prng_log_range(prng, 2, 200);
}

static void draw_fat_tree(struct prng *prng, struct fabric_scenario *fabric, unsigned int nodes)
{
	unsigned int leafs = (unsigned int)prng_range(prng, 1, 1 + nodes / 30);
	unsigned int hosts = (nodes + leafs - 1) / leafs;
	unsigned int links = (unsigned int)prng_range(prng, 1, 2);
	unsigned int spines = 1 + (unsigned int)prng_below(prng, leafs);

	if (hosts > 200)
		hosts = 200;
	fabric->node_count = leafs * (1 + hosts) + spines;
	snprintf(fabric->shape, sizeof(fabric->shape),
		 "fat-tree:leafs=%u,spines=%u,hosts=%u,links=%u", leafs, spines, hosts, links);
}

static void draw_grid(struct prng *prng, struct fabric_scenario *fabric, unsigned int nodes)
{
	unsigned int rows = (unsigned int)prng_range(prng, 2, 7);
	unsigned int columns = (unsigned int)prng_range(prng, 2, 8);
	unsigned int hosts = 1 + nodes / 60;

	fabric->node_count = rows * columns * (1 + hosts);
	snprintf(fabric->shape, sizeof(fabric->shape), "%s:%ux%u,hosts=%u",
		 one_in(prng, 2) ? "mesh" : "torus", rows, columns, hosts);
}

static void draw_line(struct prng *prng, struct fabric_scenario *fabric, unsigned int nodes)
{
	unsigned int length = (unsigned int)prng_range(prng, 2, nodes < 60 ? nodes : 60);
	unsigned int hosts = 1 + nodes / 60;

	fabric->node_count = length * (1 + hosts);
	snprintf(fabric->shape, sizeof(fabric->shape), "mesh:%u,hosts=%u", length, hosts);
}

static void draw_dragonfly(struct prng *prng, struct fabric_scenario *fabric, unsigned int nodes)
{
	unsigned int groups = (unsigned int)prng_range(prng, 2, 4);
	unsigned int routers = 3 + nodes / 300, hosts = 1 + nodes / 60;

	fabric->node_count = groups * routers * (1 + hosts);
	snprintf(fabric->shape, sizeof(fabric->shape), "dragonfly:a=%u,p=%u,h=1,groups=%u", routers,
		 hosts, groups);
}

static void draw_shape(struct prng *prng, struct fabric_scenario *fabric)
{
	unsigned int nodes = size(prng);

	fabric->random_nodes = nodes;
	switch (prng_below(prng, 6)) {
	case 0:
		draw_fat_tree(prng, fabric, nodes);
		break;
	case 1:
		draw_grid(prng, fabric, nodes);
		break;
	case 2:
		draw_line(prng, fabric, nodes);
		break;
	case 3:
		draw_dragonfly(prng, fabric, nodes);
		break;
	default: /* a random graph */
		fabric->node_count = nodes;
		break;
	}
}

static void draw_ring(struct prng *prng, struct ring_scenario *ring)
{
	ring->buffers = (uint32_t)prng_log_range(prng, ring->transactions, 2 * ring->transactions);
	ring->reads = 64u << prng_below(prng, 5);
	if (one_in(prng, 4))
		ring->buffers = 1 + (uint32_t)prng_below(prng, ring->transactions);
	/* The programs open it with these numbers. */
	if (one_in(prng, 10))
		*ring = (struct ring_scenario){ .transactions = 16384 };
}

static void remove_delays(struct fabric_scenario *fabric)
{
	fabric->hop = 0;
	fabric->transit = 0;
	fabric->service_host = 0;
	fabric->service_switch = 0;
	fabric->queue = 0;
	fabric->local_service = 0;
}

/* Removes the faults that make a scenario unreliable: see scenario_is_reliable(). */
static void calm(struct scenario *scenario)
{
	struct fabric_scenario *fabric = &scenario->fabric;

	fabric->queue = 0;
	fabric->local_vl15 = 0;
	fabric->local_receive_buffers = 0;
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
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		draw_field(scenario, &fields[i], &prng);
	draw_shape(&prng, &scenario->fabric);
	draw_ring(&prng, &scenario->ring);
	if (one_in(&prng, 4))
		remove_delays(&scenario->fabric);
	if (scenario->sweep.retries && one_in(&prng, 4))
		scenario->sweep.retries = MADRING_NO_RETRIES;
	if (scenario->collection.retries && one_in(&prng, 4))
		scenario->collection.retries = MADRING_NO_RETRIES;
	scenario->sweep.pin_window &= scenario->sweep.window != 0;
	if (one_in(&prng, 2))
		calm(scenario);
	scenario->sweep.count_drops = one_in(&prng, 3);
	scenario->sweep.lid_routed = one_in(&prng, 3);
}

/* The way in which a program sends its requests. */
struct manner {
	unsigned int attempts;
	uint64_t timeout;  /* 0: by the measured round trip */
	uint64_t patience; /* then */
	uint32_t window;
};

static struct manner manner_of(int timeout_ms, int retries, int patience_ms, uint32_t window)
{
	return (struct manner){
		.attempts = retries == MADRING_NO_RETRIES
				    ? 1
				    : (unsigned int)(retries ? retries : DEFAULT_RETRIES) + 1,
		.timeout = (uint64_t)timeout_ms * MS,
		.patience = (uint64_t)patience_ms * MS,
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
	if (fabric->local_service > slowest)
		slowest = fabric->local_service;
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
	if (manner->attempts > DEFAULT_RETRIES && !manner->timeout)
		return late < manner->patience / 8;
	if (manner->attempts >= 5 && manner->timeout > LONGEST_TIMEOUT / 2)
		return late < LONGEST_TIMEOUT / 2;
	return late < timeout / 2;
}

/*
 * Returns how long an attempt has its place in the window, on average, in ns. An attempt without a
 * reply has it until its timeout, if no later one overtakes it.
 */
static double time_in_window(const struct scenario *scenario, const struct manner *manner)
{
	const struct fabric_scenario *fabric = &scenario->fabric;
	const struct kernel_scenario *kernel = &scenario->kernel;
	double time = (double)queuing(scenario, 1);

	time += 2 * fabric->reorder / 1e6 * (double)fabric->reorder_delay;
	time += fabric->late / 1e6 * (double)fabric->lateness;
	time += kernel->slow_take / 1e6 * (double)kernel->slow_time;
	time += kernel->pause / 1e6 * (double)kernel->pause_time;
	time += failing_attempts(scenario) * ((double)SHORTEST_TIMEOUT + 8 * time);
	time += (fabric->dead + fabric->hung) / 1e6 * (double)manner->patience;
	return time;
}

/*
 * Returns how many attempts a request has before its node is called silent. A retry waits for its
 * turn, behind an attempt to each other node. If these turns take long, patience has ended before
 * the last attempt.
 */
static unsigned int attempts_in_patience(const struct scenario *scenario,
					 const struct manner *manner)
{
	double turns =
		scenario->fabric.node_count * time_in_window(scenario, manner) / manner->window;
	double retries = (double)manner->patience / turns;

	return manner->timeout || retries + 1 > manner->attempts ? manner->attempts
								 : 1 + (unsigned int)retries;
}

static bool is_reliable(const struct scenario *scenario, struct manner manner)
{
	double failing = failing_attempts(scenario), silent = 1e5; /* of so many requests */
	unsigned int attempts = attempts_in_patience(scenario, &manner);

	for (unsigned int i = 0; i < attempts; i++)
		silent *= failing;
	return silent < 1e-6 && is_in_time(scenario, &manner);
}

bool scenario_is_reliable(const struct scenario *scenario)
{
	const struct sweep_scenario *sweep = &scenario->sweep;
	const struct collection_scenario *collection = &scenario->collection;

	if (scenario->fabric.queue || scenario->fabric.local_vl15 ||
	    scenario->fabric.local_receive_buffers || scenario->fabric.corrupt ||
	    scenario->kernel.no_memory || scenario->kernel.most_sent ||
	    scenario->kernel.receive_queue < KERNEL_QUEUE)
		return false;
	if (!is_reliable(scenario, manner_of(sweep->timeout_ms, sweep->retries, SWEEP_PATIENCE_MS,
					     sweep->window)))
		return false;
	return !collection->wanted ||
	       is_reliable(scenario, manner_of(collection->timeout_ms, collection->retries,
					       COLLECT_PATIENCE_MS, collection->window));
}

bool scenario_is_static(const struct scenario *scenario)
{
	return !scenario->fabric.flaps && !scenario->fabric.deaths && !scenario->fabric.corrupt &&
	       scenario->fabric.unplug_at == SCENARIO_NEVER &&
	       scenario->kernel.breaks_at == SCENARIO_NEVER;
}

unsigned int scenario_attempts(int retries)
{
	return manner_of(0, retries, 0, 0).attempts;
}

static void print_field(FILE *out, const struct scenario *scenario, const struct field *field)
{
	const void *at = (const char *)scenario + field->offset;

	fprintf(out, "  %-32s ", field->name);
	if (field->bytes == sizeof(uint64_t))
		fprintf(out, "%" PRIu64 "\n", *(const uint64_t *)at);
	else if (field->bytes == sizeof(int))
		fprintf(out, "%d\n", *(const int *)at);
	else
		fprintf(out, "%d\n", *(const bool *)at);
}

void scenario_print(FILE *out, const struct scenario *scenario)
{
	fprintf(out, "seed %" PRIu64 ":%s%s\n", scenario->seed,
		scenario_is_reliable(scenario) ? " reliable" : "",
		scenario_is_static(scenario) ? " static" : "");
	fprintf(out, "  %-32s %s\n", "fabric.shape", scenario->fabric.shape);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		print_field(out, scenario, &fields[i]);
	fprintf(out, "  %-32s %d\n", "sweep.lid_routed", scenario->sweep.lid_routed);
}
