/* SPDX-License-Identifier: BSD-2-Clause */
#include "play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/mad.h>
#include <madring.h>

#include "check_counters.h"
#include "check_drops.h"
#include "check_graph.h"
#include "common/clock.h"
#include "common/local.h"
#include "common/progress.h"
#include "fabric/discovery.h"
#include "fabric/order.h"
#include "fabric/discovery_run.h"
#include "madring-perf/collect.h"
#include "pma/read_drops.h"
#include "model_scenario.h"
#include "smp_agent.h"
#include "time_bound.h"
#include "world/model_fail.h"
#include "world/ledger.h"
#include "world/truth.h"
#include "world/world.h"

#define NS_PER_MS 1000000u
/* The turns that report the requests that a deadline has canceled. */
#define MOST_LATE_TURNS 1000

#define SLACK_NS UINT64_C(120000000000)

struct game {
	const struct scenario *scenario;
	struct local local;
	struct madring_agent *smp, *lid_smp, *pma, *drops_pma; /* NULL: not wanted */
	struct truth *before, *after;
	unsigned int round;
	uint64_t start; /* of the round */
	bool is_whole;	/* the sweep has found all that there is */
};

static uint64_t ns_of_ms(int ms)
{
	return (uint64_t)ms * NS_PER_MS;
}

static void open_sweep_agents(struct game *game)
{
	const struct sweep_scenario *sweep = &game->scenario->sweep;
	const struct tuning tuning = {
		.timeout_ms = sweep->timeout_ms,
		.retries = sweep->retries,
		.window = sweep->window,
		.pin_window = sweep->pin_window,
	};

	expect(!smp_agent_open(&game->local, &tuning, IB_SMI_DIRECT_CLASS, &game->smp),
	       "no agent for SMPs");
	ledger_agent(game->smp, scenario_attempts(sweep->retries), ns_of_ms(sweep->timeout_ms),
		     ns_of_ms(SWEEP_PATIENCE_MS));
	if (!sweep->lid_routed)
		return;
	expect(!smp_agent_open(&game->local, &tuning, IB_SMI_CLASS, &game->lid_smp),
	       "no agent for SMPs by LID");
	ledger_agent(game->lid_smp, scenario_attempts(sweep->retries), ns_of_ms(sweep->timeout_ms),
		     ns_of_ms(SWEEP_PATIENCE_MS));
}

static void open_drops_agent(struct game *game)
{
	const struct tuning tuning = { .window = game->scenario->sweep.window };

	expect(!drops_agent_open(&game->local, &tuning, &game->drops_pma),
	       "no agent for counting drops");
	ledger_agent(game->drops_pma, DROPS_RETRIES + 1, 0, ns_of_ms(SWEEP_PATIENCE_MS));
}

static void open_collection_agent(struct game *game)
{
	const struct collection_scenario *collection = &game->scenario->collection;
	const struct collect_tuning tuning = {
		.timeout_ms = collection->timeout_ms,
		.retries = collection->retries,
		.window = collection->window,
	};

	expect(!collect_agent_open(&game->local, &tuning, &game->pma),
	       "no agent for performance management");
	ledger_agent(game->pma, scenario_attempts(collection->retries),
		     ns_of_ms(collection->timeout_ms), ns_of_ms(COLLECT_PATIENCE_MS));
}

static void open_ring(struct game *game)
{
	const struct ring_scenario *ring = &game->scenario->ring;
	const struct madring_config config = {
		.transactions = ring->transactions,
		.lanes = ring->lanes,
		.buffers = ring->buffers,
		.reads = ring->reads,
		.tick_us = ring->tick_us,
		.pin = MADRING_PIN_BEST_EFFORT,
		.seed = game->scenario->seed | 1,
	};

	expect(!madring_open(&game->local.ring, &config), "no ring");
	expect(!madring_port_open(game->local.ring, NULL, 0, NULL, &game->local.port), "no port");
	game->local.smi = game->local.port;
	open_sweep_agents(game);
	if (game->scenario->sweep.count_drops)
		open_drops_agent(game);
	if (game->scenario->collection.wanted)
		open_collection_agent(game);
}

/* Returns whether the device is unplugged, or io_uring fails for good, in this scenario. */
static bool may_fail(const struct scenario *scenario)
{
	return scenario->fabric.unplug_at != SCENARIO_NEVER ||
	       scenario->kernel.breaks_at != SCENARIO_NEVER;
}

/* Checks that a deadline ends the work neither early, nor later than the writes under way. */
static void check_deadline(const struct scenario *scenario, bool was_reached, uint64_t elapsed,
			   uint64_t deadline)
{
	const struct kernel_scenario *kernel = &scenario->kernel;

	expect(!was_reached || elapsed >= deadline,
	       "the deadline comes early, after %" PRIu64 " ns", elapsed);
	expect(elapsed <= deadline + PROGRESS_MS * NS_PER_MS + 2 * kernel->slow_time +
				  (kernel->pause ? 2 * kernel->pause_time : 0) +
				  MOST_LATE_TURNS * (kernel->turn_time + kernel->batch_time),
	       "the deadline comes late, after %" PRIu64 " ns", elapsed);
}

