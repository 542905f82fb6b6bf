/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers for the caller. */
#include "api/state.h"

#include <errno.h>
#include <string.h>

#define BASE_VERSION 1

static struct madring_mad *with_class(const struct madring_agent *agent, struct madring_mad *mad,
				      uint8_t base_version)
{
	if (!mad)
		return NULL;
	memset(mad, 0, sizeof(struct ib_user_mad) + sizeof(struct madring_mad_hdr));
	*madring_mad_header(mad) = (struct madring_mad_hdr){
		.base_version = base_version,
		.mgmt_class = agent->mgmt_class,
		.class_version = agent->class_version,
	};
	return mad;
}

API struct madring_mad *madring_mad_get(struct madring_agent *agent)
{
	return with_class(agent, pool_take_plain(agent->ring->pool), BASE_VERSION);
}

API struct madring_mad *madring_mad_get_large(struct madring_agent *agent)
{
	struct madring_mad *mad = pool_take_large(agent->ring->pool);

	/* What prepares a MAD clears 256 bytes. */
	if (mad)
		memset(mad, 0, sizeof(struct ib_user_mad) + MADRING_LARGE_MAD_BYTES);
	return with_class(agent, mad, MADRING_LARGE_BASE_VERSION);
}

API struct madring_mad *madring_mad_alloc(struct madring_agent *agent, size_t length)
{
	struct madring_mad *mad;

	if (length < sizeof(struct madring_mad_hdr)) {
		errno = EINVAL;
		return NULL;
	}
	/* Whatever it is, a MAD can be prepared in it. */
	if (length < MADRING_MAD_BYTES)
		length = MADRING_MAD_BYTES;
	mad = pool_take_message(agent->ring->pool, length);
	if (!mad)
		errno = -pool_message_refusal(agent->ring->pool);
	return with_class(agent, mad, BASE_VERSION);
}

API size_t madring_mad_room(const struct madring *ring, const struct madring_mad *mad)
{
	return pool_room(ring->pool, mad);
}

API void madring_mad_put(struct madring *ring, struct madring_mad *mad)
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
	return 0;
}
