/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/attributes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sysfs.h"

static int read_numbers(const char *folder, umad_port_t *port)
{
	unsigned int capability_mask;
	const struct {
		const char *name;
		unsigned int *value;
	} attributes[] = {
		{ SYS_PORT_LMC, &port->lmc },	  { SYS_PORT_SMLID, &port->sm_lid },
		{ SYS_PORT_SMSL, &port->sm_sl },  { SYS_PORT_LID, &port->base_lid },
		{ SYS_PORT_STATE, &port->state }, { SYS_PORT_PHY_STATE, &port->phys_state },
		{ SYS_PORT_RATE, &port->rate },	  { SYS_PORT_CAPMASK, &capability_mask },
	};

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		int error = sysfs_number(folder, attributes[i].name, attributes[i].value);

		if (error)
			return error;
	}
	port->capmask = htobe32(capability_mask);
	return 0;
}

static int read_gid(const char *folder, umad_port_t *port)
{
	__be16 gid[8];
	int error = sysfs_words(folder, SYS_PORT_GID, gid, 8);

	if (error)
		return error;
	memcpy(&port->gid_prefix, gid, sizeof(port->gid_prefix));
	memcpy(&port->port_guid, gid + 4, sizeof(port->port_guid));
	return 0;
}

int attributes_of_port(const char *ca_name, int portnum, umad_port_t *port)
{
	char folder[PATH_MAX], pkeys[PATH_MAX + 8];
	int error;

	memset(port, 0, sizeof(*port));
	snprintf(port->ca_name, sizeof(port->ca_name), "%s", ca_name);
	port->portnum = portnum;
	snprintf(folder, sizeof(folder), SYS_INFINIBAND "/%s/" SYS_CA_PORTS_DIR "/%d", ca_name,
		 portnum);
	error = read_numbers(folder, port);
	if (error)
		return error;
	/* Kernels without this attribute support InfiniBand only. */
	if (sysfs_text(folder, SYS_PORT_LINK_LAYER, port->link_layer, sizeof(port->link_layer)))
		strcpy(port->link_layer, "IB");
	error = read_gid(folder, port);
	if (error)
		return error;
	snprintf(pkeys, sizeof(pkeys), "%s/pkeys", folder);
	return sysfs_table(pkeys, &port->pkeys, &port->pkeys_size);
}

void attributes_release_port(umad_port_t *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
	port->pkeys_size = 0;
}

static int add_port(umad_ca_t *ca, int portnum)
{
	umad_port_t *port = calloc(1, sizeof(*port));
	int error;

	if (!port)
		return -ENOMEM;
	error = attributes_of_port(ca->ca_name, portnum, port);
	if (error) {
		free(port);
		return error;
	}
	ca->ports[portnum] = port;
	if (ca->numports < portnum)
		ca->numports = portnum;
	return 0;
}

/* Adds the port whose number is @name, an entry of the folder of ports. */
static int add_entry(umad_ca_t *ca, const char *name)
{
	char *end;
	long portnum = strtol(name, &end, 10);

	if (name[0] == '.')
		return 0;
	if (*end || portnum < 0 || portnum >= UMAD_CA_MAX_PORTS)
		return -EIO;
	return add_port(ca, (int)portnum);
}

static int read_ports(const char *folder, umad_ca_t *ca)
{
	char path[PATH_MAX + 8];
	const struct dirent *entry;
	int error = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" SYS_CA_PORTS_DIR, folder);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!error && (entry = readdir(dir)))
		error = add_entry(ca, entry->d_name);
	closedir(dir);
	return error == -ENOENT || error == -ENODEV ? -EIO : error;
}

static int read_guids(const char *folder, umad_ca_t *ca)
{
	__be16 node[4], system[4];
	int error = sysfs_words(folder, SYS_CA_NODE_GUID, node, 4);

	if (!error)
		error = sysfs_words(folder, SYS_CA_SYS_GUID, system, 4);
	if (error)
		return error;
	memcpy(&ca->node_guid, node, sizeof(ca->node_guid));
	memcpy(&ca->system_guid, system, sizeof(ca->system_guid));
	return 0;
}

/* Reads an attribute that a device may lack; then @text is empty. */
static void read_optional(const char *folder, const char *name, char *text, size_t bytes)
{
	if (sysfs_text(folder, name, text, bytes))
		text[0] = '\0';
}

int attributes_of_ca(const char *name, umad_ca_t *ca)
{
	char folder[PATH_MAX];
	int error;

	memset(ca, 0, sizeof(*ca));
	snprintf(ca->ca_name, sizeof(ca->ca_name), "%s", name);
	snprintf(folder, sizeof(folder), SYS_INFINIBAND "/%s", name);
	error = sysfs_number(folder, SYS_NODE_TYPE, &ca->node_type);
	if (!error)
		error = read_guids(folder, ca);
	if (error)
		return error;
	read_optional(folder, SYS_CA_FW_VERS, ca->fw_ver, sizeof(ca->fw_ver));
	read_optional(folder, SYS_CA_HW_VERS, ca->hw_ver, sizeof(ca->hw_ver));
	read_optional(folder, SYS_CA_TYPE, ca->ca_type, sizeof(ca->ca_type));
	error = read_ports(folder, ca);
	if (error)
		attributes_release_ca(ca);
	return error;
}

void attributes_release_ca(umad_ca_t *ca)
{
	for (int i = 0; i < UMAD_CA_MAX_PORTS; i++) {
		if (!ca->ports[i])
			continue;
		attributes_release_port(ca->ports[i]);
		free(ca->ports[i]);
		ca->ports[i] = NULL;
	}
}
