/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/agent.h"
#include "server/mad.h"
#include "server/outstanding.h"

#define INITIAL_BUCKETS 4096

static struct outstanding **bucket_of(const struct outstanding_table *table, uint64_t tid,
				      uint8_t mgmt_class)
{
	uint64_t hash = keyed_hash_u64(&table->key, tid ^ mgmt_class);

	return &table->bucket[hash & (table->bucket_count - 1)];
}

static void hash_insert(struct outstanding_table *table, struct outstanding *entry)
{
	struct outstanding **bucket;

	bucket = bucket_of(table, entry->tid, mad_class(entry->packet.mad));
	entry->hash_next = *bucket;
	if (entry->hash_next)
		entry->hash_next->hash_link = &entry->hash_next;
	entry->hash_link = bucket;
	*bucket = entry;
}

/*
 * grow_table enlarges the table. Without memory for a larger one, the old one stays, with longer
 * chains.
 */
static void grow_table(struct outstanding_table *table)
{
	size_t old_count = table->bucket_count;
	struct outstanding **old = table->bucket, *next, **grown;

	grown = calloc(old_count * 2, sizeof(struct outstanding *));
	if (!grown)
		return;
	table->bucket = grown;
	table->bucket_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++) {
		for (struct outstanding *entry = old[i]; entry; entry = next) {
			next = entry->hash_next;
			hash_insert(table, entry);
		}
	}
	free(old);
}

int outstanding_open(struct outstanding_table *table)
{
	memset(table, 0, sizeof(*table));
	hash_key_draw(&table->key);
	table->bucket = calloc(INITIAL_BUCKETS, sizeof(struct outstanding *));
	if (!table->bucket)
		return -ENOMEM;
	table->bucket_count = INITIAL_BUCKETS;
	slabs_open(&table->entries, sizeof(struct outstanding));
	return 0;
}

void outstanding_close(struct outstanding_table *table)
{
	slabs_close(&table->entries);
	free(table->bucket);
	table->bucket = NULL;
}

struct outstanding *outstanding_add(struct outstanding_table *table, struct agent *agent,
				    const struct fabric_packet *packet)
{
	struct outstanding *entry = slab_take(&table->entries);

	if (!entry)
		return NULL;
	if (table->count >= table->bucket_count)
		grow_table(table);
	entry->timer.link = NULL;
	entry->rmpp = NULL;
	entry->rmpp_bytes = 0;
	entry->place = PLACE_NONE;
	entry->is_limited = false;
	entry->was_sent = false;
	entry->is_unfinished = false;
	entry->agent = agent;
	entry->tid = mad_tid(packet->mad);
	entry->packet = *packet;
	hash_insert(table, entry);
	entry->agent_next = agent->outstanding;
	if (entry->agent_next)
		entry->agent_next->agent_link = &entry->agent_next;
	entry->agent_link = &agent->outstanding;
	agent->outstanding = entry;
	table->count++;
	return entry;
}

struct outstanding *outstanding_request(const struct outstanding_table *table, uint64_t tid,
					uint8_t mgmt_class)
{
	struct outstanding *entry = *bucket_of(table, tid, mgmt_class);

	while (entry && (entry->tid != tid || mad_class(entry->packet.mad) != mgmt_class ||
			 mad_is_response(entry->packet.mad)))
		entry = entry->hash_next;
	return entry;
}

struct outstanding *outstanding_response(const struct outstanding_table *table, uint64_t tid,
					 uint8_t mgmt_class, uint16_t dlid)
{
	struct outstanding *entry = *bucket_of(table, tid, mgmt_class);

	while (entry && (entry->tid != tid || mad_class(entry->packet.mad) != mgmt_class ||
			 !mad_is_response(entry->packet.mad) || entry->packet.dlid != dlid))
		entry = entry->hash_next;
	return entry;
}

void outstanding_remove(struct outstanding_table *table, struct outstanding *entry)
{
	*entry->hash_link = entry->hash_next;
	if (entry->hash_next)
		entry->hash_next->hash_link = entry->hash_link;
	*entry->agent_link = entry->agent_next;
	if (entry->agent_next)
		entry->agent_next->agent_link = entry->agent_link;
	slab_give_back(&table->entries, entry);
	table->count--;
}
