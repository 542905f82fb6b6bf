/* SPDX-License-Identifier: BSD-2-Clause */
#include "play_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <madring.h>

#include "common/clock.h"
#include "common/local.h"
#include "common/progress.h"
#include "discovery/discovery.h"
#include "discovery/run.h"
#include "scenario.h"
#include "world/fail.h"
#include "world/faults.h"
#include "world/truth.h"

#define S UINT64_C(1000000000)

#define TRANSACTIONS 16384u /* of the programs: madring-sweep/sweep.c */

struct game {
	const struct times_case *what;
	const struct times_changes *changes;
	struct scenario scenario;
	struct local local;
	struct madring_agent *agent;
	uint64_t start;
	bool is_calm; /* there is neither loss nor a limit of queues, and no second attempt */
};

/* The kernel and the program's own time are the same in each case, and nothing is left to chance
   but what the model draws from the seed. */
static void describe(struct game *game)
{
	game->scenario = (struct scenario){
		.seed = game->changes->seed,
		.fabric = { .attach_to_first = true, .unplug_at = SCENARIO_NEVER },
		.kernel = { .receive_queue = 200000,
			    .is_steady = true,
			    .turn_time = game->changes->turn_ns,
			    .mad_time = game->changes->mad_ns,
			    .report_most = 1 << 20,
			    .write_most = 1 << 20,
			    .breaks_at = SCENARIO_NEVER },
		.rounds = 1,
		.ring = { .transactions = TRANSACTIONS },
	};
	snprintf(game->scenario.fabric.shape, sizeof(game->scenario.fabric.shape), "%s",
		 game->what->shape);
}

static void set_faults(const struct game *game)
{
	const struct times_case *what = game->what;

	faults_set_profile(what->profile);
	for (unsigned int i = 0; i < CASE_SETTINGS && what->setting[i]; i++)
		faults_set_number(what->setting[i]);
	for (size_t i = 0; i < game->changes->setting_count; i++)
		faults_set_number(game->changes->setting[i]);
	if (game->is_calm) {
		faults_set_number("loss=0");
		faults_set_number("queue=0");
	}
	if (what->slow_node)
		faults_slow_node(what->slow_node, what->slow_ns);
	faults_kill_hosts(what->dead_hosts);
}

static void open_ring(struct game *game)
{
	const struct madring_config config = {
		.transactions = TRANSACTIONS,
		.pin = MADRING_PIN_BEST_EFFORT,
		.seed = game->changes->seed | 1,
	};
	const struct discovery_tuning tuning = {
		.window = game->is_calm ? 64 : game->changes->window,
		.pin_window = game->is_calm || game->changes->window,
		.timeout_ms = game->is_calm ? 1000 : 0,
		.retries = game->is_calm ? MADRING_NO_RETRIES : 0,
	};

	expect(!madring_open(&game->local.ring, &config), "no ring");
	expect(!madring_port_open(game->local.ring, NULL, 0, NULL, &game->local.port), "no port");
	game->local.smi = game->local.port;
	expect(!discovery_agent_open(&game->local, &tuning, &game->agent), "no agent");
}

static void open_game(struct game *game)
{
	describe(game);
	world_open(&game->scenario, 36000 * S);
	set_faults(game);
	open_ring(game);
}

static void close_game(struct game *game)
{
	expect(!madring_close(game->local.ring), "the ring does not close");
	world_close();
}

/* Writes a line of the trace. */
static void look(void *user)
{
	const struct game *game = user;
	struct madring_agent_info agent;
	struct madring_ring_stats stats;
	struct world_drops drops;

	madring_agent_state(game->agent, &agent);
	madring_stats(game->local.ring, &stats);
	world_drops(&drops);
	fprintf(stderr,
		"%10.3f ms  window %5u  in flight %5u  queued %6u  timeout %4u ms  sent %7" PRIu64
		"  retried %6" PRIu64 "  full %6" PRIu64 "  lost %5" PRIu64 "  local %5" PRIu64
		"  replies %7" PRIu64 "\n",
		(double)(clock_ns() - game->start) / 1e6, agent.window, agent.in_flight,
		agent.queued, agent.timeout_ms, stats.sent, stats.retried, drops.full, drops.lost,
		drops.local, stats.replies);
}

static size_t count_links(const struct truth *truth)
{
	size_t ends = 0;

	for (size_t i = 0; i < truth->count; i++)
		for (unsigned int number = 1; number <= truth->nodes[i].port_count; number++) {
			const struct truth_port *port = &truth->nodes[i].port[number];

			ends += truth->nodes[i].is_reachable && port->link_is_up &&
				port->peer->is_reachable;
		}
	return ends / 2;
}

static void compare(struct times_result *result, const struct discovery *discovery)
{
	struct truth *truth = truth_look();

	result->nodes = discovery->fabric->node_count;
	result->links = fabric_cables(discovery->fabric);
	result->real_nodes = truth->reachable_count;
	result->real_links = count_links(truth);
	result->is_complete = !discovery->stopped && result->nodes == result->real_nodes &&
			      result->links == result->real_links &&
			      discovery->problems.count == truth->silent_links;
	truth_free(truth);
}

static void sweep(struct game *game, struct times_result *result)
{
	struct progress silent = { .on = false };
	const struct discovery_means means = {
		.ring = game->local.ring,
		.agent = game->agent,
		.deadline_ns = clock_ns() + DISCOVERY_DEADLINE_NS,
		.progress = &silent,
	};
	struct discovery discovery;

	game->start = clock_ns();
	if (game->changes->trace_ns && !game->is_calm)
		virtual_watch(game->changes->trace_ns, look, game);
	discovery_start(&discovery, fabric_new());
	expect(!discovery_run(&discovery, &means), "the sweep fails");
	result->ns = clock_ns() - game->start;
	compare(result, &discovery);
	discovery_end(&discovery);
	fabric_free(discovery.fabric);
}

static void count(const struct game *game, struct times_result *result)
{
	struct madring_ring_stats stats;

	madring_stats(game->local.ring, &stats);
	result->sent = stats.sent;
	result->received = stats.received;
	result->retried = stats.retried;
	result->timed_out = stats.timed_out;
	result->in_flight_peak = stats.in_flight_peak;
	result->entries = stats.entries;
	result->p50_ns = stats.rtt.p50_ns;
	result->p99_ns = stats.rtt.p99_ns;
	world_drops(&result->drops);
}

/* Returns the least time for the MADs that were needed, of the fabric or of the program. A sweep
   that loses none tells how many these are. */
static uint64_t least_time(const struct times_case *what, const struct times_changes *changes)
{
	struct game game = { .what = what, .changes = changes, .is_calm = true };
	struct times_result result;
	uint64_t least, own_time;

	open_game(&game);
	sweep(&game, &result);
	count(&game, &result);
	least = world_least_time();
	close_game(&game);
	own_time = (result.sent + result.received) * changes->mad_ns;
	return least > own_time ? least : own_time;
}

void play_case(const struct times_case *what, const struct times_changes *changes,
	       struct times_result *result)
{
	struct game game = { .what = what, .changes = changes };

	*result = (struct times_result){ .least_ns = least_time(what, changes) };
	open_game(&game);
	sweep(&game, result);
	count(&game, result);
	close_game(&game);
}
