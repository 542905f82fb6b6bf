/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the SA what programs ask most: paths and nodes. */
#include "sa/sa_state.h"
#include "sized/sized.h"

#include <errno.h>

#include <madring/names.h>

/* Asks for one path. Returns as madring_sa_path_by_lid(). */
static int ask_path(struct madring_sa *sa, const struct madring_sa_component *components,
		    size_t count, struct madring_path_record *path, size_t path_size)
{
	const struct madring_sa_request query = {
		.method = MADRING_GET,
		.attr_id = MADRING_ATTR_PATH_RECORD,
		.components = components,
		.component_count = count,
	};
	struct madring_sa_answer answer;
	int error = madring_sa_call(sa, &query, &answer);
	const void *record = error ? NULL : madring_records_next(&answer.records);

	if (record)
		madring_path_record_decode_sized(path, path_size, record);
	else if (!error)
		error = -ENOENT;
	madring_sa_answer_release(sa, &answer);
	return error;
}

API int madring_sa_path_by_lid_sized(struct madring_sa *sa, uint16_t slid, uint16_t dlid,
				     struct madring_path_record *path, size_t path_size)
{
	const struct madring_sa_component components[] = {
		{ .name = "SLID", .value = slid ? slid : sa->state.lid },
		{ .name = "DLID", .value = dlid },
		{ .name = "NumbPath", .value = 1 },
	};

	return ask_path(sa, components, sizeof(components) / sizeof(components[0]), path,
			path_size);
}

API int madring_sa_path_by_gid_sized(struct madring_sa *sa, const struct madring_gid *sgid,
				     const struct madring_gid *dgid,
				     struct madring_path_record *path, size_t path_size)
{
	const struct madring_sa_component components[] = {
		{ .name = "SGID",
		  .bytes = sgid ? sgid->raw : sa->state.gid.raw,
		  .size = sizeof(sgid->raw) },
		{ .name = "DGID", .bytes = dgid->raw, .size = sizeof(dgid->raw) },
		{ .name = "NumbPath", .value = 1 },
	};

	return ask_path(sa, components, sizeof(components) / sizeof(components[0]), path,
			path_size);
}

API int madring_sa_nodes(struct madring_sa *sa,
			 void (*callback)(void *user, const struct madring_node_record *record),
			 void *user)
{
	const struct madring_sa_request query = { .attr_id = MADRING_ATTR_NODE_RECORD };
	struct madring_node_record node;
	struct madring_sa_answer answer;
	int result = madring_sa_call(sa, &query, &answer);
	const void *record;

	if (!result) {
		result = (int)answer.count;
		/* A callback cannot close the SA, which gets the buffer back. */
		sa->calling++;
		while ((record = madring_records_next(&answer.records))) {
			madring_node_record_decode(&node, record);
			callback(user, &node);
		}
		sa->calling--;
	}
	madring_sa_answer_release(sa, &answer);
	return result;
}
