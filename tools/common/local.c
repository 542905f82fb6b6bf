/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "advice.h"
#include "complain.h"
#include "local.h"

bool local_is_split(const struct local *local)
{
	return local->smi != local->port;
}

struct madring_port *local_port_of(const struct local *local, uint8_t mgmt_class)
{
	bool is_smp = mgmt_class == MADRING_CLASS_SMP || mgmt_class == MADRING_CLASS_SMP_DIRECTED;

	return is_smp ? local->smi : local->port;
}

int local_open(struct local *local, const struct local_config *config)
{
	const struct madring_config ring = { .pin = MADRING_PIN_BEST_EFFORT,
					     .transactions = config->transactions,
					     .sqpoll_idle_ms = config->sqpoll_idle_ms };
	struct madring_subnet_failure failure = { 0 };
	const struct madring_subnet_config subnet = {
		.ca_name = config->ca_name,
		.port = config->port,
		.ring = &ring,
		.in_flight = config->in_flight,
		.pkey_index = config->pkey_index,
		.window = config->tuning.window,
		.pin_window = config->tuning.pin_window,
		.timeout_ms = config->tuning.timeout_ms,
		.retries = config->tuning.retries,
		.queue_us = config->tuning.queue_us,
		.patience_ms = config->tuning.patience_ms,
		.failure = &failure,
	};
	int error;

	*local = (struct local){ .pkey_index = config->pkey_index };
	error = madring_subnet_open(&subnet, &local->subnet);
	if (error) {
		complain("%s", failure.text[0] ? failure.text : madring_error_text(error));
		if (failure.step != MADRING_SUBNET_PKEY)
			advice_print(failure.ca_name[0] ? failure.ca_name : NULL, failure.port,
				     error);
		return error;
	}
	local->ring = madring_subnet_ring(local->subnet);
	local->port = madring_subnet_port(local->subnet, MADRING_CLASS_PMA);
	local->smi = madring_subnet_port(local->subnet, MADRING_CLASS_SMP_DIRECTED);
	return 0;
}

uint64_t local_node_guid(const struct local *local)
{
	struct madring_ca *ca;
	uint64_t guid;

	if (local->subnet)
		return madring_subnet_node_guid(local->subnet);
	if (madring_ca_get(madring_port_ca_name(local->smi), &ca))
		return 0;
	guid = ca->node_guid;
	madring_ca_release(ca);
	return guid;
}

void local_close(struct local *local)
{
	if (local->subnet)
		madring_subnet_close(local->subnet);
	else
		madring_close(local->ring);
	*local = (struct local){ 0 };
}

/* Writes why an agent cannot be opened, and what can be done about it. Returns @error. */
static int refuse_agent(const struct madring_port *port, const char *what, int error)
{
	complain("cannot register for %s: %s", what, madring_error_text(error));
	advice_print(madring_port_ca_name(port), madring_port_number(port), error);
	return error;
}

int local_smp_agent(const struct local *local, uint8_t mgmt_class, struct madring_agent **agent)
{
	int error = madring_subnet_agent(local->subnet, mgmt_class, agent);

	if (!error)
		return 0;
	return refuse_agent(local->smi,
			    mgmt_class == MADRING_CLASS_SMP ? "SMPs by LID" : "directed-route SMPs",
			    error);
}

int local_agent_open(const struct local *local, const struct madring_agent_config *config,
		     const char *what, struct madring_agent **agent)
{
	struct madring_port *port = local_port_of(local, config->mgmt_class);
	int error = madring_agent_open(port, config, agent);

	return error ? refuse_agent(port, what, error) : 0;
}

void local_put_back(const struct local *local, const struct madring_completion *completion)
{
	madring_mad_free(local->ring, completion->request);
	madring_mad_free(local->ring, completion->mad);
}
