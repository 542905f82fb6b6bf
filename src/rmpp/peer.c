/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the transfer of a MAD by TID, source, class and direction, in O(1). */
#include "rmpp/peer.h"

#include "rmpp/rmpp_state.h"

static uint64_t read_tid(const uint8_t *mad)
{
	uint64_t tid;

	memcpy(&tid, mad + offsetof(struct madring_mad_hdr, tid), sizeof(tid));
	return tid;
}

/*
 * Returns the part of a TID that is compared. The kernel writes its agent's number into the high
 * half of a request's TID, and the response repeats it. The caller's request does not have it. It
 * says no more than lane and agent do.
 */
static uint64_t compared_tid(const uint8_t *mad, uint8_t method)
{
	uint64_t tid = be64toh(read_tid(mad));

	return method & MADRING_RESPONSE_BIT ? (uint32_t)tid : tid;
}

static struct rmpp_key make_key(const struct ib_user_mad *umad, unsigned int lane, uint8_t method,
				enum key_kind kind)
{
	const uint8_t *mad = umad->data;
	struct rmpp_key key = {
		.tid = compared_tid(mad, method),
		.qpn = umad->addr.qpn,
		.agent_id = umad->agent_id,
		.lid = umad->addr.lid,
		.lane = (uint16_t)lane,
		.mgmt_class = mad[offsetof(struct madring_mad_hdr, mgmt_class)],
		.class_version = mad[offsetof(struct madring_mad_hdr, class_version)],
		.method = method,
		.kind = (uint8_t)kind,
	};

	if (umad->addr.grh_present) {
		key.lid = 0;
		memcpy(key.gid, umad->addr.gid, sizeof(key.gid));
	}
	return key;
}

struct rmpp_key peer_key(const struct ib_user_mad *umad, unsigned int lane, enum key_kind kind)
{
	return make_key(umad, lane, umad->data[offsetof(struct madring_mad_hdr, method)], kind);
}

struct rmpp_key peer_answer_key(const struct ib_user_mad *message, unsigned int lane)
{
	uint8_t method = message->data[offsetof(struct madring_mad_hdr, method)];

	return make_key(message, lane, method ^ MADRING_RESPONSE_BIT, KEY_SEND);
}

static uint64_t mix_bits(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xd6e8feb86659fd93u;
	return hash ^ (hash >> 32);
}

/* Returns the bucket of a key. The hash is seeded, because other nodes choose the TIDs. */
static uint32_t bucket_of(const struct rmpp *rmpp, const struct rmpp_key *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)];
	uint64_t hash = rmpp->config.seed;

	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = mix_bits(hash, words[i]);
	hash = mix_bits(hash, rmpp->config.seed >> 1);
	return (uint32_t)(hash >> (64 - rmpp->bucket_bits));
}

uint32_t peer_find(const struct rmpp *rmpp, const struct rmpp_key *key)
{
	uint32_t entry = rmpp->bucket[bucket_of(rmpp, key)];

	while (entry != TRANSFER_NONE && memcmp(&rmpp->transfer[entry].key, key, sizeof(*key)) != 0)
		entry = rmpp->transfer[entry].bucket_next;
	return entry;
}

void peer_insert(struct rmpp *rmpp, uint32_t entry)
{
	uint32_t *bucket = &rmpp->bucket[bucket_of(rmpp, &rmpp->transfer[entry].key)];

	rmpp->transfer[entry].bucket_next = *bucket;
	*bucket = entry;
}

void peer_remove(struct rmpp *rmpp, uint32_t entry)
{
	uint32_t *link = &rmpp->bucket[bucket_of(rmpp, &rmpp->transfer[entry].key)];

	while (*link != entry)
		link = &rmpp->transfer[*link].bucket_next;
	*link = rmpp->transfer[entry].bucket_next;
}
