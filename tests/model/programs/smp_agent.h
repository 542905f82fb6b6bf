/* SPDX-License-Identifier: BSD-2-Clause */
/* The agents of a sweep, as madring_subnet_agent() opens them, on a ring of the test. */
#ifndef MODEL_SMP_AGENT_H
#define MODEL_SMP_AGENT_H

#include <madring.h>

#include "common/local.h"

static inline int smp_agent_open(const struct local *local, const struct tuning *tuning,
				 uint8_t mgmt_class, struct madring_agent **agent)
{
	const struct madring_agent_config config = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.window = tuning->window,
		.pin_window = tuning->pin_window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms,
	};

	return madring_agent_open(local->smi, &config, agent);
}

#endif
