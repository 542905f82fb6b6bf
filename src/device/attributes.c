/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/attributes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
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

/* Reads the numbers that a subnet manager changes while a port is in use. */
static int read_link_numbers(const char *folder, umad_port_t *port)
{
	const struct {
		const char *name;
		unsigned int *value;
	} attributes[] = {
		{ SYS_PORT_LID, &port->base_lid }, { SYS_PORT_LMC, &port->lmc },
		{ SYS_PORT_SMLID, &port->sm_lid }, { SYS_PORT_SMSL, &port->sm_sl },
		{ SYS_PORT_STATE, &port->state },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !error; i++)
		error = sysfs_number(folder, attributes[i].name, attributes[i].value);
	return error;
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

/* Reads all P_Keys, or only the first, without which a port is not usable. */
static int read_pkeys(const char *folder, bool all, umad_port_t *port)
{
	char pkeys[PATH_MAX + 8];
	unsigned int first;

	if (!all)
		return sysfs_number(folder, "pkeys/0", &first);
	snprintf(pkeys, sizeof(pkeys), "%s/pkeys", folder);
	return sysfs_table(pkeys, &port->pkeys, &port->pkeys_size);
}

/* Names a port, with all else zeroed, and its folder. */
static void name_port(const char *ca_name, int portnum, umad_port_t *port, char folder[PATH_MAX])
{
	memset(port, 0, sizeof(*port));
	snprintf(port->ca_name, sizeof(port->ca_name), "%s", ca_name);
	port->portnum = portnum;
	snprintf(folder, PATH_MAX, SYS_INFINIBAND "/%s/" SYS_CA_PORTS_DIR "/%d", ca_name, portnum);
}

static int read_port(const char *ca_name, int portnum, bool all_pkeys, umad_port_t *port)
{
	char folder[PATH_MAX];
	int error;

	name_port(ca_name, portnum, port, folder);
	error = read_numbers(folder, port);
	if (error)
		return error;
	/* Kernels without this attribute support InfiniBand only. */
	if (sysfs_text(folder, SYS_PORT_LINK_LAYER, port->link_layer, sizeof(port->link_layer)))
		strcpy(port->link_layer, "IB");
	error = read_gid(folder, port);
	return error ? error : read_pkeys(folder, all_pkeys, port);
}

int attributes_of_port(const char *ca_name, int portnum, enum device_detail detail,
		       umad_port_t *port)
{
	char folder[PATH_MAX];
	int error;

	if (detail != DEVICE_LINK)
		return read_port(ca_name, portnum, detail == DEVICE_ALL, port);
	name_port(ca_name, portnum, port, folder);
	error = read_link_numbers(folder, port);
	return error ? error : read_gid(folder, port);
}

void attributes_release_port(umad_port_t *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
	port->pkeys_size = 0;
}

static int add_port(struct device_ca *ca, int portnum, bool all_pkeys)
{
	umad_port_t *ports = reallocarray(ca->ports, ca->port_count + 1, sizeof(*ports));
	int error;

	if (!ports)
		return -ENOMEM;
	ca->ports = ports;
	error = read_port(ca->name, portnum, all_pkeys, &ports[ca->port_count]);
	if (!error)
		ca->port_count++;
	return error;
}

/* Adds the port whose number is @name, an entry of the folder of ports. */
static int add_entry(struct device_ca *ca, const char *name, bool all_pkeys)
{
	char *end;
	long portnum = strtol(name, &end, 10);

	if (name[0] == '.')
		return 0;
	if (*end || portnum < 0 || portnum >= INT_MAX)
		return -EIO;
	return add_port(ca, (int)portnum, all_pkeys);
}

static int compare_ports(const void *a, const void *b)
{
	const umad_port_t *one = a, *other = b;

	return (one->portnum > other->portnum) - (one->portnum < other->portnum);
}

static int read_ports(const char *folder, struct device_ca *ca, bool all_pkeys)
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
		error = add_entry(ca, entry->d_name, all_pkeys);
	closedir(dir);
	if (ca->port_count)
		qsort(ca->ports, ca->port_count, sizeof(*ca->ports), compare_ports);
	return error == -ENOENT || error == -ENODEV ? -EIO : error;
}

static int read_guids(const char *folder, struct device_ca *ca)
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

static int read_ca(const char *name, bool all_pkeys, struct device_ca *ca)
{
	char folder[PATH_MAX];
	int error;

	memset(ca, 0, sizeof(*ca));
	snprintf(ca->name, sizeof(ca->name), "%s", name);
	snprintf(folder, sizeof(folder), SYS_INFINIBAND "/%s", name);
	error = sysfs_number(folder, SYS_NODE_TYPE, &ca->node_type);
	if (!error)
		error = read_guids(folder, ca);
	if (error)
		return error;
	read_optional(folder, SYS_CA_FW_VERS, ca->fw_ver, sizeof(ca->fw_ver));
	read_optional(folder, SYS_CA_HW_VERS, ca->hw_ver, sizeof(ca->hw_ver));
	read_optional(folder, SYS_CA_TYPE, ca->type, sizeof(ca->type));
	error = read_ports(folder, ca, all_pkeys);
	if (error)
		attributes_release_ca(ca);
	return error;
}

int attributes_of_ca(const char *name, enum device_detail detail, struct device_ca *ca)
{
	return read_ca(name, detail == DEVICE_ALL, ca);
}

void attributes_release_ca(struct device_ca *ca)
{
	for (size_t i = 0; i < ca->port_count; i++)
		attributes_release_port(&ca->ports[i]);
	free(ca->ports);
	ca->ports = NULL;
	ca->port_count = 0;
}

const umad_port_t *device_ca_port(const struct device_ca *ca, int portnum)
{
	for (size_t i = 0; i < ca->port_count; i++)
		if (ca->ports[i].portnum == portnum)
			return &ca->ports[i];
	return NULL;
}
