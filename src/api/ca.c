/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices and ports: libibumad's attributes in host order, each in one block of memory. */
#include "api/ca.h"
#include "api/handles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names {
	char (*name)[MADRING_CA_NAME_BYTES];
	unsigned int count, max;
};

static void add_name(const char *name, void *context)
{
	struct names *names = context;

	if (names->count < names->max)
		ca_text_copy(names->name[names->count++], MADRING_CA_NAME_BYTES, name,
			     strlen(name));
}

API int madring_ca_names(char (*name)[MADRING_CA_NAME_BYTES], unsigned int max)
{
	struct names names = { .name = name, .max = max };

	return device_ca_each(add_name, &names);
}

/*
 * Copies the device, pointers to its ports, the ports and their P_Keys into one block, in this
 * order.
 */
static struct madring_ca *copy_ca(const struct device_ca *from)
{
	const struct madring_ca_port **pointers;
	struct madring_ca_port *ports;
	size_t pkeys = 0;
	struct madring_ca *ca;
	uint16_t *rest;

	for (size_t i = 0; i < from->port_count; i++)
		pkeys += from->ports[i].pkeys_size;
	ca = calloc(1, sizeof(*ca) + from->port_count * (sizeof(*pointers) + sizeof(*ports)) +
			       pkeys * sizeof(*rest));
	if (!ca)
		return NULL;
	pointers = (const struct madring_ca_port **)(ca + 1);
	ports = (struct madring_ca_port *)(pointers + from->port_count);
	rest = (uint16_t *)(ports + from->port_count);
	ca->ports = pointers;
	for (size_t i = 0; i < from->port_count; i++) {
		ca_port_copy(&ports[i], &from->ports[i], rest);
		pointers[ca->port_count++] = &ports[i];
		rest += from->ports[i].pkeys_size;
	}
	ca_text_copy(ca->name, sizeof(ca->name), from->name, sizeof(from->name));
	ca_text_copy(ca->firmware, sizeof(ca->firmware), from->fw_ver, sizeof(from->fw_ver));
	ca_text_copy(ca->type, sizeof(ca->type), from->type, sizeof(from->type));
	ca_text_copy(ca->hardware, sizeof(ca->hardware), from->hw_ver, sizeof(from->hw_ver));
	ca->node_type = from->node_type;
	ca->node_guid = be64toh(from->node_guid);
	ca->system_guid = be64toh(from->system_guid);
	return ca;
}

int ca_get(const char *name, enum device_detail detail, struct madring_ca **ca)
{
	struct device_ca found;
	int error = device_ca_get(name, detail, &found);

	if (error)
		return error;
	*ca = copy_ca(&found);
	device_ca_release(&found);
	return *ca ? 0 : -ENOMEM;
}

API int madring_ca_get(const char *name, struct madring_ca **ca)
{
	return ca_get(name, DEVICE_ALL, ca);
}

API void madring_ca_release(struct madring_ca *ca)
{
	free(ca);
}

API int madring_ca_port_guids(const char *ca_name, uint64_t *guids, unsigned int max)
{
	struct device_ca ca;
	int error = device_ca_get(ca_name, DEVICE_NO_PKEYS, &ca);
	int count = 0;

	if (error)
		return error;
	for (unsigned int i = 0; i < max; i++)
		guids[i] = 0;
	for (size_t i = 0; i < ca.port_count; i++) {
		const umad_port_t *port = &ca.ports[i];

		count = port->portnum + 1;
		if ((unsigned int)port->portnum < max)
			guids[port->portnum] = be64toh(port->port_guid);
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
