/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes a subnet: a ring, and the sides of a port. */
#include "subnet/subnet_state.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PAIRS 128u

/* Tells the caller of madring_subnet_open() which step failed. Returns @error. */
__attribute__((format(printf, 6, 7))) static int fail(const struct madring_subnet_config *config,
						      enum madring_subnet_step step,
						      const char *ca_name, int port, int error,
						      const char *format, ...)
{
	struct madring_subnet_failure *failure = config->failure;
	va_list arguments;

	*failure = (struct madring_subnet_failure){ .step = step, .port = port };
	if (ca_name)
		snprintf(failure->ca_name, sizeof(failure->ca_name), "%s", ca_name);
	va_start(arguments, format);
	vsnprintf(failure->text, sizeof(failure->text), format, arguments);
	va_end(arguments);
	return error;
}

/* Tells that a port cannot be opened. Returns @error. */
static int fail_port(const struct madring_subnet_config *config, const char *ca_name, int port,
		     int error)
{
	const char *why = madring_error_text(error);

	if (ca_name && port)
		return fail(config, MADRING_SUBNET_PORT, ca_name, port, error,
			    "cannot open port %d of device %s: %s", port, ca_name, why);
	if (ca_name)
		return fail(config, MADRING_SUBNET_PORT, ca_name, port, error,
			    "cannot open a port of device %s: %s", ca_name, why);
	if (port)
		return fail(config, MADRING_SUBNET_PORT, ca_name, port, error,
			    "cannot open port %d of any device: %s", port, why);
	return fail(config, MADRING_SUBNET_PORT, ca_name, port, error, "cannot open a port: %s",
		    why);
}

static int open_ring(struct madring_subnet *subnet, const struct madring_subnet_config *config)
{
	struct madring_config ring = { .pin = MADRING_PIN_BEST_EFFORT };
	int error;

	if (config->shared_ring) {
		subnet->ring = config->shared_ring;
		subnet->ring_is_shared = true;
		return 0;
	}
	if (config->ring)
		ring = *config->ring;
	error = madring_open(&subnet->ring, &ring);
	if (error)
		return fail(config, MADRING_SUBNET_RING, config->ca_name, config->port, error,
			    "cannot open a ring: %s", madring_error_text(error));
	return 0;
}

