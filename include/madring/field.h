/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes the fields of attributes by name. These functions are in the library
 * madring-attributes; madring.h does not include this header.
 *
 * A field has the name that the IBA gives it, in one word: "LinkSpeedExtActive", "NodeGUID". It is
 * also found by the name that libibmad has for it, such as "LinkState" or "PathRecDLid". A name
 * with a slash, such as "TrapNumber/DeviceID", is also found by either half. Upper and lower case
 * are the same, and underscores are ignored: "mkey" finds "M_Key". field_names.h has a constant for
 * each name, so that the compiler finds a misspelled one.
 *
 * The fields are constant data: their addresses stay valid as long as the library is loaded, and
 * any number of threads may use them at once.
 */
#ifndef MADRING_FIELD_H
#define MADRING_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A field of an attribute: its name, its place and its kind. */
struct madring_field;

/* The kinds of fields, by which a program chooses how to show a value. */
enum madring_field_kind {
	MADRING_FIELD_NUMBER, /* at most 64 bits */
	MADRING_FIELD_GUID,   /* 64 bits */
	MADRING_FIELD_GID,    /* 16 bytes */
	MADRING_FIELD_TEXT,   /* bytes that end at the first NUL, or at the field's end */
	MADRING_FIELD_BYTES,  /* any other field of more than 64 bits, such as a table */
};

/*
 * Finds a field of an attribute by its name. @mgmt_class: a management class, such as 0x04;
 * directed-route SMPs have the fields of LID-routed ones. @attr_id: in host byte order.
 * Returns NULL when the attribute is not known, or has no such field.
 */
const struct madring_field *madring_field_find(uint8_t mgmt_class, uint16_t attr_id,
					       const char *name);

/*
 * Finds a field by libibmad's number, a value of enum MAD_FIELDS in <infiniband/mad.h>. A number
 * that several attributes share, such as IB_PC_PORT_SELECT_F, gives the field of the first. Numbers
 * of the MAD's headers, such as IB_MAD_STATUS_F, give fields that are of no attribute: they are
 * read from the beginning of the MAD.
 * Returns NULL when there is no such field.
 */
const struct madring_field *madring_field_by_number(int number);

/*
 * Goes through the fields of an attribute, in the order of the library's table. This is the order
 * of their offsets, but a second field for the same bits may come later. @last: the field that this
 * function returned last, or NULL for the first. Returns NULL after the last one, and when the
 * attribute is not known.
 */
const struct madring_field *madring_field_each(uint8_t mgmt_class, uint16_t attr_id,
					       const struct madring_field *last);

/* Returns the name of a field, as the IBA has it. */
const char *madring_field_name(const struct madring_field *field);

/* Returns where the field begins, in bits from the attribute's first, as the IBA counts them: bit 0
   is the most significant one of byte 0. */
unsigned int madring_field_offset(const struct madring_field *field);

/* Returns how many bits the field has. */
unsigned int madring_field_bits(const struct madring_field *field);

/* Returns the kind of a field. */
enum madring_field_kind madring_field_kind(const struct madring_field *field);

/*
 * Returns how many bytes an attribute has, with the reserved bits after its last field: 64 for a
 * PathRecord (IBA 15.2.5.16). Returns 0 when the attribute is not known. In a table of SA records,
 * the size of each is rounded up to 8 bytes.
 */
size_t madring_attribute_bytes(uint8_t mgmt_class, uint16_t attr_id);

/* Reads a field of at most 64 bits from an attribute, which may stand at any address. Returns its
   value in host byte order; of a longer field, the value of its first 64 bits. */
uint64_t madring_field_get(const struct madring_field *field, const void *attribute);

/*
 * Writes a field of at most 64 bits, and no other bit. @value: in host byte order.
 * Returns 0, or a negative errno, and has written nothing then:
 *   -ERANGE  the value has more bits than the field
 *   -EINVAL  the field has more than 64 bits: see madring_field_set_bytes()
 */
int madring_field_set(const struct madring_field *field, void *attribute, uint64_t value);

/*
 * Reads a field of whole bytes, such as a GID or a text, as it is sent.
 * Returns how many bytes it wrote to @bytes, or a negative errno:
 *   -EINVAL  the field has not whole bytes
 *   -ENOSPC  @size is less than the field has
 */
int madring_field_get_bytes(const struct madring_field *field, const void *attribute, void *bytes,
			    size_t size);

/*
 * Writes a field of whole bytes, as they are sent. A text or a table may be shorter than its field:
 * zeros follow it.
 * Returns 0, or a negative errno, and has written nothing then:
 *   -EINVAL  the field has not whole bytes, or @size is not its size
 *   -ENOSPC  @size is more than the field has
 */
int madring_field_set_bytes(const struct madring_field *field, void *attribute, const void *bytes,
			    size_t size);

/*
 * Reads a field of the attribute in a MAD, such as a reply. The MAD's header tells the class and
 * the attribute. For a table of records, see record.h; here it is the first record.
 * Returns 0, or a negative errno:
 *   -ENOENT  the attribute is not known, or has no such field
 *   -EINVAL  the field has more than 64 bits: see madring_mad_get_bytes()
 */
int madring_mad_get_field(const struct madring_mad *mad, const char *name, uint64_t *value);

/*
 * Writes a field of the attribute in a MAD, such as a request that was prepared.
 * Returns 0, -ENOENT as above, or an error of madring_field_set().
 */
int madring_mad_set_field(struct madring_mad *mad, const char *name, uint64_t value);

/*
 * These functions are as madring_field_get_bytes() and madring_field_set_bytes() for a field of the
 * attribute in a MAD. They also return -ENOENT as above.
 */
int madring_mad_get_bytes(const struct madring_mad *mad, const char *name, void *bytes,
			  size_t size);
int madring_mad_set_bytes(struct madring_mad *mad, const char *name, const void *bytes,
			  size_t size);

#ifdef __cplusplus
}
#endif
#endif
