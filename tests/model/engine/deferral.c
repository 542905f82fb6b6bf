/* SPDX-License-Identifier: BSD-2-Clause */
#include "deferral.h"

#include <string.h>

#include "engine_packet.h"

#define MOST_REDIRECTS 4
#define GSI_QKEY       0x80010000u

const uint16_t deferral_pkeys[3] = { 0xffff, 0x8001, 0x0002 };

static void put16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, (uint16_t)(value >> 16));
	put16(to + 2, (uint16_t)value);
}

static size_t data_of(uint8_t mgmt_class)
{
	if (mgmt_class == SA_CLASS)
		return 56;
	return mgmt_class == 0x32 ? 40 : 64;
}

static uint16_t draw_pkey(struct prng *prng)
{
	uint16_t pkey = deferral_pkeys[prng_below(prng, 3)];

	if (prng_chance(prng, 300000))
		pkey ^= 0x8000;
	if (prng_chance(prng, 100000))
		pkey = 0x1234;
	return prng_chance(prng, 100000) ? 0 : pkey;
}

/* Redirects to a destination, which may be the same, by the reply's ClassPortInfo. */
static void redirect(struct world *world, struct packet *reply)
{
	uint8_t *info = (uint8_t *)reply->umad->data + data_of(reply->about->agent->mgmt_class);
	struct prng *prng = &world->prng;
	struct deferral *deferral = &reply->deferral;

	deferral->redirect = true;
	deferral->destination = (uint32_t)prng_below(prng, world->scenario.destinations);
	deferral->lid = world->destination[deferral->destination].lid;
	/* A LID does not lead to a destination behind a router. */
	if (world->destination[deferral->destination].grh || prng_chance(prng, 100000))
		deferral->lid = 0;
	deferral->pkey = draw_pkey(prng);
	deferral->qkey = prng_chance(prng, 500000) ? GSI_QKEY : (uint32_t)prng_next(prng);
	deferral->sl = (uint8_t)prng_below(prng, 16);
	prng_fill(prng, info, 40);
	memset(info + 8, 0, 16); /* no GID */
	info[25] = (uint8_t)(deferral->sl << 4);
	put16(info + 28, deferral->lid);
	put16(info + 30, deferral->pkey);
	put32(info + 32, 1);
	put32(info + 36, deferral->qkey);
}

void deferral_draw(struct world *world, struct packet *reply)
{
	struct madring_mad_hdr *header = (struct madring_mad_hdr *)reply->umad->data;
	uint8_t mgmt_class = reply->about->agent->mgmt_class;

	if (prng_chance(&world->prng, world->scenario.busy)) {
		header->status |= htobe16(1);
		reply->deferral.busy = true;
	} else if (prng_chance(&world->prng, world->scenario.redirect)) {
		header->status |= htobe16(2);
		/* An SMP has no address there. */
		if (mgmt_class != DR_CLASS && mgmt_class != 0x01)
			redirect(world, reply);
	}
}

/* Finds a P_Key's index by its low 15 bits. Returns false if the table does not have it. */
static bool find_pkey(const struct engine_agent_config *config, uint16_t pkey, uint16_t *index)
{
	if (!config->pkey_count || !(pkey & 0x7fff))
		return true;
	for (unsigned int i = 0; i < config->pkey_count; i++) {
		if ((config->pkeys[i] & 0x7fff) == (pkey & 0x7fff)) {
			*index = (uint16_t)i;
			return true;
		}
	}
	return false;
}

/*
 * Makes the address that a redirect leads to. Returns false if that cannot be followed, or is the
 * request's own.
 */
static bool leads_to(const struct deferral *deferral, const struct record *record,
		     struct ib_mad_addr *address)
{
	const struct ib_mad_addr *now = &record->original->addr;

	*address = *now;
	address->lid = htobe16(deferral->lid);
	address->qpn = htobe32(1);
	address->qkey = htobe32(deferral->qkey);
	address->sl = deferral->sl;
	if (!find_pkey(&record->agent->config, deferral->pkey, &address->pkey_index))
		return false;
	return deferral->lid && !now->grh_present && memcmp(address, now, sizeof(*now)) != 0;
}

/* Tells whether the attempt was written before the last redirect was followed. */
static bool is_redirected(const struct record *record, const struct attempt *attempt)
{
	return attempt < &record->attempt[record->redirected_after];
}

bool deferral_holds(const struct packet *packet, const struct record *record,
		    const struct attempt *attempt, bool retried)
{
	const struct deferral *deferral = &packet->deferral;
	struct ib_mad_addr address;

	if (record->by_kernel)
		return false;
	/* An attempt without a timeout has no other after it. */
	if (deferral->busy && !retried && record->progress == FLYING &&
	    record->timeout_most == ENGINE_NEVER)
		return false;
	if (deferral->busy)
		return !record->agent->config.report_busy && (retried || !record_exhausted(record));
	if (deferral->redirect && is_redirected(record, attempt))
		return true;
	return deferral->redirect && !record->agent->config.report_redirects &&
	       record->redirects < MOST_REDIRECTS && record_tries(record) < UINT8_MAX &&
	       !record->unreported && leads_to(deferral, record, &address);
}

void deferral_take(struct world *world, const struct packet *packet, struct record *record,
		   struct attempt *attempt, bool retried)
{
	uint32_t place = world->scenario.own_flows + packet->deferral.destination;

	if (packet->deferral.busy) {
		world->tally.busy++;
		attempt->busy |= !retried;
		return;
	}
	if (is_redirected(record, attempt))
		return;
	world->tally.redirected++;
	leads_to(&packet->deferral, record, &record->original->addr);
	record->redirects++;
	record->redirected_after = record->attempts;
	ledger_redirected(&world->ledger, record, &record->agent->flow[place]);
}
