/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of the attribute in a MAD. */
#ifndef MADRING_ATTRIBUTES_FIELD_H
#define MADRING_ATTRIBUTES_FIELD_H

#include <stdint.h>

#include <madring/field.h>

/*
 * Returns the number of the attribute whose fields the MAD has, in host byte order. It is not that
 * of the header in a GetMultiResp, which has PathRecords.
 */
uint16_t record_id(const struct madring_mad_hdr *header);

/*
 * Finds a field of the attribute in a MAD, and where the attribute begins. Returns NULL when the
 * attribute is not known, or has no such field.
 */
const struct madring_field *mad_field_find(const struct madring_mad *mad, const char *name,
					   size_t *offset);

#endif
