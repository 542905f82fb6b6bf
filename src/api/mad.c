/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers for the caller, and writing MADs into them. */
#include "api/state.h"

#include <errno.h>
#include <string.h>

#define GSI_QKEY       0x80010000u
#define PERMISSIVE_LID 0xffffu

#define BASE_VERSION	   1
#define LARGE_BASE_VERSION 0x80

/* Of a directed-route SMP (IBA 14.2.1.2), offsets of its fields. */
#define SMP_MKEY	 24
#define SMP_DR_SLID	 32
#define SMP_INITIAL_PATH 128
#define SMP_MAX_HOPS	 63

static struct madring_mad *with_class(const struct madring_agent *agent, struct madring_mad *mad,
				      uint8_t base_version)
{
	if (!mad)
		return NULL;
	memset(mad, 0, sizeof(struct ib_user_mad) + sizeof(struct madring_mad_header));
	*madring_mad_header(mad) = (struct madring_mad_header){
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
	return with_class(agent, pool_take_large(agent->ring->pool), LARGE_BASE_VERSION);
}

API struct madring_mad *madring_mad_alloc(struct madring_agent *agent, size_t length)
{
	if (length < sizeof(struct madring_mad_header))
		return NULL;
	return with_class(agent, pool_take_message(agent->ring->pool, length), BASE_VERSION);
}

API size_t madring_mad_room(const struct madring *ring, const struct madring_mad *mad)
{
	return pool_room(ring->pool, mad);
}

API void madring_mad_put(struct madring *ring, struct madring_mad *mad)
{
	if (!mad)
		return;
	if (pool_room(ring->pool, mad) == MADRING_MAD_BYTES && driver_replace(ring->driver, mad))
		return;
	pool_give(ring->pool, mad);
}

API int madring_mad_keep(struct madring *ring, struct madring_mad *mad)
{
	if (!ring->calling || !mad)
		return -EINVAL;
	if (mad == ring->reply)
		ring->reply_kept = true;
	else if (mad == ring->request)
		ring->request_kept = true;
	else
		return -EINVAL;
	return 0;
}

/* Clears the umad header and a 256-byte MAD, and writes the MAD's header. */
static struct madring_mad_header *prepare(struct madring_mad *mad, uint8_t mgmt_class,
					  uint8_t class_version, uint8_t method, uint16_t attr_id,
					  uint32_t attr_mod)
{
	struct madring_mad_header *header = madring_mad_header(mad);
	uint8_t base_version = header->base_version;

	memset(mad, 0, sizeof(struct ib_user_mad) + MADRING_MAD_BYTES);
	*header = (struct madring_mad_header){
		.base_version = base_version,
		.mgmt_class = mgmt_class,
		.class_version = class_version,
		.method = method,
		.attr_id = htobe16(attr_id),
		.attr_mod = htobe32(attr_mod),
	};
	return header;
}

API int madring_smp_dr_prepare(struct madring_mad *mad, const uint8_t *path, unsigned int hops,
			       uint8_t method, uint16_t attr_id, uint32_t attr_mod)
{
	uint8_t *smp = madring_mad_data(mad);

	if (hops > SMP_MAX_HOPS)
		return -EINVAL;
	prepare(mad, 0x81, 1, method, attr_id, attr_mod)->class_specific = htobe16((uint16_t)hops);
	memset(smp + SMP_DR_SLID, 0xff, 4); /* DrSLID and DrDLID */
	if (hops)
		memcpy(smp + SMP_INITIAL_PATH + 1, path + 1, hops);
	madring_mad_umad(mad)->addr.lid = htobe16(PERMISSIVE_LID);
	return 0;
}

API void madring_smp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method,
			     uint16_t attr_id, uint32_t attr_mod)
{
	prepare(mad, 0x01, 1, method, attr_id, attr_mod);
	madring_mad_umad(mad)->addr.lid = htobe16(lid);
}

API void madring_gmp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method,
			     uint16_t attr_id, uint32_t attr_mod)
{
	const struct madring_mad_header *header = madring_mad_header(mad);
	struct ib_mad_addr *address = &madring_mad_umad(mad)->addr;

	prepare(mad, header->mgmt_class, header->class_version, method, attr_id, attr_mod);
	address->lid = htobe16(lid);
	address->qpn = htobe32(1);
	address->qkey = htobe32(GSI_QKEY);
}

API void madring_smp_set_mkey(struct madring_mad *mad, uint64_t mkey)
{
	uint64_t value = htobe64(mkey);

	memcpy((uint8_t *)madring_mad_data(mad) + SMP_MKEY, &value, sizeof(value));
}
