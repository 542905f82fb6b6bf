/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds devices and ports, and reads their attributes. */
#include "device/device.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/attributes.h"
#include "device/choose.h"
#include "device/sysfs.h"

#define ANY_PORT (-1)

#define MOST_LMC 7u /* it has three bits in PortInfo */

#define UMAD_PREFIX "umad"

/* Tells whether an error says nothing about the device. */
static bool is_lack_of_resources(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

int device_ca_get(const char *name, enum device_detail detail, struct device_ca *ca)
{
	char chosen[UMAD_CA_NAME_LEN];
	int portnum = 0;
	int error;

	if (name && strlen(name) >= UMAD_CA_NAME_LEN)
		return -EINVAL;
	if (!name) {
		error = choose_port(NULL, &portnum, chosen);
		if (error)
			return error;
		name = chosen;
	}
	error = attributes_of_ca(name, detail, ca);
	if (!error || is_lack_of_resources(error))
		return error;
	return error == -ENOENT || error == -ENODEV ? -ENODEV : -EIO;
}

void device_ca_release(struct device_ca *ca)
{
	attributes_release_ca(ca);
}

int device_ca_each(void (*each)(const char *name, void *context), void *context)
{
	struct umad_device_node *list;
	int count = 0;

	errno = 0;
	list = umad_get_ca_device_list();
	if (!list)
		return -errno;
	if (umad_sort_ca_device_list(&list, 0)) {
		umad_free_ca_device_list(list);
		return -ENOMEM;
	}
	for (const struct umad_device_node *node = list; node; node = node->next, count++)
		each(node->ca_name, context);
	umad_free_ca_device_list(list);
	return count;
}

/*
 * Tells whether a umad device, by its entry in SYS_INFINIBAND_MAD, belongs to a port: 1 or 0, or
 * -ENOMEM, -EMFILE or -ENFILE.
 */
static int is_umad_of(const char *entry, const char *ca_name, int portnum)
{
	char folder[sizeof(SYS_INFINIBAND_MAD "/") + NAME_MAX], name[UMAD_CA_NAME_LEN + 1];
	unsigned int port;
	int error;

	snprintf(folder, sizeof(folder), SYS_INFINIBAND_MAD "/%s", entry);
	error = sysfs_text(folder, SYS_IB_MAD_DEV, name, sizeof(name));
	if (!error)
		error = sysfs_number(folder, SYS_IB_MAD_PORT, &port);
	if (error)
		return is_lack_of_resources(error) ? error : 0;
	return !strcmp(name, ca_name) && (portnum == ANY_PORT || port == (unsigned int)portnum);
}

/* Returns the number of a umad device by its entry in SYS_INFINIBAND_MAD, or -1 for others. */
static int number_of_entry(const char *entry)
{
	const size_t prefix = strlen(UMAD_PREFIX);
	unsigned long number;
	char *end;

	if (strncmp(entry, UMAD_PREFIX, prefix) != 0 || !isdigit((unsigned char)entry[prefix]))
		return -1;
	number = strtoul(entry + prefix, &end, 10);
	return *end || number > INT_MAX ? -1 : (int)number;
}

/*
 * Returns the lowest number of a port's umad and issm devices, or -ENODEV, -ENOMEM, -EMFILE or
 * -ENFILE. With ANY_PORT, any port of the device will do. All entries are looked at: the kernel
 * numbers up to a thousand umad devices, and libibumad looks at the first 64 only.
 */
static int umad_number(const char *ca_name, int portnum)
{
	DIR *dir = opendir(SYS_INFINIBAND_MAD);
	const struct dirent *entry;
	int found = -ENODEV;
	int match = 0;

	if (!dir)
		return is_lack_of_resources(-errno) ? -errno : -ENODEV;
	while (match >= 0 && (entry = readdir(dir))) {
		int number = number_of_entry(entry->d_name);

		if (number < 0 || (found >= 0 && number > found))
			continue;
		match = is_umad_of(entry->d_name, ca_name, portnum);
		if (match > 0)
			found = number;
	}
	closedir(dir);
	return match < 0 ? match : found;
}

/* Tells whether a device has umad devices. A device that is removed loses them first. */
static bool has_umad(const char *ca_name)
{
	return umad_number(ca_name, ANY_PORT) >= 0;
}

/*
 * Returns why a port of a named device was not found. A device that is just being removed loses
 * the files of its ports, one by one, before its name.
 */
static int why_port_not_found(const char *ca_name, int portnum)
{
	struct device_ca ca;
	int error = device_ca_get(ca_name, DEVICE_ALL, &ca);

	if (error)
		return error == -EIO && !has_umad(ca_name) ? -ENODEV : error;
	if (!ca.port_count)
		error = -ENODEV;
	else if (portnum && device_ca_port(&ca, portnum))
		error = -EIO;
	else
		error = -ENXIO;
	device_ca_release(&ca);
	return error;
}

static void check_ca(const char *name, void *context)
{
	bool *found = context;

	*found = *found || why_port_not_found(name, 0) == -ENXIO;
}

static int why_no_port_found(void)
{
	bool found = false;
	int count = device_ca_each(check_ca, &found);

	if (is_lack_of_resources(count))
		return count;
	return found ? -ENXIO : -ENODEV;
}

int device_port_get(const char *ca_name, int portnum, enum device_detail detail, umad_port_t *port)
{
	char chosen[UMAD_CA_NAME_LEN];
	const int asked = portnum;
	int error = 0;

	if (portnum < 0 || (ca_name && strlen(ca_name) >= UMAD_CA_NAME_LEN))
		return -EINVAL;
	if (ca_name)
		snprintf(chosen, sizeof(chosen), "%s", ca_name);
	if (!ca_name || !portnum)
		error = choose_port(ca_name, &portnum, chosen);
	if (!error)
		error = attributes_of_port(chosen, portnum, detail, port);
	if (!error || is_lack_of_resources(error))
		return error;
	return ca_name ? why_port_not_found(ca_name, asked) : why_no_port_found();
}

void device_port_release(umad_port_t *port)
{
	attributes_release_port(port);
}

static int copy_pkeys(const umad_port_t *from, struct device_port *to)
{
	size_t bytes = from->pkeys_size * sizeof(*to->pkeys);

	to->pkeys = malloc(bytes ? bytes : 1);
	if (!to->pkeys)
		return -ENOMEM;
	if (bytes)
		memcpy(to->pkeys, from->pkeys, bytes);
	to->pkey_count = from->pkeys_size;
	return 0;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	umad_port_t found;
	int error = device_port_get(ca_name, portnum, DEVICE_ALL, &found);

	if (error)
		return error;
	memcpy(port->ca_name, found.ca_name, sizeof(port->ca_name));
	port->ca_name[sizeof(port->ca_name) - 1] = '\0';
	port->portnum = found.portnum;
	port->lmc = found.lmc <= MOST_LMC ? (uint8_t)found.lmc : 0;
	error = copy_pkeys(&found, port);
	device_port_release(&found);
	return error;
}

void device_port_forget(struct device_port *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
	port->pkey_count = 0;
}

static int device_path(const struct device_port *port, const char *kind, char *path, size_t bytes)
{
	int number = umad_number(port->ca_name, port->portnum);
	char found[32];
	size_t length;

	if (number < 0)
		return number;
	length = (size_t)snprintf(found, sizeof(found), "/dev/infiniband/%s%d", kind, number);
	if (length >= bytes)
		return -ENAMETOOLONG;
	memcpy(path, found, length + 1);
	return 0;
}

int device_issm_path(const struct device_port *port, char *path, size_t bytes)
{
	return device_path(port, "issm", path, bytes);
}

int device_umad_path(const struct device_port *port, char *path, size_t bytes)
{
	return device_path(port, "umad", path, bytes);
}
