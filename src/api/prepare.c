/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes and addresses MADs. */
#include "api/handles.h"

#include <errno.h>
#include <string.h>

#include "base/address.h"
#include "base/bytes.h"
#include "base/mad_class.h"

static uint8_t *mad_field(struct madring_mad *mad, size_t offset)
{
	return (uint8_t *)madring_mad_data(mad) + offset;
}

/* Clears the umad header and a 256-byte MAD, and writes the MAD's header. */
static struct madring_mad_hdr *prepare_header(struct madring_mad *mad, uint8_t mgmt_class,
					      uint8_t class_version, uint8_t method,
					      uint16_t attr_id, uint32_t attr_mod)
{
	struct madring_mad_hdr *header = madring_mad_header(mad);
	uint8_t base_version = header->base_version;

	memset(mad, 0, sizeof(struct ib_user_mad) + MADRING_MAD_BYTES);
	*header = (struct madring_mad_hdr){
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
	prepare_header(mad, MADRING_CLASS_SMP_DIRECTED, 1, method, attr_id, attr_mod)
		->class_specific = htobe16((uint16_t)hops);
	memset(smp + SMP_DR_SLID, 0xff, 4); /* DrSLID and DrDLID */
	if (hops)
		memcpy(smp + SMP_INITIAL_PATH + 1, path + 1, hops);
	madring_mad_set_address(mad, PERMISSIVE_LID, 0, 0, 0);
	return 0;
}

static bool is_unicast(uint16_t lid)
{
	return lid && lid < MULTICAST_LID;
}

API int madring_smp_dr_from(struct madring_mad *mad, uint16_t lid, uint16_t own_lid)
{
	if (!is_unicast(lid) || !is_unicast(own_lid))
		return -EINVAL;
	write_be16(mad_field(mad, SMP_DR_SLID), own_lid);
	madring_mad_address(mad)->lid = htobe16(lid);
	return 0;
}

API int madring_smp_dr_to(struct madring_mad *mad, uint16_t lid)
{
	if (!is_unicast(lid))
		return -EINVAL;
	write_be16(mad_field(mad, SMP_DR_DLID), lid);
	return 0;
}

API void madring_smp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method,
			     uint16_t attr_id, uint32_t attr_mod)
{
	prepare_header(mad, MADRING_CLASS_SMP, 1, method, attr_id, attr_mod);
	madring_mad_set_address(mad, lid, 0, 0, 0);
}

API void madring_gmp_prepare(struct madring_mad *mad, uint16_t lid, uint8_t method,
			     uint16_t attr_id, uint32_t attr_mod)
{
	const struct madring_mad_hdr *header = madring_mad_header(mad);
	uint8_t oui[3];

	memcpy(oui, mad_field(mad, VENDOR_OUI), sizeof(oui));
	prepare_header(mad, header->mgmt_class, header->class_version, method, attr_id, attr_mod);
	if (mad_class_of(header->mgmt_class)->has_oui)
		memcpy(mad_field(mad, VENDOR_OUI), oui, sizeof(oui));
	madring_mad_set_address(mad, lid, 1, 0, GSI_QKEY);
}

API void madring_sa_prepare(struct madring_mad *mad, uint16_t lid, uint8_t sl, uint8_t method,
			    uint16_t attr_id, uint32_t attr_mod, uint64_t component_mask)
{
	prepare_header(mad, MADRING_CLASS_SA, 2, method, attr_id, attr_mod);
	madring_mad_set_address(mad, lid, 1, sl, GSI_QKEY);
	write_be64(mad_field(mad, SA_COMPONENT_MASK), component_mask);
}

API void madring_smp_set_mkey(struct madring_mad *mad, uint64_t mkey)
{
	write_be64(mad_field(mad, SMP_MKEY), mkey);
}

API void madring_sa_set_smkey(struct madring_mad *mad, uint64_t smkey)
{
	write_be64(mad_field(mad, SA_SM_KEY), smkey);
}

API void madring_rmpp_prepare(struct madring_mad *mad)
{
	*madring_rmpp_header(mad) = (struct madring_rmpp_hdr){
		.version = MADRING_RMPP_VERSION,
		.type = MADRING_RMPP_DATA,
		.flags = MADRING_RMPP_ACTIVE,
	};
}