/* Finds the first InfiniBand port of this machine that has both sides. */
static bool find_any_pair(struct madring_ca_pair *pair)
{
	struct madring_ca_pair pairs[MAX_PAIRS];
	int count = madring_ca_pairs(pairs, MAX_PAIRS);

	for (int i = 0; i < count && i < (int)MAX_PAIRS; i++) {
		if (!pairs[i].smi_name[0] || !pairs[i].gsi_name[0])
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

static int open_port(struct madring_subnet *subnet, const struct madring_subnet_config *config,
		     const char *ca_name, int number, struct madring_port **port)
{
	const struct madring_port_config port_config = { .in_flight = config->in_flight };
	int error = madring_port_open(subnet->ring, ca_name, number, &port_config, port);

	return error ? fail_port(config, ca_name, number, error) : 0;
}

/* Opens the port, or both sides of it. */
static int open_sides(struct madring_subnet *subnet, const struct madring_subnet_config *config)
{
	const struct madring_port_config port = { .in_flight = config->in_flight };
	const char *ca_name = config->ca_name;
	struct madring_ca_pair pair;
	int number = config->port;
	int error = madring_ca_get_pair(ca_name, number, &pair);

	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return fail_port(config, ca_name, number, error);
	if (error == -ENODEV && !ca_name && !number && find_any_pair(&pair)) {
		ca_name = pair.gsi_name;
		number = (int)pair.gsi_port;
		error = 0;
	}
	if (!error && pair_is_split(&pair)) {
		error = open_port(subnet, config, pair.gsi_name, (int)pair.gsi_port, &subnet->gsi);
		return error ? error
			     : open_port(subnet, config, pair.smi_name, (int)pair.smi_port,
					 &subnet->smi);
	}
	/* The library need not choose the port a second time. */
	if (!error)
		error = madring_port_open(subnet->ring, pair.gsi_name, (int)pair.gsi_port, &port,
					  &subnet->gsi);
	else
		error = madring_port_open(subnet->ring, ca_name, number, &port, &subnet->gsi);
	subnet->smi = subnet->gsi;
	return error ? fail_port(config, ca_name, number, error) : 0;
}

/* Checks that the port has a P_Key at the subnet's index. */
static int check_pkey(const struct madring_subnet *subnet,
		      const struct madring_subnet_config *config)
{
	const char *ca_name = madring_port_ca_name(subnet->gsi);
	int number = madring_port_number(subnet->gsi), error;
	uint16_t index = config->pkey_index;
	struct madring_ca_port *port;

	if (!index)
		return 0;
	error = madring_ca_port_get(ca_name, number, &port);
	if (error)
		return fail(config, MADRING_SUBNET_PKEY, ca_name, number, error,
			    "cannot read the P_Keys of %s port %d: %s", ca_name, number,
			    madring_error_text(error));
	if (index >= port->pkey_count)
		error = fail(config, MADRING_SUBNET_PKEY, ca_name, number, -ERANGE,
			     "P_Key index %u: the table of %s port %d has %u entries, from index 0 "
			     "on",
			     index, ca_name, number, port->pkey_count);
	else if (!port->pkeys[index])
		error = fail(config, MADRING_SUBNET_PKEY, ca_name, number, -ENOKEY,
			     "P_Key index %u: the table of %s port %d has no P_Key there; the "
			     "subnet manager sets it when the port becomes a member of a partition",
			     index, ca_name, number);
	madring_ca_port_release(port);
	return error;
}

/* Does what madring_subnet_open() does, with structs of the library's size. */
static int open_subnet(const struct madring_subnet_config *config, struct madring_subnet **subnet)
{
	struct madring_subnet *opened;
	int error;

	if (config->ring && config->shared_ring)
		return fail(config, MADRING_SUBNET_RING, config->ca_name, config->port, -EINVAL,
			    "the configuration of the subnet is invalid");
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return fail(config, MADRING_SUBNET_RING, config->ca_name, config->port, -ENOMEM,
			    "cannot open a ring: %s", madring_error_text(-ENOMEM));
	opened->tuning = *config;
	opened->tuning.ca_name = NULL;
	opened->tuning.ring = NULL;
	opened->tuning.failure = NULL;
	error = open_ring(opened, config);
	if (!error)
		error = open_sides(opened, config);
	if (!error)
		error = check_pkey(opened, config);
	if (error) {
		madring_subnet_close(opened);
		return error;
	}
	*subnet = opened;
	return 0;
}

API int madring_subnet_open_sized(const struct madring_subnet_config *config, size_t config_size,
				  size_t ring_size, size_t failure_size,
				  struct madring_subnet **subnet)
{
	struct madring_subnet_failure failure = { .step = MADRING_SUBNET_RING }, *theirs;
	struct madring_subnet_config filled;
	struct madring_config ring;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	theirs = filled.failure;
	filled.failure = &failure;
	if (!error)
		error = sized_take(&ring, sizeof(ring), filled.ring, ring_size);
	if (error)
		fail(&filled, MADRING_SUBNET_RING, filled.ca_name, filled.port, error,
		     "the configuration of the subnet sets what this version of madring lacks");
	if (filled.ring)
		filled.ring = &ring;
	if (!error)
		error = open_subnet(&filled, subnet);
	if (theirs)
		sized_give(theirs, failure_size, &failure, sizeof(failure));
	return error;
}

/*
 * Closes the ports of a subnet on a ring that it shares. The ring of another thread refuses the
 * first one.
 */
static int close_ports(struct madring_subnet *subnet)
{
	int error = 0, gsi_error = 0;

	if (subnet->smi && subnet->smi != subnet->gsi)
		error = madring_port_close(subnet->smi);
	if (error != -EREMOTE && subnet->gsi)
		gsi_error = madring_port_close(subnet->gsi);
	return error ? error : gsi_error;
}

API int madring_subnet_close(struct madring_subnet *subnet)
{
	int error = 0;

	if (!subnet)
		return 0;
	if (subnet->ring_is_shared) {
		error = close_ports(subnet);
		if (error == -EREMOTE)
			return error;
	} else if (subnet->ring) {
		error = madring_close(subnet->ring);
		if (error == -EBUSY)
			return error;
	}
	free(subnet);
	return error;
}

API struct madring *madring_subnet_ring(struct madring_subnet *subnet)
{
	return subnet->ring;
}

API struct madring_port *madring_subnet_port(struct madring_subnet *subnet, uint8_t mgmt_class)
{
	bool is_smp = mgmt_class == MADRING_CLASS_SMP || mgmt_class == MADRING_CLASS_SMP_DIRECTED;

	return is_smp ? subnet->smi : subnet->gsi;
}

API bool madring_subnet_is_split(const struct madring_subnet *subnet)
{
	return subnet->smi != subnet->gsi;
}

API uint16_t madring_subnet_pkey_index(const struct madring_subnet *subnet)
{
	return subnet->tuning.pkey_index;
}

API uint64_t madring_subnet_node_guid(const struct madring_subnet *subnet)
{
	struct madring_ca *ca;
	uint64_t guid;

	if (madring_ca_get(madring_port_ca_name(subnet->smi), &ca))
		return 0;
	guid = ca->node_guid;
	madring_ca_release(ca);
	return guid;
}
