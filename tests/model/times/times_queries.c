/* SPDX-License-Identifier: BSD-2-Clause */
/* Path queries to the SA, all asked at once. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include <infiniband/umad_sa.h>
#include <infiniband/umad_types.h>

#include "game.h"
#include "works.h"
#include "world/model_fail.h"

#define QUERIES	    1000u
#define PATH_RECORD 0x0035
#define PATH_DLID   40 /* bytes from the start of a PathRecord (IBA 15.2.5.16) */

struct asking {
	const struct game *game;
	unsigned int answered, silent;
	uint64_t last_answer; /* since the start */
};

static void on_outcome(const struct madring_completion *completion)
{
	struct asking *asking = completion->user;

	expect(!completion->status || completion->status == -ETIMEDOUT, "a query fails with %d",
	       completion->status);
	if (completion->status) {
		asking->silent++;
		return;
	}
	asking->answered++;
	asking->last_answer = game_elapsed(asking->game);
}

/* Asks for the path to a LID. */
static void ask(struct asking *asking, struct madring_agent *agent, uint16_t lid)
{
	struct madring_send_options send = { .callback = on_outcome, .user = asking };
	struct madring_mad *mad = madring_mad_alloc(agent);
	struct umad_sa_packet *packet;
	uint16_t dlid = htobe16(lid);

	expect(mad, "no buffer");
	madring_gmp_prepare(mad, asking->game->sa_lid, MADRING_GET, PATH_RECORD, 0);
	packet = madring_mad_data(mad);
	memcpy(packet->data + PATH_DLID, &dlid, sizeof(dlid));
	expect(!madring_send(agent, mad, &send), "a query is not sent");
}

/*
 * Opens an agent with the library's own windows and timeouts; for the least time, with one attempt
 * that lasts as long as all queries take.
 */
static struct madring_agent *query_agent(const struct game *game)
{
	const struct madring_agent_config config = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = UMAD_SA_CLASS_VERSION,
		.timeout_ms = game->is_calm ? 60000 : 0,
		.retries = game->is_calm ? MADRING_NO_RETRIES : 0,
		.window = game->is_calm ? QUERIES : game->changes->window,
		.flow_window = game->is_calm ? QUERIES : 0,
		.pin_window = game->is_calm || game->changes->window,
		.pin_flow_window = game->is_calm,
	};
	struct madring_agent *agent;

	expect(!madring_agent_open(game->local.port, &config, &agent), "no agent for the SA");
	return agent;
}

void work_queries(struct game *game, struct times_result *result)
{
	struct asking asking = { .game = game };
	struct madring_agent *agent = query_agent(game);

	game_set_faults(game);
	game_start(game, agent);
	for (unsigned int i = 0; i < QUERIES; i++)
		ask(&asking, agent, (uint16_t)(i + 1));
	while (asking.answered + asking.silent < QUERIES)
		expect(madring_run(game->local.ring, -1) >= 0, "the ring does not run");
	result->ns = asking.last_answer;
	/* The SA is no node of the fabric's: what it needs is the time of its answers. */
	result->least_ns = asking.last_answer;
	result->found = asking.answered;
	result->real = QUERIES * (100 - game->what->sa.unanswered) / 100;
	result->is_complete = result->found == result->real;
}