static void check_sweep(struct game *game, const struct discovery *discovery, int error)
{
	const struct scenario *scenario = game->scenario;
	uint64_t elapsed = clock_ns() - game->start;
	bool has_ended = !error && !discovery->stopped;

	expect(!error || may_fail(scenario), "the sweep fails: %s", madring_error_text(error));
	check_deadline(scenario, discovery->deadline_reached, elapsed, scenario->sweep.deadline);
	expect(has_ended || error || discovery->deadline_reached, "the sweep stops for no reason");
	expect(!discovery->waiting, "%zu queries still wait", discovery->waiting);
	expect(discovery->fabric->node_count <= discovery->max_nodes, "more nodes than may be");
	if (!scenario->fabric.corrupt)
		check_graph_is_real(discovery, game->after);
	if (!scenario_is_static(scenario) || !has_ended || discovery->limit)
		return;
	check_graph_is_explained(discovery, game->after);
	if (!scenario_is_reliable(scenario))
		return;
	check_graph_is_whole(discovery, game->after);
	game->is_whole = true;
}

static void check_drops(const struct game *game, const struct drops *drops)
{
	const struct scenario *scenario = game->scenario;
	bool was_cleared = scenario->collection.clear && game->round;

	if (!drops->stopped)
		check_drops_are_explained(drops);
	if (scenario_is_static(scenario) && !scenario->fabric.corrupt && !was_cleared)
		check_drops_are_real(drops, game->before, game->after);
}

static void see_port(void *job, const struct port *port)
{
	drops_job_see(job, &port->public);
}

/* Runs a discovery. @drops is filled, if drops are to be counted. */
static int run_discovery(struct game *game, struct discovery *discovery,
			 const struct discovery_means *means, struct drops *drops)
{
	struct progress silent = { .on = false };
	struct drops_job *job = NULL;
	int error;

	if (game->scenario->sweep.count_drops)
		job = drops_job_start(drops, &game->local, game->drops_pma,
				      game->start + game->scenario->sweep.deadline);
	if (job) {
		discovery->port_seen = see_port;
		discovery->port_context = job;
	}
	error = discovery_run(discovery, means);
	if (job)
		drops_job_finish(job, discovery->stopped, &silent);
	drops_job_end(job);
	return error;
}

static int sweep(struct game *game, struct discovery *discovery)
{
	const struct sweep_scenario *scenario = &game->scenario->sweep;
	const struct discovery_means means = {
		.agent = game->smp,
		.lid_agent = game->lid_smp,
		.config = { .keep_retries = scenario->retries,
			    .deadline_ms = (int64_t)((scenario->deadline - 1) / NS_PER_MS + 1) },
	};
	struct drops drops;
	int error;

	drops_start(&drops);
	discovery_start(discovery, fabric_new());
	if (scenario->max_nodes)
		discovery->max_nodes = scenario->max_nodes;
	error = run_discovery(game, discovery, &means, &drops);
	trace("the sweep has ended: %d, %zu nodes, %zu problems", error,
	      discovery->fabric->node_count, discovery->problems.count);
	game->after = truth_look();
	check_sweep(game, discovery, error);
	check_drops(game, &drops);
	drops_end(&drops);
	order_nodes(discovery->fabric);
	problems_order(&discovery->problems);
	fabric_settle(discovery->fabric);
	return error;
}

/* Asks for the ports of every other node. */
static bool look_closer(void *context, const struct port_counters *all)
{
	(void)context;
	return all->node->node->guid & 1;
}

static struct plan plan_of(const struct collection_scenario *scenario)
{
	return (struct plan){
		.attributes = scenario->attributes,
		.look_closer = scenario->look_closer ? look_closer : NULL,
		.deadline_ns = clock_ns() + scenario->deadline,
		.clear_errors = scenario->clear,
		.clear_counts = scenario->clear,
	};
}

static void check_collection(struct game *game, const struct collection *collection,
			     const struct plan *plan)
{
	const struct scenario *scenario = game->scenario;
	const struct counter_bounds bounds = { game->before, game->after };

	expect(!collection->error || may_fail(scenario), "the collection fails: %s",
	       madring_error_text(collection->error));
	check_deadline(scenario, collection->deadline_reached, collection->elapsed_ns,
		       scenario->collection.deadline);
	if (scenario->fabric.corrupt)
		return;
	/* A program may clear PortCounters alone, and the truth shows PortCountersExtended. */
	if (scenario_is_static(scenario) && !(scenario->collection.clear && game->round))
		check_counters_are_real(collection, &bounds, scenario->collection.clear);
	if (collection->error || collection->deadline_reached)
		return;
	check_counters_are_explained(collection, plan);
	if (game->is_whole)
		check_counters_are_whole(collection);
}

