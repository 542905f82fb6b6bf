/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of a port. */
#include "api/ca.h"
#include "api/handles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ca_text_copy(char *to, size_t bytes, const char *from, size_t most)
{
	size_t length = strnlen(from, most < bytes ? most : bytes - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

void ca_port_copy(struct madring_ca_port *to, const umad_port_t *from, uint16_t *pkeys)
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
	ca_text_copy(to->ca_name, sizeof(to->ca_name), from->ca_name, sizeof(from->ca_name));
	ca_text_copy(to->link_layer, sizeof(to->link_layer), from->link_layer,
		     sizeof(from->link_layer));
	memcpy(to->gid, &from->gid_prefix, sizeof(from->gid_prefix));
	memcpy(to->gid + sizeof(from->gid_prefix), &from->port_guid, sizeof(from->port_guid));
	if (from->pkeys_size)
		memcpy(pkeys, from->pkeys, from->pkeys_size * sizeof(*pkeys));
}

int ca_port_get(const char *ca_name, int portnum, enum device_detail detail,
		struct madring_ca_port **port)
{
	umad_port_t found;
	int error = device_port_get(ca_name, portnum, detail, &found);

	if (error)
		return error;
	*port = malloc(sizeof(**port) + found.pkeys_size * sizeof(*found.pkeys));
	if (*port)
		ca_port_copy(*port, &found, (uint16_t *)(*port + 1));
	device_port_release(&found);
	return *port ? 0 : -ENOMEM;
}

API int madring_ca_port_get(const char *ca_name, int portnum, struct madring_ca_port **port)
{
	return ca_port_get(ca_name, portnum, DEVICE_ALL, port);
}

API int madring_ca_port_get_link(const char *ca_name, int portnum, struct madring_ca_port **port)
{
	return ca_port_get(ca_name, portnum, DEVICE_LINK, port);
}

API void madring_ca_port_release(struct madring_ca_port *port)
{
	free(port);
}
