/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes MADs by libibumad's names. */
#include "device/device.h"

#include <stdio.h>
#include <string.h>

#include <infiniband/umad_str.h>

void device_debug(int level)
{
	umad_debug(level);
}

static int describe_address(char *text, size_t bytes, const struct ib_mad_addr *address)
{
	return snprintf(text, bytes, "LID %u, QP %u%s", be16toh(address->lid),
			be32toh(address->qpn), address->grh_present ? ", with a GRH" : "");
}

void device_describe(char text[DEVICE_MAD_TEXT], const struct ib_user_mad *umad, size_t bytes,
		     bool sent)
{
	struct madring_mad_hdr header;
	int length;

	if (bytes < sizeof(*umad) + sizeof(header)) {
		snprintf(text, DEVICE_MAD_TEXT, "received %zu bytes, which are no MAD", bytes);
		return;
	}
	memcpy(&header, umad->data, sizeof(header));
	length = snprintf(text, DEVICE_MAD_TEXT, "%s ",
			  sent		 ? "sent to"
			  : umad->status ? "no answer from"
					 : "received from");
	length += describe_address(text + length, DEVICE_MAD_TEXT - (size_t)length, &umad->addr);
	snprintf(text + length, DEVICE_MAD_TEXT - (size_t)length,
		 ", by agent %u: %s %s, attribute 0x%04x (%s), modifier 0x%x, TID 0x%llx, status "
		 "0x%04x, %zu bytes",
		 umad->agent_id, umad_class_str(header.mgmt_class),
		 umad_method_str(header.mgmt_class, header.method), be16toh(header.attr_id),
		 umad_attribute_str(header.mgmt_class, header.attr_id), be32toh(header.attr_mod),
		 (unsigned long long)be64toh(header.tid), be16toh(header.status),
		 bytes - sizeof(*umad));
}
