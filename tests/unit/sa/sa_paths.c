/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/sa/sa_paths.h"

const struct madring_sa_component to_77 = { .name = "DLID", .value = 77 };
const struct madring_sa_request get_path = {
	.attr_id = MADRING_ATTR_PATH_RECORD,
	.method = MADRING_GET,
	.components = &to_77,
	.component_count = 1,
};
const struct madring_sa_request get_paths = {
	.attr_id = MADRING_ATTR_PATH_RECORD,
	.components = &to_77,
	.component_count = 1,
};

void paths_hear(struct madring_sa_answer *answer)
{
	struct paths_heard *heard = answer->user;

	heard->count++;
	heard->status = answer->status;
	heard->records = answer->count;
	heard->has_mad = answer->mad != NULL;
	assert_non_null(answer->text);
}

void paths_write(uint8_t *records, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct madring_path_record path = { .dlid = (uint16_t)(i + 1) };

		madring_path_record_encode(records + (size_t)i * PATH_BYTES, &path);
	}
}

void paths_answer_one(struct fake_umad *request)
{
	uint8_t record[PATH_BYTES];

	paths_write(record, 1);
	sa_world_answer(request, 0, record, sizeof(record));
}

void paths_answer_seven(struct fake_umad *request)
{
	uint8_t records[7 * PATH_BYTES];

	paths_write(records, 7);
	sa_world_answer_table(request, MADRING_GET_TABLE_RESP, records, sizeof(records),
			      PATH_BYTES);
}
