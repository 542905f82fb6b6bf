/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices and ports: libibumad's attributes in host order, each in one piece of memory. */
#include "api/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names {
	char (*name)[MADRING_CA_NAME_BYTES];
	unsigned int count, max;
};

/* What does not fit is cut. */
static void copy_text(char *to, size_t bytes, const char *from, size_t most)
{
	size_t length = strnlen(from, most < bytes ? most : bytes - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

static void add_name(const char *name, void *context)
{
	struct names *names = context;

	if (names->count < names->max)
		copy_text(names->name[names->count++], MADRING_CA_NAME_BYTES, name, strlen(name));
}

API int madring_ca_names(char (*name)[MADRING_CA_NAME_BYTES], unsigned int max)
{
	struct names names = { .name = name, .max = max };

	return device_ca_each(add_name, &names);
}

static void copy_port(struct madring_ca_port *to, const umad_port_t *from, uint16_t *pkeys)
{
	*to = (struct madring_ca_port){
		.number = (unsigned int)from->portnum,
		.lid = from->base_lid,
		.lmc = (uint8_t)from->lmc,
		.state = (uint8_t)from->state,
		.phys_state = (uint8_t)from->phys_state,
		.sm_sl = (uint8_t)from->sm_sl,
		.sm_lid = from->sm_lid,
		.rate = from->rate,
		.capability_mask = be32toh(from->capmask),
		.guid = be64toh(from->port_guid),
		.gid_prefix = be64toh(from->gid_prefix),
		.pkey_count = from->pkeys_size,
		.pkeys = pkeys,
	};
	copy_text(to->ca_name, sizeof(to->ca_name), from->ca_name, sizeof(from->ca_name));
	copy_text(to->link_layer, sizeof(to->link_layer), from->link_layer,
		  sizeof(from->link_layer));
	memcpy(to->gid, &from->gid_prefix, sizeof(from->gid_prefix));
	memcpy(to->gid + sizeof(from->gid_prefix), &from->port_guid, sizeof(from->port_guid));
	if (from->pkeys_size)
		memcpy(pkeys, from->pkeys, from->pkeys_size * sizeof(*pkeys));
}

/* The device, then its ports, then their P_Keys. */
static struct madring_ca *copy_ca(const umad_ca_t *from)
{
	struct madring_ca_port *ports;
	size_t count = 0, pkeys = 0;
	struct madring_ca *ca;
	uint16_t *rest;

	for (unsigned int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
		if (!from->ports[i])
			continue;
		count++;
		pkeys += from->ports[i]->pkeys_size;
	}
	ca = calloc(1, sizeof(*ca) + count * sizeof(*ports) + pkeys * sizeof(*rest));
	if (!ca)
		return NULL;
	ports = (struct madring_ca_port *)(ca + 1);
	rest = (uint16_t *)(ports + count);
	ca->ports = ports;
	for (unsigned int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
		if (!from->ports[i])
			continue;
		copy_port(&ports[ca->port_count++], from->ports[i], rest);
		rest += from->ports[i]->pkeys_size;
	}
	copy_text(ca->name, sizeof(ca->name), from->ca_name, sizeof(from->ca_name));
	copy_text(ca->firmware, sizeof(ca->firmware), from->fw_ver, sizeof(from->fw_ver));
	copy_text(ca->type, sizeof(ca->type), from->ca_type, sizeof(from->ca_type));
	copy_text(ca->hardware, sizeof(ca->hardware), from->hw_ver, sizeof(from->hw_ver));
	ca->node_type = from->node_type;
	ca->node_guid = be64toh(from->node_guid);
	ca->system_guid = be64toh(from->system_guid);
	return ca;
}

API int madring_ca_get(const char *name, struct madring_ca **ca)
{
	umad_ca_t found;
	int error = device_ca_get(name, &found);

	if (error)
		return error;
	*ca = copy_ca(&found);
	device_ca_release(&found);
	return *ca ? 0 : -ENOMEM;
}

API void madring_ca_put(struct madring_ca *ca)
{
	free(ca);
}

API int madring_ca_port_get(const char *ca_name, int portnum, struct madring_ca_port **port)
{
	umad_port_t found;
	int error = device_port_get(ca_name, portnum, &found);

	if (error)
		return error;
	*port = malloc(sizeof(**port) + found.pkeys_size * sizeof(*found.pkeys));
	if (*port)
		copy_port(*port, &found, (uint16_t *)(*port + 1));
	device_port_release(&found);
	return *port ? 0 : -ENOMEM;
}

API void madring_ca_port_put(struct madring_ca_port *port)
{
	free(port);
}

API int madring_ca_port_guids(const char *ca_name, uint64_t *guids, unsigned int max)
{
	umad_ca_t ca;
	int error = device_ca_get(ca_name, &ca);
	int count = 0;

	if (error)
		return error;
	for (unsigned int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
		if (ca.ports[i])
			count = (int)i + 1;
		if (i < max)
			guids[i] = ca.ports[i] ? be64toh(ca.ports[i]->port_guid) : 0;
	}
	device_ca_release(&ca);
	return count;
}

API int madring_ca_issm_path(const char *ca_name, int portnum, char *path, size_t bytes)
{
	struct device_port port;
	int error = device_port_find(ca_name, portnum, &port);

	if (error)
		return error;
	error = device_issm_path(&port, path, bytes);
	device_port_forget(&port);
	return error;
}
