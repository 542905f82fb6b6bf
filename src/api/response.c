/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the response to a request. */
#include "api/handles.h"

#include <string.h>

#include "base/address.h"
#include "base/mad_class.h"

static uint8_t response_method(uint8_t method)
{
	switch (method) {
	case MADRING_SET:
		return MADRING_GET_RESP;
	case MADRING_TRAP:
		return MADRING_TRAP_REPRESS;
	default:
		return method | MADRING_RESPONSE_BIT;
	}
}

/* Addresses a response to the source of its request. The kernel has reversed the GRH. */
static void prepare_address(struct ib_user_mad *umad)
{
	const struct ib_mad_addr from = umad->addr;

	memset(umad, 0, sizeof(*umad));
	umad->addr = from;
	umad->addr.qkey = from.qpn ? htobe32(GSI_QKEY) : 0;
}

API void madring_response_prepare(struct madring_mad *mad, const struct madring_mad *request)
{
	struct madring_mad_hdr *header = madring_mad_header(mad);

	memmove(mad, request, sizeof(struct ib_user_mad) + MADRING_MAD_BYTES);
	prepare_address(madring_mad_umad(mad));
	header->method = response_method(header->method);
	header->status =
		header->mgmt_class == MADRING_CLASS_SMP_DIRECTED ? htobe16(SMP_DIRECTION) : 0;
	if (mad_class_of(header->mgmt_class)->has_rmpp)
		*madring_rmpp_header(mad) = (struct madring_rmpp_hdr){ 0 };
}
