/* SPDX-License-Identifier: BSD-2-Clause */
#include "switch_info.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct member {
	const char *key;
	size_t offset, bytes;
};

#define MEMBER(name)                                                                               \
	{ #name, offsetof(struct madring_switch_info, name),                                       \
	  sizeof(((struct madring_switch_info *)NULL)->name) }

static const struct member members[] = {
	MEMBER(linear_fdb_cap),
	MEMBER(random_fdb_cap),
	MEMBER(multicast_fdb_cap),
	MEMBER(linear_fdb_top),
	MEMBER(default_port),
	MEMBER(default_multicast_primary_port),
	MEMBER(default_multicast_not_primary_port),
	MEMBER(life_time_value),
	MEMBER(port_state_change),
	MEMBER(optimized_sl_to_vl_mapping),
	MEMBER(lids_per_port),
	MEMBER(partition_enforcement_cap),
	MEMBER(inbound_enforcement_cap),
	MEMBER(outbound_enforcement_cap),
	MEMBER(filter_raw_inbound_cap),
	MEMBER(filter_raw_outbound_cap),
	MEMBER(enhanced_port0),
	MEMBER(multicast_fdb_top),
};

#define MEMBER_COUNT (sizeof(members) / sizeof(members[0]))

void switch_info_write(struct json_writer *writer, const char *key,
		       const struct madring_switch_info *info)
{
	json_write_open(writer, key, '{');
	for (size_t i = 0; i < MEMBER_COUNT; i++) {
		const void *at = (const uint8_t *)info + members[i].offset;

		json_write_number(writer, members[i].key,
				  members[i].bytes == 1 ? *(const uint8_t *)at
							: *(const uint16_t *)at);
	}
	json_write_close(writer, '}');
}

/* Stores a number in a member. Returns false if it is too large. */
static bool store_number(const struct member *member, struct madring_switch_info *info,
			 uint64_t number)
{
	void *at = (uint8_t *)info + member->offset;

	if (number > (member->bytes == 1 ? UINT8_MAX : UINT16_MAX))
		return false;
	if (member->bytes == 1)
		*(uint8_t *)at = (uint8_t)number;
	else
		*(uint16_t *)at = (uint16_t)number;
	return true;
}

static const struct member *find_member(const char *key)
{
	for (size_t i = 0; i < MEMBER_COUNT; i++)
		if (!strcmp(members[i].key, key))
			return &members[i];
	return NULL;
}

bool switch_info_read(struct json_reader *reader, struct madring_switch_info *info)
{
	char key[JSON_KEY_BYTES];
	bool is_valid = true;

	memset(info, 0, sizeof(*info));
	while (json_read_more(reader, '}') && json_read_key(reader, key)) {
		const struct member *member = find_member(key);
		uint64_t number;

		if (!member)
			json_read_skip(reader);
		else if (json_read_number(reader, &number) && !store_number(member, info, number))
			is_valid = false;
	}
	return is_valid;
}
