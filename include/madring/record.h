/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes queries of subnet administration, and reads the records of the answers. These functions
 * are in the library madring-attributes; madring.h does not include this header.
 */
#ifndef MADRING_RECORD_H
#define MADRING_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Iterates over the records of an answer. The caller allocates it; only these functions access the
   members. */
struct madring_records {
	const uint8_t *record; /* the next one */
	size_t count;	       /* that are left */
	size_t stride;	       /* the bytes from one record to the next */
};

/*
 * Begins to iterate over the records of an answer: of a GetResp, a DeleteResp, a Report or another
 * MAD with one record; or of a GetTableResp, GetMultiResp or GetTraceTableResp, whose records
 * follow each other by AttributeOffset (IBA 15.2.1.1). @length: bytes of the MAD, or of the whole
 * RMPP message: madring_completion.length. The records are in @mad, and valid as long as it is.
 *
 * An answer whose status is not 0 has no records: see madring_mad_status().
 *
 * Returns the number of records, or a negative errno:
 *   -EPFNOSUPPORT  the MAD is not of subnet administration
 *   -EBADMSG       the answer is malformed: it is shorter than its headers or its record; a
 *                  table's AttributeOffset is 0 or less than the attribute has; or a part of a
 *                  record follows the last one
 */
int madring_records_begin(struct madring_records *records, const struct madring_mad *mad,
			  size_t length);

/*
 * Returns the next record, or NULL after the last. A record of a known attribute has at least
 * madring_attribute_bytes(); fields are read by madring_field_get(), or by a function of structs.h.
 * It may stand at any address.
 */
const void *madring_records_next(struct madring_records *records);

/*
 * Returns the bits of the component mask for a field of an SA record, in host byte order (IBA
 * 15.2.5). A field of two components, such as the ServiceID of a PathRecord, has two bits.
 * Returns 0 when the attribute or the field is not known, or the field is no component.
 */
uint64_t madring_component(uint16_t attr_id, const char *name);

/*
 * Writes a field of the record in an SA request, and sets its bits in the request's component mask.
 * Returns 0, or a negative errno, and has written nothing then:
 *   -EPFNOSUPPORT  the MAD is not of subnet administration
 *   -ENOENT        the attribute is not known, or has no such component
 *   -ERANGE        the value has more bits than the field
 *   -EINVAL        the field has more than 64 bits: see madring_sa_set_bytes()
 */
int madring_sa_set(struct madring_mad *mad, const char *component, uint64_t value);

/*
 * Writes a field of whole bytes, such as a GID, of the record in an SA request, in the same way.
 * Returns 0, or an error as madring_sa_set() and madring_field_set_bytes() do.
 */
int madring_sa_set_bytes(struct madring_mad *mad, const char *component, const void *bytes,
			 size_t size);

#ifdef __cplusplus
}
#endif
#endif
