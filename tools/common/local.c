/* SPDX-License-Identifier: BSD-2-Clause */
#include "advice.h"
#include "complain.h"
#include "local.h"

static int open_port(struct local *local, const char *ca_name, int port)
{
	int error = madring_port_open(local->ring, ca_name, port, NULL, &local->port);

	if (!error)
		return 0;
	if (ca_name && port)
		complain("cannot open port %d of device %s: %s", port, ca_name,
			 madring_strerror(error));
	else if (ca_name)
		complain("cannot open a port of device %s: %s", ca_name, madring_strerror(error));
	else if (port)
		complain("cannot open port %d of any device: %s", port, madring_strerror(error));
	else
		complain("cannot open a port: %s", madring_strerror(error));
	advice_print(ca_name, port, error);
	return error;
}

int local_open(struct local *local, uint32_t transactions, const char *ca_name, int port)
{
	return local_open_polled(local, transactions, 0, ca_name, port);
}

int local_open_polled(struct local *local, uint32_t transactions, uint32_t idle_ms,
		      const char *ca_name, int port)
{
	struct madring_config config = { .pin = MADRING_PIN_BEST_EFFORT,
					 .transactions = transactions,
					 .sqpoll_idle_ms = idle_ms };
	int error = madring_open(&local->ring, &config);

	if (error) {
		complain("cannot open a ring: %s", madring_strerror(error));
		advice_print(ca_name, port, error);
		return error;
	}
	error = open_port(local, ca_name, port);
	if (error)
		local_close(local);
	return error;
}

void local_close(struct local *local)
{
	madring_close(local->ring);
	*local = (struct local){ 0 };
}

int local_agent_open(const struct local *local, const struct madring_agent_config *config,
		     const char *what, struct madring_agent **agent)
{
	int error = madring_agent_open(local->port, config, agent);

	if (!error)
		return 0;
	complain("cannot register for %s: %s", what, madring_strerror(error));
	advice_print(madring_port_ca_name(local->port), madring_port_number(local->port), error);
	return error;
}

void local_put_back(const struct local *local, struct madring_mad *mad,
		    const struct madring_completion *completion)
{
	if (!completion->request)
		madring_mad_put(local->ring, mad);
	madring_mad_put(local->ring, completion->request);
	madring_mad_put(local->ring, completion->mad);
}
