/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws what becomes of a write, and when. */
#include <errno.h>

#include "engine_packet.h"

#define MS 1000000ull

void network_schedule(struct world *world, struct packet *packet, uint64_t delay)
{
	agenda_put(&world->events, world->now + delay, packet, 0);
}

uint64_t network_delay(struct world *world)
{
	uint64_t delay = world->scenario.delay_ns;

	switch (world->scenario.delay_shape) {
	case DELAY_CONSTANT:
		return delay;
	case DELAY_JITTERED:
		return prng_range(&world->prng, delay / 2, 2 * delay);
	default:
		return prng_log_range(&world->prng, delay / 4 + 1, 64 * delay);
	}
}

/* Draws a delay that is long enough to come after several timeouts. */
static uint64_t draw_lateness(struct world *world)
{
	return prng_log_range(&world->prng, world->scenario.patience_ns,
			      100 * world->scenario.patience_ns);
}

static uint64_t draw_notice_delay(struct world *world, const struct record *record)
{
	uint64_t timeout = record->umad->timeout_ms * MS;

	if (timeout > 1000 * world->scenario.patience_ns || prng_chance(&world->prng, 300000))
		return prng_range(&world->prng, 0, 2 * world->scenario.patience_ns);
	return prng_range(&world->prng, timeout, timeout + timeout / 8);
}

static void schedule_trouble(struct world *world, struct record *record)
{
	const struct scenario *s = &world->scenario;
	struct prng *prng = &world->prng;

	if (prng_chance(prng, s->forge))
		network_schedule(world, packet_forged(world, record), network_delay(world));
	if (prng_chance(prng, s->malformed))
		network_schedule(world, packet_truncated(world, record), network_delay(world));
	if (prng_chance(prng, s->garbage))
		network_schedule(world, packet_garbage(world, record_last(record)->lane),
				 network_delay(world));
	if (prng_chance(prng, s->unsolicited))
		network_schedule(world, packet_unsolicited(world, record), network_delay(world));
	if (record->no_reply || !prng_chance(prng, s->notice))
		return;
	do {
		network_schedule(world, packet_notice(record), draw_notice_delay(world, record));
	} while (prng_chance(prng, s->duplicate));
}

static void schedule_replies(struct world *world, struct record *record)
{
	const struct scenario *s = &world->scenario;
	struct prng *prng = &world->prng;

	/* The kernel would drop a reply to a request without one; the engine has to as well. */
	if (record->no_reply && prng_chance(prng, 700000))
		return;
	if (prng_chance(prng, s->ghost))
		network_schedule(world, packet_reply(world, record), draw_lateness(world));
	if (prng_chance(prng, s->loss))
		return;
	do {
		network_schedule(world, packet_reply(world, record), network_delay(world));
	} while (prng_chance(prng, s->duplicate));
}

static int draw_error(struct world *world)
{
	static const int errors[] = { -EINVAL, -EIO, -ENOMEM, -ENOBUFS, -EPERM };

	if (world->refused_in_a_row < 20 && prng_chance(&world->prng, world->scenario.write_again))
		return -EAGAIN;
	if (prng_chance(&world->prng, world->scenario.write_error))
		return errors[prng_below(&world->prng, sizeof(errors) / sizeof(*errors))];
	return 0;
}

void network_take(struct world *world, struct record *record)
{
	int error = draw_error(world);
	uint64_t delay = 0;

	if (prng_chance(&world->prng, world->scenario.write_slow))
		delay = prng_log_range(&world->prng, 1, 4 * world->scenario.patience_ns);
	record->hangs = prng_chance(&world->prng, world->scenario.write_hang);
	if (!record->hangs)
		network_schedule(world, packet_report(record, error), delay);
	world->refused_in_a_row = error == -EAGAIN ? world->refused_in_a_row + 1 : 0;
	if (!error && !record->hangs) {
		schedule_replies(world, record);
		schedule_trouble(world, record);
	}
}
