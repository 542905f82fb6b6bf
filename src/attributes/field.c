/* SPDX-License-Identifier: BSD-2-Clause */
#include <madring/field.h>

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "attributes/bits.h"
#include "attributes/field.h"
#include "attributes/field_table.h"
#include "base/mad_class.h"

#define API __attribute__((visibility("default")))

static const struct attribute_fields *attribute_in(const struct attribute_fields *attributes,
						   uint16_t id)
{
	for (; attributes->fields; attributes++)
		if (attributes->id == id)
			return attributes;
	return NULL;
}

static const struct attribute_fields *find_attribute(uint8_t mgmt_class, uint16_t id)
{
	const struct attribute_fields *attribute = NULL;

	switch (mgmt_class) {
	case MADRING_CLASS_SMP:
	case MADRING_CLASS_SMP_DIRECTED:
		return attribute_in(subnet_attributes, id);
	case MADRING_CLASS_SA:
		attribute = attribute_in(administration_attributes, id);
		break;
	case MADRING_CLASS_PMA:
		attribute = attribute_in(performance_attributes, id);
		break;
	case MADRING_CLASS_CC:
		attribute = attribute_in(congestion_attributes, id);
		break;
	}
	return attribute ? attribute : attribute_in(general_attributes, id);
}

/*
 * Returns whether a name is that of a field. Case and underscores make no difference. The field's
 * name ends at @end.
 */
static bool is_equal(const char *field, char end, const char *name)
{
	for (;; field++, name++) {
		while (*field == '_')
			field++;
		while (*name == '_')
			name++;
		if (!*field || *field == end || !*name)
			break;
		if (tolower((unsigned char)*field) != tolower((unsigned char)*name))
			return false;
	}
	return (!*field || *field == end) && !*name;
}

static bool has_name(const struct madring_field *field, const char *name)
{
	const char *second = strchr(field->name, '/');

	if (is_equal(field->name, '/', name) || is_equal(field->name, '\0', name))
		return true;
	return second && is_equal(second + 1, '\0', name);
}

/* Returns whether libibmad has the name for the field. Older versions know fewer fields. */
static bool has_other_name(const struct madring_field *field, const char *name)
{
	return field->number && field->number < IB_FIELD_LAST_ &&
	       is_equal(mad_field_name(field->number), '\0', name);
}

API const struct madring_field *madring_field_find(uint8_t mgmt_class, uint16_t attr_id,
						   const char *name)
{
	const struct attribute_fields *attribute = find_attribute(mgmt_class, attr_id);

	if (!attribute)
		return NULL;
	for (size_t i = 0; i < attribute->count; i++)
		if (has_name(&attribute->fields[i], name))
			return &attribute->fields[i];
	for (size_t i = 0; i < attribute->count; i++)
		if (has_other_name(&attribute->fields[i], name))
			return &attribute->fields[i];
	return NULL;
}

API const struct madring_field *madring_field_by_number(int number)
{
	static const struct attribute_fields *const lists[] = {
		subnet_attributes,     performance_attributes, administration_attributes,
		congestion_attributes, general_attributes,     header_fields,
	};

	if (number <= 0)
		return NULL;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct attribute_fields *attribute = lists[i]; attribute->fields;
		     attribute++)
			for (size_t at = 0; at < attribute->count; at++)
				if (attribute->fields[at].number == number)
					return &attribute->fields[at];
	return NULL;
}

API const struct madring_field *madring_field_each(uint8_t mgmt_class, uint16_t attr_id,
						   const struct madring_field *last)
{
	const struct attribute_fields *attribute = find_attribute(mgmt_class, attr_id);

	if (!attribute)
		return NULL;
	if (!last)
		return attribute->fields;
	return last + 1 < attribute->fields + attribute->count ? last + 1 : NULL;
}

API const char *madring_field_name(const struct madring_field *field)
{
	return field->name;
}

API unsigned int madring_field_offset(const struct madring_field *field)
{
	return field->offset;
}

API unsigned int madring_field_bits(const struct madring_field *field)
{
	return field->bits;
}

API enum madring_field_kind madring_field_kind(const struct madring_field *field)
{
	return (enum madring_field_kind)field->kind;
}

