/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the two devices of a port that is split into an SMI and a GSI side. */
#include "api/handles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All pairs that were found. */
struct pairs {
	struct madring_ca_pair *pair;
	unsigned int count;
	int error;
};

static struct madring_ca_pair *find_or_add_pair(struct pairs *pairs, uint64_t guid)
{
	struct madring_ca_pair *more;

	for (unsigned int i = 0; i < pairs->count; i++)
		if (pairs->pair[i].guid == guid)
			return &pairs->pair[i];
	more = realloc(pairs->pair, (pairs->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	pairs->pair = more;
	more += pairs->count++;
	*more = (struct madring_ca_pair){ .guid = guid };
	return more;
}

/*
 * Adds a port to its pair. The first port of each side counts. A port without QP0 is the GSI
 * side.
 */
static void add_side(struct madring_ca_pair *pair, const struct madring_ca_port *port)
{
	bool without_smi = port->capability_mask & MADRING_CAPABILITY_SM_DISABLED;

	if (without_smi && !pair->gsi_name[0]) {
		memcpy(pair->gsi_name, port->ca_name, sizeof(pair->gsi_name));
		pair->gsi_port = port->number;
	} else if (!without_smi && !pair->smi_name[0]) {
		memcpy(pair->smi_name, port->ca_name, sizeof(pair->smi_name));
		pair->smi_port = port->number;
	}
}

static void add_ca(const char *name, void *context)
{
	struct pairs *pairs = context;
	struct madring_ca *ca;

	/* Devices that cannot be read, or have just been removed, are skipped. */
	if (madring_ca_get(name, &ca))
		return;
	for (unsigned int i = 0; i < ca->port_count; i++) {
		const struct madring_ca_port *port = &ca->ports[i];
		struct madring_ca_pair *pair =
			port->guid ? find_or_add_pair(pairs, port->guid) : NULL;

		if (pair)
			add_side(pair, port);
		else if (port->guid)
			pairs->error = -ENOMEM;
	}
	madring_ca_put(ca);
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
	for (unsigned int i = 0; i < pairs->count; i++)
		complete_pair(&pairs->pair[i]);
	return count < 0 ? count : pairs->error;
}

API int madring_ca_pairs(struct madring_ca_pair *pair, unsigned int max)
{
	struct pairs pairs;
	int error = find_pairs(&pairs);

	if (max > pairs.count)
		max = pairs.count;
	if (!error && max)
		memcpy(pair, pairs.pair, max * sizeof(*pair));
	free(pairs.pair);
	return error ? error : (int)pairs.count;
}

static int find_guid(uint64_t guid, struct madring_ca_pair *pair)
{
	struct pairs pairs;
	int error = find_pairs(&pairs);
	bool found = false;

	for (unsigned int i = 0; !error && i < pairs.count; i++) {
		if (pairs.pair[i].guid != guid)
			continue;
		*pair = pairs.pair[i];
		found = true;
	}
	free(pairs.pair);
	if (error)
		return error;
	return found ? 0 : -ENODEV;
}

API int madring_ca_pair_get(const char *ca_name, int portnum, struct madring_ca_pair *pair)
{
	struct madring_ca_port *port;
	int error = madring_ca_port_get(ca_name, portnum, &port);

	if (error)
		return error;
	error = find_guid(port->guid, pair);
	madring_ca_port_put(port);
	return error;
}
