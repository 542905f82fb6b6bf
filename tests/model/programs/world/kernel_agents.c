/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers agents by ib_mad's rules, and finds the agent that a request is for. */
#include "kernel_state.h"

#include <errno.h>
#include <stdlib.h>

static bool is_same_class(const struct kernel_registration *a, const struct kernel_registration *b)
{
	return a->mgmt_class == b->mgmt_class && a->class_version == b->class_version;
}

/* Returns whether another agent of the port answers one of these methods already. */
static bool overlaps(unsigned int host, const struct kernel_registration *wanted)
{
	for (unsigned int i = 0; i < KERNEL_FILES; i++)
		for (unsigned int id = 0; kernel.file[i].open && id < KERNEL_AGENTS; id++) {
			const struct agent *agent = &kernel.file[i].agent[id];

			if (kernel.file[i].host == host && agent->registered &&
			    is_same_class(&agent->registration, wanted) &&
			    (agent->registration.method_mask[0] & wanted->method_mask[0] ||
			     agent->registration.method_mask[1] & wanted->method_mask[1]))
				return true;
		}
	return false;
}

int kernel_register(int fd, const struct kernel_registration *registration, uint32_t *id)
{
	struct file *file = file_of(fd);

	if (kernel.gone)
		return -ENODEV;
	if (overlaps(file->host, registration))
		return -EINVAL;
	for (*id = 0; *id < KERNEL_AGENTS; ++*id) {
		if (file->agent[*id].registered)
			continue;
		file->agent[*id] = (struct agent){
			.registered = true,
			.tid_high = ++kernel.tid_high,
			.registration = *registration,
		};
		return 0;
	}
	return -ENOMEM;
}

bool kernel_has_agent(int fd, uint32_t id)
{
	return id < KERNEL_AGENTS && file_of(fd)->agent[id].registered;
}

int kernel_unregister(int fd, uint32_t id)
{
	struct file *file = file_of(fd);

	if (!kernel_has_agent(fd, id))
		return -EINVAL;
	drop_all_waiting((unsigned int)(file - kernel.file), id);
	free(file->agent[id].backlog);
	file->agent[id] = (struct agent){ 0 };
	return 0;
}

bool agent_takes(const struct agent *agent, const uint8_t *mad)
{
	const struct kernel_registration *registration = &agent->registration;
	unsigned int method = mad[3] & ~RESPONSE_BIT;

	return agent->registered && registration->mgmt_class == mad[1] &&
	       registration->class_version == mad[2] &&
	       registration->method_mask[method / 64] >> method % 64 & 1;
}
