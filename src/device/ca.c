/* SPDX-License-Identifier: BSD-2-Clause */
/* Which devices and ports there are, and what they are like. */
#include "device/device.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ISSM_PATH_BYTES 256 /* libibumad cuts a path that is longer, and does not say so */

/* Errors that tell nothing of a device. */
static bool is_want(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

int device_ca_get(const char *name, umad_ca_t *ca)
{
	int error;

	if (name && strlen(name) >= UMAD_CA_NAME_LEN)
		return -EINVAL;
	memset(ca, 0, sizeof(*ca));
	error = umad_get_ca(name, ca);
	if (!error || is_want(error))
		return error;
	return error == -ENOENT || error == -ENODEV ? -ENODEV : -EIO;
}

void device_ca_release(umad_ca_t *ca)
{
	umad_release_ca(ca);
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

/* Whether a device has umad devices. One that is removed loses them first. */
static bool has_umad(const char *ca_name)
{
	char path[ISSM_PATH_BYTES];

	for (int portnum = 1; portnum < UMAD_CA_MAX_PORTS; portnum++)
		if (!umad_get_issm_path(ca_name, portnum, path, sizeof(path)))
			return true;
	return false;
}

static bool has_ports(const umad_ca_t *ca)
{
	for (int portnum = 0; portnum < UMAD_CA_MAX_PORTS; portnum++)
		if (ca->ports[portnum])
			return true;
	return false;
}

/*
 * Why libibumad does not find a port of a device: it says EIO for a number that is not there, and
 * ENODEV when none was given and no port will do. A device that is just being removed loses its
 * ports, one file after the other, before its name.
 */
static int named_error(const char *ca_name, int portnum)
{
	umad_ca_t ca;
	int error = device_ca_get(ca_name, &ca);

	if (error)
		return error == -EIO && !has_umad(ca_name) ? -ENODEV : error;
	if (!has_ports(&ca))
		error = -ENODEV;
	else if (portnum && portnum < UMAD_CA_MAX_PORTS && ca.ports[portnum])
		error = -EIO;
	else
		error = -ENXIO;
	device_ca_release(&ca);
	return error;
}

static void note_ca(const char *name, void *context)
{
	bool *found = context;

	*found = *found || named_error(name, 0) == -ENXIO;
}

/* Without a name libibumad falls back on a default device, whose errors tell nothing. */
static int unnamed_error(void)
{
	bool found = false;
	int count = device_ca_each(note_ca, &found);

	if (is_want(count))
		return count;
	return found ? -ENXIO : -ENODEV;
}

int device_port_get(const char *ca_name, int portnum, umad_port_t *port)
{
	if (portnum < 0 || (ca_name && strlen(ca_name) >= UMAD_CA_NAME_LEN))
		return -EINVAL;
	memset(port, 0, sizeof(*port));
	if (umad_get_port(ca_name, portnum, port) < 0)
		return ca_name ? named_error(ca_name, portnum) : unnamed_error();
	/* Or gives that device's first port. (A switch has port 0, whatever was asked for.) */
	if (portnum && port->portnum && port->portnum != portnum) {
		umad_release_port(port);
		return unnamed_error();
	}
	return 0;
}

void device_port_release(umad_port_t *port)
{
	umad_release_port(port);
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
	int error = device_port_get(ca_name, portnum, &found);

	if (error)
		return error;
	memcpy(port->ca_name, found.ca_name, sizeof(port->ca_name));
	port->ca_name[sizeof(port->ca_name) - 1] = '\0';
	port->portnum = found.portnum;
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

int device_issm_path(const struct device_port *port, char *path, size_t bytes)
{
	char found[ISSM_PATH_BYTES] = "";
	size_t length;

	if (umad_get_issm_path(port->ca_name, port->portnum, found, sizeof(found)) < 0)
		return -ENODEV;
	length = strlen(found);
	if (length >= bytes)
		return -ENAMETOOLONG;
	memcpy(path, found, length + 1);
	return 0;
}
