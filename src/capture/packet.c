/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/packet.h"

#include <string.h>

#include "base/address.h"
#include "base/bytes.h"
#include "base/mad_class.h"

#define LRH_BYTES  8u
#define GRH_BYTES  40u
#define BTH_BYTES  12u
#define DETH_BYTES 8u
#define ICRC_BYTES 4u

#define VL15	     0xf0
#define NEXT_BTH     2
#define NEXT_GRH     3
#define MOST_WORDS   0x7ffu /* the largest length in a local route header */
#define GRH_VERSION  6u
#define GRH_NEXT_BTH 0x1b
#define UD_SEND_ONLY 0x64
#define DEFAULT_PKEY 0xffff

static uint8_t *put16(uint8_t *to, uint16_t value)
{
	write_be16(to, value);
	return to + sizeof(value);
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
	write_be32(to, value);
	return to + sizeof(value);
}

static bool is_smp(const struct ib_user_mad *umad)
{
	return mad_class_of(umad->data[offsetof(struct madring_mad_hdr, mgmt_class)])->is_smp;
}

size_t packet_headers_bytes(const struct ib_user_mad *umad)
{
	return LRH_BYTES + (umad->addr.grh_present ? GRH_BYTES : 0) + BTH_BYTES + DETH_BYTES;
}

/*
 * Returns the LID of the port that sent or received a MAD. If the other LID is permissive, so is
 * this.
 */
static uint16_t own_lid(const struct ib_user_mad *umad, const struct madring_ca_port *port)
{
	if (be16toh(umad->addr.lid) == PERMISSIVE_LID)
		return PERMISSIVE_LID;
	return (uint16_t)(port->lid | umad->addr.path_bits);
}

static uint8_t *put_local_route(uint8_t *to, const struct ib_user_mad *umad, size_t mad_bytes,
				const struct madring_ca_port *port, bool sent)
{
	size_t words = (packet_headers_bytes(umad) + mad_bytes + ICRC_BYTES) / 4;
	uint16_t there = be16toh(umad->addr.lid), here = own_lid(umad, port);

	*to++ = is_smp(umad) ? VL15 : 0;
	*to++ = (uint8_t)(umad->addr.sl << 4 | (umad->addr.grh_present ? NEXT_GRH : NEXT_BTH));
	to = put16(to, sent ? there : here);
	to = put16(to, (uint16_t)(words < MOST_WORDS ? words : MOST_WORDS));
	return put16(to, sent ? here : there);
}

/* Writes the port's own GID. Only that with index 0 is known. */
static uint8_t *put_own_gid(uint8_t *to, const struct ib_user_mad *umad,
			    const struct madring_ca_port *port)
{
	if (umad->addr.gid_index)
		memset(to, 0, sizeof(port->gid));
	else
		memcpy(to, port->gid, sizeof(port->gid));
	return to + sizeof(port->gid);
}

static uint8_t *put_gid(uint8_t *to, const struct ib_user_mad *umad)
{
	memcpy(to, umad->addr.gid, sizeof(umad->addr.gid));
	return to + sizeof(umad->addr.gid);
}

static uint8_t *put_global_route(uint8_t *to, const struct ib_user_mad *umad, size_t mad_bytes,
				 const struct madring_ca_port *port, bool sent)
{
	size_t payload = BTH_BYTES + DETH_BYTES + mad_bytes + ICRC_BYTES;

	to = put32(to, GRH_VERSION << 28 | (uint32_t)umad->addr.traffic_class << 20 |
			       (be32toh(umad->addr.flow_label) & 0xfffff));
	to = put16(to, (uint16_t)(payload < UINT16_MAX ? payload : UINT16_MAX));
	*to++ = GRH_NEXT_BTH;
	*to++ = umad->addr.hop_limit;
	if (sent)
		return put_gid(put_own_gid(to, umad, port), umad);
	return put_own_gid(put_gid(to, umad), umad, port);
}

static uint16_t pkey_of(const struct ib_user_mad *umad, const struct madring_ca_port *port)
{
	if (is_smp(umad) || umad->addr.pkey_index >= port->pkey_count)
		return DEFAULT_PKEY;
	return port->pkeys[umad->addr.pkey_index];
}

/* Returns the Q_Key. The umad header of a received MAD does not have it. */
static uint32_t qkey_of(const struct ib_user_mad *umad, bool sent)
{
	if (sent)
		return be32toh(umad->addr.qkey);
	return is_smp(umad) ? 0 : GSI_QKEY;
}

void packet_headers(uint8_t *to, const struct ib_user_mad *umad, size_t mad_bytes,
		    const struct madring_ca_port *port, bool sent)
{
	uint32_t here = is_smp(umad) ? 0 : 1, there = be32toh(umad->addr.qpn);

	to = put_local_route(to, umad, mad_bytes, port, sent);
	if (umad->addr.grh_present)
		to = put_global_route(to, umad, mad_bytes, port, sent);
	*to++ = UD_SEND_ONLY;
	*to++ = 0;
	to = put16(to, pkey_of(umad, port));
	to = put32(to, sent ? there : here);
	to = put32(to, 0); /* no packet sequence */
	to = put32(to, qkey_of(umad, sent));
	put32(to, sent ? here : there);
}
