/* SPDX-License-Identifier: BSD-2-Clause */
/* The agents of a subnet. */
#include "subnet/subnet_state.h"
#include "sized/sized.h"

/* Returns the version of a management class (IBA 13.4.4). */
static uint8_t class_version_of(uint8_t mgmt_class)
{
	return mgmt_class == MADRING_CLASS_SA || mgmt_class == MADRING_CLASS_CM ? 2 : 1;
}

API void madring_subnet_get_agent_config_sized(const struct madring_subnet *subnet,
					       uint8_t mgmt_class,
					       struct madring_agent_config *config,
					       size_t config_size)
{
	const struct madring_subnet_config *tuning = &subnet->tuning;
	const struct madring_agent_config own = {
		.mgmt_class = mgmt_class,
		.class_version = class_version_of(mgmt_class),
		.rmpp = mgmt_class == MADRING_CLASS_SA ? MADRING_RMPP_USER : MADRING_RMPP_NONE,
		.pin_window = tuning->pin_window,
		.pin_flow_window = tuning->pin_flow_window,
		.window = tuning->window,
		.flow_window = tuning->flow_window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms,
	};

	sized_give(config, config_size, &own, sizeof(own));
}

API int madring_subnet_agent(struct madring_subnet *subnet, uint8_t mgmt_class,
			     struct madring_agent **agent)
{
	struct madring_agent_config config;
	int error;

	if (!subnet->agents[mgmt_class]) {
		madring_subnet_get_agent_config(subnet, mgmt_class, &config);
		error = madring_agent_open(madring_subnet_port(subnet, mgmt_class), &config,
					   &subnet->agents[mgmt_class]);
		if (error)
			return error;
	}
	*agent = subnet->agents[mgmt_class];
	return 0;
}

API int madring_subnet_agent_open_sized(struct madring_subnet *subnet,
					const struct madring_agent_config *config,
					size_t config_size, struct madring_agent **agent)
{
	struct madring_agent_config completed;
	int error = sized_take(&completed, sizeof(completed), config, config_size);

	if (error)
		return error;
	if (!completed.class_version)
		completed.class_version = class_version_of(completed.mgmt_class);
	return madring_agent_open(madring_subnet_port(subnet, completed.mgmt_class), &completed,
				  agent);
}
