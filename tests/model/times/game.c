/* SPDX-License-Identifier: BSD-2-Clause */
#include "game.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/clock.h"
#include "world/model_fail.h"
#include "world/model_faults.h"
#include "world/model_sa.h"

#define S UINT64_C(1000000000)

#define TRANSACTIONS 16384u /* of the programs: madring-sweep/sweep.c */

/* From Linux 6.17 on: src/device/limits.c. */
#define KERNEL_SMPS 128

/* The SA of the cases that ask one. */
#define SA_HOST "host-00-01"

/*
 * The kernel and the program's own time are the same in each case, and nothing is left to chance
 * but what the model draws from the seed.
 */
static void describe(struct game *game)
{
	game->scenario = (struct scenario){
		.seed = game->changes->seed,
		.fabric = { .attach_to_first = true,
			    .second_host = game->what->second_host,
			    .unplug_at = SCENARIO_NEVER },
		.kernel = { .receive_queue = 200000,
			    .most_sent = game->what->has_kernel_limits ? KERNEL_SMPS : 0,
			    .is_limit_known = true,
			    .is_steady = true,
			    .pause = game->is_calm ? 0 : game->what->away_ppm,
			    .pause_time = game->what->away_ns,
			    .turn_time = game->changes->turn_ns,
			    .mad_time = game->changes->mad_ns,
			    .report_most = 1 << 20,
			    .write_most = 1 << 20,
			    .breaks_at = SCENARIO_NEVER },
		.rounds = 1,
		.ring = { .transactions = TRANSACTIONS, .lanes = game->what->lanes },
	};
	snprintf(game->scenario.fabric.shape, sizeof(game->scenario.fabric.shape), "%s",
		 game->what->shape);
}

void game_set_faults(const struct game *game)
{
	const struct times_case *what = game->what;

	for (unsigned int i = 0; i < CASE_SETTINGS && what->setting[i]; i++)
		faults_set_number(what->setting[i]);
	for (size_t i = 0; i < game->changes->setting_count; i++)
		faults_set_number(game->changes->setting[i]);
	if (game->is_calm) {
		faults_set_number("loss=0");
		faults_set_number("queue=0");
		faults_set_number("local-vl15=0");
		faults_set_number("local-receive-buffers=0");
	}
	if (what->slow_node)
		faults_slow_node(what->slow_node, what->slow_ns);
	if (what->stalled_node && !game->is_calm)
		faults_stall_node(what->stalled_node, what->stall_after_ns, what->stall_ns);
	faults_kill_hosts(what->dead_hosts);
}

void game_open_ring(struct game *game, const char *ca_name)
{
	const struct madring_config config = {
		.transactions = TRANSACTIONS,
		.lanes = game->what->lanes,
		.pin = MADRING_PIN_BEST_EFFORT,
		.seed = game->changes->seed | 1,
	};

	expect(!madring_open(&game->local.ring, &config), "no ring");
	expect(!madring_port_open(game->local.ring, ca_name, 0, NULL, &game->local.port),
	       "no port");
	game->local.smi = game->local.port;
}

void game_open(struct game *game, const struct times_case *what,
	       const struct times_changes *changes, bool is_calm)
{
	*game = (struct game){ .what = what, .changes = changes, .is_calm = is_calm };
	describe(game);
	world_open(&game->scenario, 36000 * S);
	faults_set_profile(what->profile);
	if (what->work == WORK_QUERIES)
		game->sa_lid = sa_open(SA_HOST, &what->sa);
}

void game_close(void)
{
	world_close();
}

void game_close_ring(struct game *game)
{
	expect(!madring_close(game->local.ring), "the ring does not close");
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* Writes a line of the trace. It ends with how long an SMP waits at the busiest switch. */
static void look(void *user)
{
	const struct game *game = user;
	struct times_result result;
	struct madring_agent_state agent;

	madring_agent_get_state(game->traced, &agent);
	game_count(game, &result);
	fprintf(stderr,
		"%10.3f ms  window %5u  in flight %5u  queued %6u  timeout %4u ms  sent %7" PRIu64
		"  retried %6" PRIu64 "  full %6" PRIu64 "  lost %5" PRIu64 "  local %5" PRIu64
		"  replies %7" PRIu64 "  wait %5.0f us\n",
		ms(game_elapsed(game)), agent.window, agent.in_flight, agent.queued,
		agent.timeout_ms, result.sent, result.retried, result.drops.full, result.drops.lost,
		result.drops.local, result.replies, (double)world_longest_wait() / 1e3);
}

void game_start(struct game *game, struct madring_agent *traced)
{
	game->start = clock_ns();
	game->traced = traced;
	madring_get_stats(game->local.ring, &game->before);
	world_drops(&game->drops_before);
	world_forget_work();
	if (traced && game->changes->trace_ns && !game->is_calm)
		virtual_watch(game->changes->trace_ns, look, game);
}

uint64_t game_elapsed(const struct game *game)
{
	return clock_ns() - game->start;
}

void game_count(const struct game *game, struct times_result *result)
{
	struct madring_stats stats;

	madring_get_stats(game->local.ring, &stats);
	result->sent = stats.sent - game->before.sent;
	result->replies = stats.replies - game->before.replies;
	result->retried = stats.retried - game->before.retried;
	result->timed_out = stats.timed_out - game->before.timed_out;
	result->entries = stats.entries - game->before.entries;
	result->in_flight_peak = stats.in_flight_peak;
	result->p50_ns = stats.rtt_p50_ns;
	result->p99_ns = stats.rtt_p99_ns;
	world_drops(&result->drops);
	result->drops.full -= game->drops_before.full;
	result->drops.lost -= game->drops_before.lost;
	result->drops.local -= game->drops_before.local;
	result->drops.other -= game->drops_before.other;
}

uint64_t game_least_time(const struct game *game)
{
	uint64_t least = world_least_time(), own_time;
	struct madring_stats stats;

	madring_get_stats(game->local.ring, &stats);
	own_time = (stats.accepted - game->before.accepted + stats.replies - game->before.replies) *
		   game->changes->mad_ns;
	return least > own_time ? least : own_time;
}
