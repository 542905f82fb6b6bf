/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "advice.h"
#include "complain.h"
#include "local.h"

#define CLASS_SMP_LID	   0x01
#define CLASS_SMP_DIRECTED 0x81
#define MAX_PAIRS	   128u

/* With no more requests in flight than FEW_REQUESTS, there is a umad file for so many of them. */
#define REQUESTS_OF_A_LANE 2u
#define FEW_REQUESTS	   32u

/* Writes why a port cannot be opened, and what can be done about it. Returns @error. */
static int refuse_port(const char *ca_name, int number, int error)
{
	if (ca_name && number)
		complain("cannot open port %d of device %s: %s", number, ca_name,
			 madring_strerror(error));
	else if (ca_name)
		complain("cannot open a port of device %s: %s", ca_name, madring_strerror(error));
	else if (number)
		complain("cannot open port %d of any device: %s", number, madring_strerror(error));
	else
		complain("cannot open a port: %s", madring_strerror(error));
	advice_print(ca_name, number, error);
	return error;
}

static int open_port(struct local *local, const char *ca_name, int number,
		     struct madring_port **port)
{
	int error = madring_port_open(local->ring, ca_name, number, NULL, port);

	return error ? refuse_port(ca_name, number, error) : 0;
}

/* Finds the first InfiniBand port of this machine that has both sides. */
static bool find_any_pair(struct madring_ca_pair *pair)
{
	struct madring_ca_pair pairs[MAX_PAIRS];
	int count = madring_ca_pairs(pairs, MAX_PAIRS);

	for (int i = 0; i < count && i < (int)MAX_PAIRS; i++) {
		if (!pairs[i].smi_name[0])
			continue;
		*pair = pairs[i];
		return true;
	}
	return false;
}

static bool pair_is_split(const struct madring_ca_pair *pair)
{
	return pair->smi_name[0] &&
	       (strcmp(pair->smi_name, pair->gsi_name) != 0 || pair->smi_port != pair->gsi_port);
}

/*
 * Opens the port, or both sides of it. The default port may be a RoCE port, where there is an
 * InfiniBand port that is not active yet; the latter is taken.
 */
static int open_sides(struct local *local, const char *ca_name, int number)
{
	struct madring_ca_pair pair;
	bool is_any = !ca_name && !number;
	int error = madring_ca_pair_get(ca_name, number, &pair);

	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return refuse_port(ca_name, number, error);
	if (error == -ENODEV && is_any && find_any_pair(&pair)) {
		ca_name = pair.gsi_name;
		number = (int)pair.gsi_port;
		error = 0;
	}
	if (!error && pair_is_split(&pair)) {
		error = open_port(local, pair.gsi_name, (int)pair.gsi_port, &local->port);
		return error ? error
			     : open_port(local, pair.smi_name, (int)pair.smi_port, &local->smi);
	}
	/* The library need not choose the port a second time. */
	if (!error)
		error = madring_port_open(local->ring, pair.gsi_name, (int)pair.gsi_port, NULL,
					  &local->port);
	else
		error = madring_port_open(local->ring, ca_name, number, NULL, &local->port);
	local->smi = local->port;
	return error ? refuse_port(ca_name, number, error) : 0;
}

bool local_is_split(const struct local *local)
{
	return local->smi != local->port;
}

struct madring_port *local_port_of(const struct local *local, uint8_t mgmt_class)
{
	bool is_smp = mgmt_class == CLASS_SMP_LID || mgmt_class == CLASS_SMP_DIRECTED;

	return is_smp ? local->smi : local->port;
}

/* Opens a ring by @config, and the port. Returns as local_open(). */
static int open_by(struct local *local, const struct madring_config *config, const char *ca_name,
		   int port)
{
	int error = madring_open(&local->ring, config);

	if (error) {
		complain("cannot open a ring: %s", madring_strerror(error));
		advice_print(ca_name, port, error);
		return error;
	}
	error = open_sides(local, ca_name, port);
	if (error)
		local_close(local);
	return error;
}

int local_open(struct local *local, uint32_t transactions, const char *ca_name, int port)
{
	return local_open_polled(local, transactions, 0, ca_name, port);
}

int local_open_polled(struct local *local, uint32_t transactions, uint32_t idle_ms,
		      const char *ca_name, int port)
{
	const struct madring_config config = { .pin = MADRING_PIN_BEST_EFFORT,
					       .transactions = transactions,
					       .sqpoll_idle_ms = idle_ms };

	return open_by(local, &config, ca_name, port);
}

int local_open_few(struct local *local, uint32_t transactions, uint32_t in_flight,
		   const char *ca_name, int port)
{
	struct madring_config config = { .pin = MADRING_PIN_BEST_EFFORT,
					 .transactions = transactions };

	if (in_flight <= FEW_REQUESTS)
		config.lanes = (in_flight + 1) / REQUESTS_OF_A_LANE;
	return open_by(local, &config, ca_name, port);
}

int local_set_pkey_index(struct local *local, uint16_t index)
{
	const char *ca_name = madring_port_ca_name(local->port);
	int number = madring_port_number(local->port), error;
	struct madring_ca_port *port;

	local->pkey_index = index;
	if (!index)
		return 0;
	error = madring_ca_port_get(ca_name, number, &port);
	if (error) {
		complain("cannot read the P_Keys of %s port %d: %s", ca_name, number,
			 madring_strerror(error));
		return error;
	}
	if (index >= port->pkey_count) {
		complain("P_Key index %u: the table of %s port %d has %u entries, from index 0 on",
			 index, ca_name, number, port->pkey_count);
		error = -EINVAL;
	} else if (!port->pkeys[index]) {
		complain("P_Key index %u: the table of %s port %d has no P_Key there; the subnet "
			 "manager sets it when the port becomes a member of a partition",
			 index, ca_name, number);
		error = -EINVAL;
	}
	madring_ca_port_put(port);
	return error;
}

uint64_t local_node_guid(const struct local *local)
{
	struct madring_ca *ca;
	uint64_t guid;

	if (madring_ca_get(madring_port_ca_name(local->smi), &ca))
		return 0;
	guid = ca->node_guid;
	madring_ca_put(ca);
	return guid;
}

void local_close(struct local *local)
{
	madring_close(local->ring);
	*local = (struct local){ 0 };
}

int local_agent_open(const struct local *local, const struct madring_agent_config *config,
		     const char *what, struct madring_agent **agent)
{
	struct madring_port *port = local_port_of(local, config->mgmt_class);
	int error = madring_agent_open(port, config, agent);

	if (!error)
		return 0;
	complain("cannot register for %s: %s", what, madring_strerror(error));
	advice_print(madring_port_ca_name(port), madring_port_number(port), error);
	return error;
}

void local_put_back(const struct local *local, const struct madring_completion *completion)
{
	madring_mad_put(local->ring, completion->request);
	madring_mad_put(local->ring, completion->mad);
}
