/* SPDX-License-Identifier: BSD-2-Clause */
#include <madring/record.h>

#include <endian.h>
#include <errno.h>
#include <stdbool.h>

#include "attributes/bits.h"
#include "attributes/field.h"
#include "attributes/field_table.h"
#include "base/mad_class.h"

#define API __attribute__((visibility("default")))

#define GET_TRACE_TABLE_RESP 0x93

static bool is_table(uint8_t method)
{
	return method == MADRING_GET_TABLE_RESP || method == MADRING_GET_MULTI_RESP ||
	       method == GET_TRACE_TABLE_RESP;
}

API int madring_records_begin(struct madring_records *records, const struct madring_mad *mad,
			      size_t length)
{
	const struct madring_mad_hdr *header = madring_mad_const_header(mad);
	const uint8_t *data = madring_mad_const_data(mad);
	size_t least, bytes;

	*records = (struct madring_records){ .count = 0 };
	if (length < MADRING_SA_DATA)
		return -EBADMSG;
	if (header->mgmt_class != MADRING_CLASS_SA)
		return -EPFNOSUPPORT;
	if (madring_mad_status(mad))
		return 0;
	least = madring_attribute_bytes(MADRING_CLASS_SA, record_id(header));
	bytes = length - MADRING_SA_DATA;
	records->record = data + MADRING_SA_DATA;
	records->stride = bytes;
	records->count = 1;
	if (is_table(header->method)) {
		records->stride = 8 * bits_read(data, 8 * SA_RECORD_WORDS, 16);
		records->count = records->stride ? bytes / records->stride : 0;
	}
	if (is_table(header->method) && bytes == 0)
		return 0;
	if (records->stride == 0 || records->stride < least ||
	    records->stride * records->count != bytes || records->count > INT32_MAX) {
		records->count = 0;
		return -EBADMSG;
	}
	return (int)records->count;
}

API const void *madring_records_next(struct madring_records *records)
{
	const uint8_t *record = records->record;

	if (!records->count)
		return NULL;
	/* The pointer must not go beyond the message, as that after the last record would. */
	if (--records->count)
		records->record += records->stride;
	return record;
}

static uint64_t component_bits(const struct madring_field *field)
{
	return field->components ? bits_greatest(field->components) << field->component : 0;
}

API uint64_t madring_component(uint16_t attr_id, const char *name)
{
	const struct madring_field *field = madring_field_find(MADRING_CLASS_SA, attr_id, name);

	return field ? component_bits(field) : 0;
}

/* Finds a component of the record in an SA request. Returns 0 or a negative errno. */
static int find_component(struct madring_mad *mad, const char *name,
			  const struct madring_field **field, uint8_t **attribute)
{
	size_t offset;

	if (madring_mad_header(mad)->mgmt_class != MADRING_CLASS_SA)
		return -EPFNOSUPPORT;
	*field = mad_field_find(mad, name, &offset);
	*attribute = (uint8_t *)madring_mad_data(mad) + offset;
	return *field && (*field)->components ? 0 : -ENOENT;
}

static void add_component(struct madring_mad *mad, const struct madring_field *field)
{
	void *data = madring_mad_data(mad);
	uint64_t mask = bits_read(data, 8 * SA_COMPONENT_MASK, 64);

	bits_write(data, 8 * SA_COMPONENT_MASK, 64, mask | component_bits(field));
}

API int madring_sa_set(struct madring_mad *mad, const char *component, uint64_t value)
{
	const struct madring_field *field = NULL;
	uint8_t *attribute;
	int status = find_component(mad, component, &field, &attribute);

	if (status == 0)
		status = madring_field_set(field, attribute, value);
	if (status == 0)
		add_component(mad, field);
	return status;
}

API int madring_sa_set_bytes(struct madring_mad *mad, const char *component, const void *bytes,
			     size_t size)
{
	const struct madring_field *field = NULL;
	uint8_t *attribute;
	int status = find_component(mad, component, &field, &attribute);

	if (status == 0)
		status = madring_field_set_bytes(field, attribute, bytes, size);
	if (status == 0)
		add_component(mad, field);
	return status;
}
