/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of fields: one for each attribute, in one list for each class. */
#ifndef MADRING_ATTRIBUTES_FIELD_TABLE_H
#define MADRING_ATTRIBUTES_FIELD_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/mad.h>
#include <madring/field.h>
#include <madring/names.h>

struct madring_field {
	const char *name; /* with a '/' between two names of the same field */
	uint16_t number;  /* libibmad's, or 0 */
	uint16_t offset;  /* in bits, from the attribute's most significant one */
	uint16_t bits;
	uint8_t kind;		       /* enum madring_field_kind */
	uint8_t component, components; /* the first bit of the component mask, and how many */
};

struct attribute_fields {
	uint16_t id;
	uint16_t count;
	uint16_t bytes; /* 0: it ends with its last field */
	const struct madring_field *fields;
};

/* The attributes of each class. The last one has no .fields. */
extern const struct attribute_fields subnet_attributes[];
extern const struct attribute_fields administration_attributes[];
extern const struct attribute_fields performance_attributes[];
extern const struct attribute_fields congestion_attributes[];
extern const struct attribute_fields
	general_attributes[];			      /* of every class but subnet management */
extern const struct attribute_fields header_fields[]; /* which only their numbers find */

#define ATTRIBUTE(id, fields) ATTRIBUTE_OF(id, fields, 0)
/* ATTRIBUTE_OF() is for an attribute that has reserved bits or a list after its last field. */
#define ATTRIBUTE_OF(id, fields, bytes) { id, sizeof(fields) / sizeof((fields)[0]), bytes, fields }

/* Stand for the columns .component and .components. */
#define COMPONENTS(first, count) (first), (count)
#define COMPONENT(first)	 COMPONENTS(first, 1)
#define NO_COMPONENT		 COMPONENTS(0, 0)

/* Write a row of a table: for a list of lists.h, and by hand. */
#define LISTED_FIELD(kind, name, offset, bits, number, component, member)                          \
	{ name, number, offset, bits, MADRING_FIELD_##kind, NO_COMPONENT },
#define FIELD(kind, name, offset, bits, number)                                                    \
	{ name, number, offset, bits, MADRING_FIELD_##kind, NO_COMPONENT }
#define COMPONENT_FIELD(kind, name, offset, bits, component)                                       \
	{ name, 0, offset, bits, MADRING_FIELD_##kind, COMPONENT(component) }

/*
 * Write rows for fields of the same size that follow each other, named by numbers from 0 on, as are
 * libibmad's. The "" tells clang-tidy that @name is a string.
 */
#define FIELD_OF(kind, name, i, offset, bits, number)                                              \
	FIELD(kind, name "" #i, (offset) + (i) * (bits), bits, (number) + (i))
#define FIELDS_8(kind, name, offset, bits, number)                                                 \
	FIELD_OF(kind, name, 0, offset, bits, number),                                             \
		FIELD_OF(kind, name, 1, offset, bits, number),                                     \
		FIELD_OF(kind, name, 2, offset, bits, number),                                     \
		FIELD_OF(kind, name, 3, offset, bits, number),                                     \
		FIELD_OF(kind, name, 4, offset, bits, number),                                     \
		FIELD_OF(kind, name, 5, offset, bits, number),                                     \
		FIELD_OF(kind, name, 6, offset, bits, number),                                     \
		FIELD_OF(kind, name, 7, offset, bits, number)
#define FIELDS_12(kind, name, offset, bits, number)                                                \
	FIELDS_8(kind, name, offset, bits, number), FIELD_OF(kind, name, 8, offset, bits, number), \
		FIELD_OF(kind, name, 9, offset, bits, number),                                     \
		FIELD_OF(kind, name, 10, offset, bits, number),                                    \
		FIELD_OF(kind, name, 11, offset, bits, number)
#define FIELDS_15(kind, name, offset, bits, number)                                                \
	FIELDS_12(kind, name, offset, bits, number),                                               \
		FIELD_OF(kind, name, 12, offset, bits, number),                                    \
		FIELD_OF(kind, name, 13, offset, bits, number),                                    \
		FIELD_OF(kind, name, 14, offset, bits, number)
#define FIELDS_16(kind, name, offset, bits, number)                                                \
	FIELDS_15(kind, name, offset, bits, number), FIELD_OF(kind, name, 15, offset, bits, number)

/* Write the rows of a table of 16 SLs. */
#define SL_FIELD(sl, offset) FIELD(NUMBER, "SL" #sl "toVL", (offset) + 4 * (sl), 4, 0)
#define SL_FIELDS(offset)                                                                          \
	SL_FIELD(0, offset), SL_FIELD(1, offset), SL_FIELD(2, offset), SL_FIELD(3, offset),        \
		SL_FIELD(4, offset), SL_FIELD(5, offset), SL_FIELD(6, offset),                     \
		SL_FIELD(7, offset), SL_FIELD(8, offset), SL_FIELD(9, offset),                     \
		SL_FIELD(10, offset), SL_FIELD(11, offset), SL_FIELD(12, offset),                  \
		SL_FIELD(13, offset), SL_FIELD(14, offset), SL_FIELD(15, offset)

#endif
