/* SPDX-License-Identifier: BSD-2-Clause */
#include <madring/structs.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <infiniband/mad.h>

#include "attributes/bits.h"
#include "attributes/lists.h"
#include "json/utf8.h"
#include "sized/sized.h"

#define API __attribute__((visibility("default")))

/* Tells where a field is in an attribute, in bits, and in a struct, in bytes. */
struct member {
	uint16_t offset, bits;
	uint16_t at, size;
};

#define MEMBER(structure, member, offset, bits)                                                    \
	{ offset, bits, offsetof(structure, member), sizeof(((structure *)NULL)->member) }

#define NODE_INFO_MEMBER(kind, name, offset, bits, number, component, member)                      \
	MEMBER(struct madring_node_info, member, offset, bits),
#define PORT_INFO_MEMBER(kind, name, offset, bits, number, component, member)                      \
	MEMBER(struct madring_port_info, member, offset, bits),
#define SWITCH_INFO_MEMBER(kind, name, offset, bits, number, component, member)                    \
	MEMBER(struct madring_switch_info, member, offset, bits),
#define COUNTERS_MEMBER(kind, name, offset, bits, number, component, member)                       \
	MEMBER(struct madring_port_counters, member, offset, bits),
#define EXTENDED_MEMBER(kind, name, offset, bits, number, component, member)                       \
	MEMBER(struct madring_port_counters_extended, member, offset, bits),
#define PATH_MEMBER(kind, name, offset, bits, number, component, member)                           \
	MEMBER(struct madring_path_record, member, offset, bits),
#define INFORM_MEMBER(kind, name, offset, bits, number, component, member)                         \
	MEMBER(struct madring_inform_info, member, offset, bits),
#define NOTICE_MEMBER(kind, name, offset, bits, number, component, member)                         \
	MEMBER(struct madring_notice, member, offset, bits),

/* Reads a member from an attribute. One of more than 8 bytes is copied as it is sent. */
static void get_member(const struct member *member, void *structure, const void *attribute)
{
	uint8_t *to = (uint8_t *)structure + member->at;
	uint64_t value;

	if (member->bits > 64) {
		memcpy(to, (const uint8_t *)attribute + member->offset / 8, member->size);
		return;
	}
	value = bits_read(attribute, member->offset, member->bits);
	switch (member->size) {
	case 1:
		*to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)(void *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)(void *)to = (uint32_t)value;
		break;
	default:
		*(uint64_t *)(void *)to = value;
	}
}

/* Writes one member of a struct into an attribute. */
static void put_member(const struct member *member, void *attribute, const void *structure)
{
	const void *from = (const uint8_t *)structure + member->at;
	uint64_t value;

	if (member->bits > 64) {
		memcpy((uint8_t *)attribute + member->offset / 8, from, member->size);
		return;
	}
	switch (member->size) {
	case 1:
		value = *(const uint8_t *)from;
		break;
	case 2:
		value = *(const uint16_t *)from;
		break;
	case 4:
		value = *(const uint32_t *)from;
		break;
	default:
		value = *(const uint64_t *)from;
	}
	bits_write(attribute, member->offset, member->bits, value);
}

static void get_members(void *structure, const void *attribute, const struct member *members,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		get_member(&members[i], structure, attribute);
}

static void put_members(void *attribute, const void *structure, const struct member *members,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_member(&members[i], attribute, structure);
}

