/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the attributes that libibmad knows. */
#ifndef MADRING_ATTRIBUTES_ATTRIBUTE_H
#define MADRING_ATTRIBUTES_ATTRIBUTE_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes of an attribute that libibmad reads. */
#define ATTRIBUTE_BYTES 256u

struct attribute;

/* Returns the attribute with @id, in host order, or NULL if libibmad does not know it. */
const struct attribute *attribute_find(uint8_t mgmt_class, uint16_t id);

const char *attribute_name(const struct attribute *attribute);

/*
 * Prints the attribute's fields, one a line. @data has ATTRIBUTE_BYTES, with zeros after the
 * attribute, because libibmad looks for the ends of strings there.
 */
void attribute_text(const struct attribute *attribute, char *text, size_t bytes,
		    const uint8_t *data);

#endif
