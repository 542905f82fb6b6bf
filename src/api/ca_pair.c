/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the two devices of a port that is split into an SMI and a GSI side. */
#include "api/ca.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ACTIVE	4 /* states of a port and of its link (IBA 14.2.5.6) */
#define LINK_UP 5

/* Says how well a port serves, so that of several ports of one side the best is taken. */
enum rank { NO_PORT, POOR, UP, BEST };

struct found {
	struct madring_ca_pair pair;
	enum rank smi, gsi;
};

/* All pairs that were found. */
struct pairs {
	struct found *found;
	unsigned int count;
	int error;
};

static struct found *find_or_add_pair(struct pairs *pairs, uint64_t guid)
{
	struct found *more;

	for (unsigned int i = 0; i < pairs->count; i++)
		if (pairs->found[i].pair.guid == guid)
			return &pairs->found[i];
	more = realloc(pairs->found, (pairs->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	pairs->found = more;
	more += pairs->count++;
	*more = (struct found){ .pair.guid = guid };
	return more;
}

/* A RoCE port has a GUID, too, but no QP0, and is no part of a pair. */
static bool is_infiniband(const struct madring_ca_port *port)
{
	return !strcmp(port->link_layer, "InfiniBand") || !strcmp(port->link_layer, "IB");
}

static bool has_smi(const struct madring_ca_port *port)
{
	return !(port->capability_mask & MADRING_CAPABILITY_SM_DISABLED);
}

static enum rank rank_port(const struct madring_ca_port *port)
{
	if (port->state == ACTIVE)
		return BEST;
	return port->phys_state == LINK_UP ? UP : POOR;
}

/* Makes a port one side of its pair. A port without QP0 is the GSI side. */
static void set_side(struct madring_ca_pair *pair, const struct madring_ca_port *port)
{
	if (has_smi(port)) {
		memcpy(pair->smi_name, port->ca_name, sizeof(pair->smi_name));
		pair->smi_port = port->number;
	} else {
		memcpy(pair->gsi_name, port->ca_name, sizeof(pair->gsi_name));
		pair->gsi_port = port->number;
	}
}

/*
 * Adds a port to its pair, if it is better than what is there. The SMI side of a port that consists
 * of several planes is a device with a port for each, and all have the same GUID.
 */
static void add_side(struct found *found, const struct madring_ca_port *port)
{
	enum rank *best = has_smi(port) ? &found->smi : &found->gsi;
	enum rank rank = rank_port(port);

	if (rank <= *best)
		return;
	*best = rank;
	set_side(&found->pair, port);
}

/* Adds the ports of a device to the pairs. The ports of a pair have the same GUID. */
static void add_ca(const char *name, void *context)
{
	struct pairs *pairs = context;
	struct madring_ca *ca;
	int error = ca_get(name, DEVICE_NO_PKEYS, &ca);

	if (error == -ENOMEM)
		pairs->error = error;
	/* Devices that cannot be read, or have just been removed, are skipped. */
	if (error)
		return;
	for (unsigned int i = 0; i < ca->port_count; i++) {
		const struct madring_ca_port *port = ca->ports[i];
		bool can_pair = port->guid && is_infiniband(port);
		struct found *found = can_pair ? find_or_add_pair(pairs, port->guid) : NULL;

		if (found)
			add_side(found, port);
		else if (can_pair)
			pairs->error = -ENOMEM;
	}
	madring_ca_release(ca);
}

/* If no port lacks QP0, the only one is both sides. */
static void complete_pair(struct madring_ca_pair *pair)
{
	if (pair->gsi_name[0])
		return;
	memcpy(pair->gsi_name, pair->smi_name, sizeof(pair->gsi_name));
	pair->gsi_port = pair->smi_port;
}

static int find_pairs(struct pairs *pairs)
{
	int count;

	*pairs = (struct pairs){ 0 };
	count = device_ca_each(add_ca, pairs);
	return count < 0 ? count : pairs->error;
}

API int madring_ca_pairs_sized(struct madring_ca_pair *pair, size_t pair_size, unsigned int max)
{
	struct pairs pairs;
	int error = find_pairs(&pairs);

	for (unsigned int i = 0; !error && i < pairs.count && i < max; i++) {
		complete_pair(&pairs.found[i].pair);
		sized_give((uint8_t *)pair + i * pair_size, pair_size, &pairs.found[i].pair,
			   sizeof(pairs.found[i].pair));
	}
	free(pairs.found);
	return error ? error : (int)pairs.count;
}

/* Finds the pair of a port, which is a side of it even if another port would be a better one. */
static int find_pair(const struct madring_ca_port *port, struct madring_ca_pair *pair)
{
	struct pairs pairs;
	int error = find_pairs(&pairs);
	bool is_found = false;

	for (unsigned int i = 0; !error && i < pairs.count; i++) {
		if (pairs.found[i].pair.guid != port->guid || !is_infiniband(port))
			continue;
		*pair = pairs.found[i].pair;
		set_side(pair, port);
		complete_pair(pair);
		is_found = true;
	}
	free(pairs.found);
	if (error)
		return error;
	return is_found ? 0 : -ENODEV;
}

API int madring_ca_get_pair_sized(const char *ca_name, int portnum, struct madring_ca_pair *pair,
				  size_t pair_size)
{
	struct madring_ca_pair own;
	struct madring_ca_port *port;
	int error = ca_port_get(ca_name, portnum, DEVICE_NO_PKEYS, &port);

	if (error)
		return error;
	error = find_pair(port, &own);
	madring_ca_port_release(port);
	if (!error)
		sized_give(pair, pair_size, &own, sizeof(own));
	return error;
}