API size_t madring_attribute_bytes(uint8_t mgmt_class, uint16_t attr_id)
{
	const struct attribute_fields *attribute = find_attribute(mgmt_class, attr_id);
	size_t bits = 0;

	if (!attribute)
		return 0;
	for (size_t i = 0; i < attribute->count; i++)
		if (bits < attribute->fields[i].offset + attribute->fields[i].bits)
			bits = attribute->fields[i].offset + attribute->fields[i].bits;
	return attribute->bytes ? attribute->bytes : (bits + 7) / 8;
}

API uint64_t madring_field_get(const struct madring_field *field, const void *attribute)
{
	return bits_read(attribute, field->offset, field->bits < 64 ? field->bits : 64);
}

API int madring_field_set(const struct madring_field *field, void *attribute, uint64_t value)
{
	if (field->bits > 64)
		return -EINVAL;
	if (value > bits_greatest(field->bits))
		return -ERANGE;
	bits_write(attribute, field->offset, field->bits, value);
	return 0;
}

API int madring_field_get_bytes(const struct madring_field *field, const void *attribute,
				void *bytes, size_t size)
{
	if (field->offset % 8 || field->bits % 8)
		return -EINVAL;
	if (size < field->bits / 8u)
		return -ENOSPC;
	memcpy(bytes, (const uint8_t *)attribute + field->offset / 8, field->bits / 8);
	return field->bits / 8;
}

API int madring_field_set_bytes(const struct madring_field *field, void *attribute,
				const void *bytes, size_t size)
{
	bool is_padded = field->kind == MADRING_FIELD_TEXT || field->kind == MADRING_FIELD_BYTES;
	uint8_t *to = (uint8_t *)attribute + field->offset / 8;

	if (field->offset % 8 || field->bits % 8)
		return -EINVAL;
	if (size > field->bits / 8u)
		return -ENOSPC;
	if (size < field->bits / 8u && !is_padded)
		return -EINVAL;
	memset(to, 0, field->bits / 8);
	if (size)
		memcpy(to, bytes, size);
	return 0;
}

uint16_t record_id(const struct madring_mad_hdr *header)
{
	uint16_t id = be16toh(header->attr_id);

	if (header->mgmt_class == MADRING_CLASS_SA && header->method == MADRING_GET_MULTI_RESP &&
	    id == MADRING_ATTR_MULTI_PATH_RECORD)
		return MADRING_ATTR_PATH_RECORD;
	return id;
}

const struct madring_field *mad_field_find(const struct madring_mad *mad, const char *name,
					   size_t *offset)
{
	const struct madring_mad_hdr *header = madring_mad_const_header(mad);
	uint16_t id = be16toh(header->attr_id);

	*offset = mad_class_of(header->mgmt_class)->data_offset;
	if (header->mgmt_class == MADRING_CLASS_CC && id == MADRING_ATTR_CONGESTION_LOG)
		*offset = MADRING_CC_LOG_DATA;
	return madring_field_find(header->mgmt_class, record_id(header), name);
}

static void *attribute_at(struct madring_mad *mad, size_t offset)
{
	return (uint8_t *)madring_mad_data(mad) + offset;
}

static const void *const_attribute_at(const struct madring_mad *mad, size_t offset)
{
	return (const uint8_t *)madring_mad_const_data(mad) + offset;
}

API int madring_mad_get_field(const struct madring_mad *mad, const char *name, uint64_t *value)
{
	size_t offset;
	const struct madring_field *field = mad_field_find(mad, name, &offset);

	if (!field)
		return -ENOENT;
	if (field->bits > 64)
		return -EINVAL;
	*value = madring_field_get(field, const_attribute_at(mad, offset));
	return 0;
}

API int madring_mad_set_field(struct madring_mad *mad, const char *name, uint64_t value)
{
	size_t offset;
	const struct madring_field *field = mad_field_find(mad, name, &offset);

	return field ? madring_field_set(field, attribute_at(mad, offset), value) : -ENOENT;
}

API int madring_mad_get_bytes(const struct madring_mad *mad, const char *name, void *bytes,
			      size_t size)
{
	size_t offset;
	const struct madring_field *field = mad_field_find(mad, name, &offset);

	return field ? madring_field_get_bytes(field, const_attribute_at(mad, offset), bytes, size)
		     : -ENOENT;
}

API int madring_mad_set_bytes(struct madring_mad *mad, const char *name, const void *bytes,
			      size_t size)
{
	size_t offset;
	const struct madring_field *field = mad_field_find(mad, name, &offset);

	return field ? madring_field_set_bytes(field, attribute_at(mad, offset), bytes, size)
		     : -ENOENT;
}
