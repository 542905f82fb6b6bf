/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers for the caller. */
#include "api/handles.h"

#include <errno.h>
#include <string.h>

#include "base/mad_class.h"

#define BASE_VERSION 1

static void write_oui(struct madring_mad *mad, uint32_t oui)
{
	uint8_t *to = (uint8_t *)madring_mad_data(mad) + VENDOR_OUI;

	to[0] = (uint8_t)(oui >> 16);
	to[1] = (uint8_t)(oui >> 8);
	to[2] = (uint8_t)oui;
}

void agent_write_class(const struct madring_agent *agent, struct madring_mad *mad)
{
	struct madring_mad_hdr *header = madring_mad_header(mad);

	header->mgmt_class = agent->mgmt_class;
	header->class_version = agent->class_version;
	if (agent->oui)
		write_oui(mad, agent->oui);
}

/*
 * Clears the umad header and @bytes of MAD after it, so that no part of an older MAD is ever sent
 * to another node. It is inline because @bytes is often a constant.
 */
static inline struct madring_mad *make_fresh(const struct madring_agent *agent,
					     struct madring_mad *mad, size_t bytes,
					     uint8_t base_version)
{
	memset(mad, 0, sizeof(struct ib_user_mad) + bytes);
	*madring_mad_header(mad) = (struct madring_mad_hdr){
		.base_version = base_version,
		.mgmt_class = agent->mgmt_class,
		.class_version = agent->class_version,
	};
	if (__builtin_expect(agent->oui != 0, 0))
		write_oui(mad, agent->oui);
	return mad;
}

/* Sets errno. Returns NULL. */
static __attribute__((cold, noinline)) struct madring_mad *refuse_buffer(int error)
{
	errno = error;
	return NULL;
}

API struct madring_mad *madring_mad_alloc(struct madring_agent *agent)
{
	struct madring *ring = agent->ring;
	struct madring_mad *mad;

	if (ring_is_foreign(ring))
		return refuse_buffer(EREMOTE);
	mad = pool_get_plain(ring->pool);
	if (__builtin_expect(!mad, 0))
		return refuse_buffer(ENOMEM);
	return make_fresh(agent, mad, MADRING_MAD_BYTES, BASE_VERSION);
}

API struct madring_mad *madring_mad_alloc_large(struct madring_agent *agent)
{
	struct madring_mad *mad;

	if (ring_is_foreign(agent->ring))
		return refuse_buffer(EREMOTE);
	mad = pool_get_large(agent->ring->pool);
	if (!mad)
		return refuse_buffer(ENOMEM);
	return make_fresh(agent, mad, MADRING_LARGE_MAD_BYTES, MADRING_LARGE_BASE_VERSION);
}

API struct madring_mad *madring_mad_alloc_message(struct madring_agent *agent, size_t length)
{
	struct pool *pool = agent->ring->pool;
	struct madring_mad *mad;

	if (ring_is_foreign(agent->ring))
		return refuse_buffer(EREMOTE);
	if (length < sizeof(struct madring_mad_hdr))
		return refuse_buffer(EINVAL);
	/* A MAD can be prepared in any buffer. */
	if (length < MADRING_MAD_BYTES)
		length = MADRING_MAD_BYTES;
	mad = pool_take_message(pool, length);
	if (!mad)
		return refuse_buffer(-pool_message_refusal(pool));
	pool_release(pool, mad);
	/* madring_send() sends all of the room, which may be more than @length. */
	return make_fresh(agent, mad, pool_room(pool, mad), BASE_VERSION);
}

API size_t madring_mad_room(const struct madring *ring, const struct madring_mad *mad)
{
	return pool_room(ring->pool, mad);
}

API void madring_mad_free(struct madring *ring, struct madring_mad *mad)
{
	if (mad)
		driver_put(ring->driver, mad);
}

API int madring_mad_keep(struct madring *ring, struct madring_mad *mad)
{
	if (!ring->lent.calling || !mad)
		return -EINVAL;
	if (mad == ring->lent.reply)
		ring->lent.reply_kept = true;
	else if (mad == ring->lent.request)
		ring->lent.request_kept = true;
	else
		return -EINVAL;
	pool_release(ring->pool, mad);
	return 0;
}