static void collect_counters(struct game *game, const struct madring_fabric *fabric)
{
	struct collection *collection = collection_new(fabric);
	const struct plan plan = plan_of(&game->scenario->collection);

	collect(collection, &plan, &game->local, game->pma, NULL);
	trace("the collection has ended: %d, %" PRIu64 " requests, %" PRIu64 " replies",
	      collection->error, collection->stats.requests, collection->stats.replies);
	truth_free(game->after);
	game->after = truth_look();
	check_collection(game, collection, &plan);
	collection_free(collection);
}

static void check_agent(const struct madring_agent *agent)
{
	struct madring_agent_state state;

	if (!agent)
		return;
	madring_agent_get_state(agent, &state);
	expect(!state.in_flight && !state.queued, "an agent has %u in flight and %u queued left",
	       state.in_flight, state.queued);
}

static void check_ring(const struct game *game)
{
	struct madring_stats stats;

	madring_get_stats(game->local.ring, &stats);
	ledger_check(game->local.ring);
	check_agent(game->smp);
	check_agent(game->lid_smp);
	check_agent(game->pma);
	check_agent(game->drops_pma);
	expect(stats.pool_plain_in_use ==
		       (game->scenario->ring.reads ? game->scenario->ring.reads : 4096),
	       "%" PRIu64 " buffers are in use at the end", stats.pool_plain_in_use);
}

/* Checks the time of a sweep that has found everything, and of its collection. */
static void check_time(const struct game *game, const struct madring_fabric *fabric)
{
	const struct scenario *scenario = game->scenario;
	struct madring_stats stats;
	struct work_done work = { .least = world_least_time(), .hops = fabric_hops(fabric) };
	uint64_t elapsed = clock_ns() - game->start;
	uint64_t bound;

	madring_get_stats(game->local.ring, &stats);
	work.mads = stats.sent;
	work.unanswered = stats.retried + stats.timed_out + stats.busy + stats.canceled;
	bound = time_bound(scenario, &work);
	trace("%" PRIu64 " ns, and %" PRIu64 " at most: %" PRIu64 " turns, %" PRIu64
	      " MADs, %" PRIu64 " retries, %" PRIu64 " ns at least, ratio %.4f %s",
	      elapsed, bound, stats.entries, stats.sent, stats.retried, work.least,
	      (double)elapsed / (double)bound, stats.retried ? "retried" : "straight");
	expect(elapsed <= bound, "it took %" PRIu64 " ns, and %" PRIu64 " would be long", elapsed,
	       bound);
}

static void close_ring(struct game *game)
{
	bool has_broken = game->scenario->kernel.breaks_at != SCENARIO_NEVER;
	int error;

	if (!madring_outstanding(game->local.ring))
		check_ring(game);
	else
		expect(has_broken, "%u requests outstanding when all is done",
		       madring_outstanding(game->local.ring));
	error = madring_close(game->local.ring);
	expect(!error || has_broken, "the ring closes with %d", error);
}

static void print_summary(const struct game *game, const struct discovery *discovery)
{
	printf("seed %" PRIu64 ": %s, %zu nodes, %" PRIu64 " requests, %" PRIu64
	       " MADs, %.3f s (%.3f s at least)%s\n",
	       game->scenario->seed,
	       game->scenario->fabric.shape[0] ? game->scenario->fabric.shape : "random",
	       discovery->fabric->node_count, ledger_accepted(), world_written(),
	       (double)(clock_ns() - game->start) / 1e9, (double)world_least_time() / 1e9,
	       game->is_whole ? ", whole" : "");
}

/*
 * Plays a sweep, and a collection if that has not failed. Returns whether another round can follow.
 */
static bool play_round(struct game *game, bool verbose)
{
	struct discovery discovery;
	int error;

	game->start = clock_ns();
	game->before = truth_look();
	game->is_whole = false;
	error = sweep(game, &discovery);
	if (game->scenario->collection.wanted && !error)
		collect_counters(game, discovery.fabric);
	if (game->is_whole)
		check_time(game, discovery.fabric);
	if (verbose)
		print_summary(game, &discovery);
	truth_free(game->before);
	truth_free(game->after);
	discovery_end(&discovery);
	fabric_free(discovery.fabric);
	return !error && !madring_outstanding(game->local.ring);
}

static uint64_t bound_of(const struct scenario *scenario)
{
	return SLACK_NS +
	       scenario->rounds * (scenario->sweep.deadline + scenario->collection.deadline);
}

uint64_t play(uint64_t seed, bool verbose)
{
	struct scenario scenario;
	struct game game = { .scenario = &scenario };
	uint64_t digest;

	scenario_draw(&scenario, seed);
	if (verbose)
		scenario_print(stdout, &scenario);
	trace_is_on = verbose;
	world_open(&scenario, bound_of(&scenario));
	open_ring(&game);
	for (game.round = 0; game.round < scenario.rounds; game.round++)
		if (!play_round(&game, verbose))
			break;
	digest = ledger_digest();
	close_ring(&game);
	world_close();
	return digest;
}
