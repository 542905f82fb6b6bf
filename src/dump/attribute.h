/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes that libibmad knows, and how it writes them. */
#ifndef MADRING_DUMP_ATTRIBUTE_H
#define MADRING_DUMP_ATTRIBUTE_H

#include <stddef.h>
#include <stdint.h>

/* As much as libibmad looks at of an attribute, at most. */
#define ATTRIBUTE_BYTES 256u

struct attribute;

/* NULL: not known. @id: in host order. */
const struct attribute *attribute_find(uint8_t mgmt_class, uint16_t id);

const char *attribute_name(const struct attribute *attribute);

/* Its fields, a line each. @data: ATTRIBUTE_BYTES, zero behind what there is of it: libibmad
   looks for the ends of strings there. */
void attribute_text(const struct attribute *attribute, char *text, size_t bytes,
		    const uint8_t *data);

#endif