/* Define both functions of a struct: its name, that of its list, and the bytes of the attribute. */
#define FUNCTIONS(name, list, expand, bytes)                                                       \
	static const struct member name##_members[] = { list(expand) };                            \
	API void madring_##name##_decode_sized(struct madring_##name *to, size_t size,             \
					       const void *attribute)                              \
	{                                                                                          \
		struct madring_##name own = { 0 };                                                 \
                                                                                                   \
		get_members(&own, attribute, name##_members,                                       \
			    sizeof(name##_members) / sizeof(name##_members[0]));                   \
		sized_give(to, size, &own, sizeof(own));                                           \
	}                                                                                          \
	API int madring_##name##_encode_sized(void *attribute, const struct madring_##name *from,  \
					      size_t size)                                         \
	{                                                                                          \
		struct madring_##name own;                                                         \
                                                                                                   \
		if (sized_take(&own, sizeof(own), from, size))                                     \
			return -E2BIG;                                                             \
		memset(attribute, 0, bytes);                                                       \
		put_members(attribute, &own, name##_members,                                       \
			    sizeof(name##_members) / sizeof(name##_members[0]));                   \
		return 0;                                                                          \
	}

FUNCTIONS(node_info, NODE_INFO, NODE_INFO_MEMBER, 40)
FUNCTIONS(port_info, PORT_INFO, PORT_INFO_MEMBER, 64)
FUNCTIONS(switch_info, SWITCH_INFO, SWITCH_INFO_MEMBER, 20)
FUNCTIONS(port_counters, PORT_COUNTERS, COUNTERS_MEMBER, 44)
FUNCTIONS(port_counters_extended, PORT_COUNTERS_EXTENDED, EXTENDED_MEMBER, 184)
FUNCTIONS(path_record, PATH_RECORD, PATH_MEMBER, 64)
FUNCTIONS(inform_info, INFORM_INFO, INFORM_MEMBER, 36)

/* NodeInfo and NodeDescription are at these offsets of a NodeRecord. */
#define RECORD_NODE_INFO   4
#define RECORD_DESCRIPTION 44
#define RECORD_BYTES	   108

#define RECORD_MEMBER(kind, name, offset, bits, number, component, member)                         \
	MEMBER(struct madring_node_record, member, RECORD_NODE_INFO * 8 + (offset), bits),

static const struct member record_members[] = { MEMBER(struct madring_node_record, lid, 0, 16),
						NODE_INFO(RECORD_MEMBER) };

API void madring_node_record_decode_sized(struct madring_node_record *record, size_t record_size,
					  const void *attribute)
{
	struct madring_node_record own = { 0 };

	get_members(&own, attribute, record_members,
		    sizeof(record_members) / sizeof(record_members[0]));
	madring_description_decode(own.description,
				   (const uint8_t *)attribute + RECORD_DESCRIPTION);
	sized_give(record, record_size, &own, sizeof(own));
}

API int madring_node_record_encode_sized(void *attribute, const struct madring_node_record *record,
					 size_t record_size)
{
	struct madring_node_record own;

	if (sized_take(&own, sizeof(own), record, record_size))
		return -E2BIG;
	memset(attribute, 0, RECORD_BYTES);
	put_members(attribute, &own, record_members,
		    sizeof(record_members) / sizeof(record_members[0]));
	madring_description_encode((uint8_t *)attribute + RECORD_DESCRIPTION, own.description);
	return 0;
}

API void madring_description_decode(char text[MADRING_DESCRIPTION_BYTES + 1], const void *attribute)
{
	size_t length = strnlen(attribute, MADRING_DESCRIPTION_BYTES);

	memcpy(text, attribute, length);
	text[length] = '\0';
	utf8_replace_unprintable(text, ' ');
}

API void madring_description_encode(void *attribute, const char *text)
{
	memset(attribute, 0, MADRING_DESCRIPTION_BYTES);
	memcpy(attribute, text, strnlen(text, MADRING_DESCRIPTION_BYTES));
}

static const struct member notice_members[] = { NOTICE(NOTICE_MEMBER) };
static const struct member issuer_gid = MEMBER(struct madring_notice, issuer_gid, 512, 128);

API int madring_notice_decode_sized(struct madring_notice *notice, size_t notice_size,
				    const void *attribute, size_t bytes)
{
	struct madring_notice own = { 0 };

	if (bytes >= MADRING_NOTICE_BYTES)
		get_members(&own, attribute, notice_members,
			    sizeof(notice_members) / sizeof(notice_members[0]));
	if (bytes >= MADRING_NOTICE_GID_BYTES)
		get_member(&issuer_gid, &own, attribute);
	sized_give(notice, notice_size, &own, sizeof(own));
	return bytes < MADRING_NOTICE_BYTES ? -EBADMSG : 0;
}

API int madring_notice_encode_sized(void *attribute, size_t bytes,
				    const struct madring_notice *notice, size_t notice_size)
{
	struct madring_notice own;

	if (bytes < MADRING_NOTICE_BYTES)
		return -EINVAL;
	if (sized_take(&own, sizeof(own), notice, notice_size))
		return -E2BIG;
	put_members(attribute, &own, notice_members,
		    sizeof(notice_members) / sizeof(notice_members[0]));
	if (bytes >= MADRING_NOTICE_GID_BYTES)
		put_member(&issuer_gid, attribute, &own);
	return 0;
}

#define DETAIL(offset, bits, member) MEMBER(struct madring_notice_details, member, offset, bits)

/* A member of the details of traps .first to .last. */
struct detail {
	uint16_t first, last;
	struct member member;
};

static const struct detail details_of_traps[] = {
	{ 64, 67, DETAIL(48, 128, gid) },
	{ 128, 128, DETAIL(0, 16, lid) },
	{ 129, 131, DETAIL(16, 16, lid) },
	{ 129, 131, DETAIL(32, 8, port) },
	{ 144, 145, DETAIL(16, 16, lid) },
	{ 144, 144, DETAIL(47, 1, local_changes) },
	{ 144, 144, DETAIL(48, 32, capability_mask) },
	{ 144, 144, DETAIL(80, 16, change_flags) },
	{ 144, 144, DETAIL(96, 16, capability_mask2) },
	{ 145, 145, DETAIL(48, 64, system_guid) },
	{ 256, 259, DETAIL(16, 16, lid) },
	{ 256, 256, DETAIL(32, 16, dr_slid) },
	{ 256, 256, DETAIL(48, 8, method) },
	{ 256, 256, DETAIL(64, 16, attr_id) },
	{ 256, 256, DETAIL(80, 32, attr_mod) },
	{ 256, 256, DETAIL(112, 64, mkey) },
	{ 256, 256, DETAIL(184, 1, dr_notice) },
	{ 256, 256, DETAIL(185, 1, dr_path_truncated) },
	{ 256, 256, DETAIL(186, 6, hops) },
	{ 256, 256, DETAIL(192, 240, return_path) },
	{ 257, 259, DETAIL(32, 16, lid2) },
	{ 257, 258, DETAIL(48, 32, key) },
	{ 257, 258, DETAIL(80, 4, sl) },
	{ 257, 258, DETAIL(88, 24, qpn1) },
	{ 257, 258, DETAIL(120, 24, qpn2) },
	{ 257, 258, DETAIL(144, 128, gid) },
	{ 257, 258, DETAIL(272, 128, gid2) },
	{ 259, 259, DETAIL(0, 16, data_valid) },
	{ 259, 259, DETAIL(48, 16, key) },
	{ 259, 259, DETAIL(64, 4, sl) },
	{ 259, 259, DETAIL(72, 24, qpn1) },
	{ 259, 259, DETAIL(104, 24, qpn2) },
	{ 259, 259, DETAIL(128, 128, gid) },
	{ 259, 259, DETAIL(256, 128, gid2) },
	{ 259, 259, DETAIL(384, 16, switch_lid) },
	{ 259, 259, DETAIL(400, 8, port) },
};

API int madring_notice_details_decode_sized(struct madring_notice_details *details,
					    size_t details_size,
					    const struct madring_notice *notice)
{
	struct madring_notice_details own = { 0 };
	int status = -ENOENT;

	for (size_t i = 0; i < sizeof(details_of_traps) / sizeof(details_of_traps[0]); i++) {
		const struct detail *detail = &details_of_traps[i];

		/* The notice may be of an older program: these members are in every version. */
		if (!notice->is_generic || notice->trap_number < detail->first ||
		    notice->trap_number > detail->last)
			continue;
		get_member(&detail->member, &own, notice->data);
		status = 0;
	}
	sized_give(details, details_size, &own, sizeof(own));
	return status;
}
