/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device side of the library over a model of the kernel, with one device of one port for each
 * host that a program runs on.
 */
#include "device/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/flags.h"
#include "device/lane_adopt.h"
#include "device/limits.h"
#include "model_kernel.h"
#include "network.h"

#define CA_NAME	  "model_%u" /* of a host */
#define FULL_PKEY 0xffff

/* Returns the host of a device by its name, or with NULL the first; or -1. */
static int find_host(const char *ca_name)
{
	char name[UMAD_CA_NAME_LEN];

	for (unsigned int host = 0; !kernel_is_gone() && host < network_hosts(); host++) {
		snprintf(name, sizeof(name), CA_NAME, host);
		if (!ca_name || !strcmp(name, ca_name))
			return (int)host;
	}
	return -1;
}

static int fill_port(unsigned int host, umad_port_t *port)
{
	struct fabric_port_state state;

	network_port_state(host, &state);
	*port = (umad_port_t){
		.portnum = (int)network_host_port(host),
		.base_lid = state.lid,
		.lmc = state.lmc,
		.sm_lid = state.sm_lid,
		.sm_sl = state.sm_sl,
		.state = state.state,
		.phys_state = state.phys_state,
		.capmask = htobe32(state.capability_mask),
		.gid_prefix = htobe64(state.gid_prefix),
		.port_guid = htobe64(state.guid),
		.link_layer = "InfiniBand",
	};
	snprintf(port->ca_name, sizeof(port->ca_name), CA_NAME, host);
	port->pkeys = malloc(sizeof(*port->pkeys));
	if (!port->pkeys)
		return -ENOMEM;
	port->pkeys[0] = FULL_PKEY;
	port->pkeys_size = 1;
	return 0;
}

int device_port_get(const char *ca_name, int portnum, enum device_detail detail, umad_port_t *port)
{
	int host = find_host(ca_name);

	(void)detail;
	if (host < 0)
		return -ENODEV;
	if (portnum && portnum != (int)network_host_port((unsigned int)host))
		return -ENXIO;
	return fill_port((unsigned int)host, port);
}

void device_port_release(umad_port_t *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
}

int device_ca_get(const char *name, enum device_detail detail, struct device_ca *ca)
{
	const struct topology_node *node;
	umad_port_t port;
	int error = device_port_get(name, 0, detail, &port);

	if (error)
		return error;
	node = network_host((unsigned int)find_host(name));
	*ca = (struct device_ca){
		.node_type = node->type,
		.node_guid = htobe64(node->node_guid),
		.system_guid = htobe64(node->system_guid),
		.ports = malloc(sizeof(port)),
		.port_count = 1,
	};
	if (!ca->ports) {
		device_port_release(&port);
		return -ENOMEM;
	}
	memcpy(ca->name, port.ca_name, sizeof(ca->name));
	ca->ports[0] = port;
	return 0;
}

void device_ca_release(struct device_ca *ca)
{
	device_port_release(&ca->ports[0]);
	free(ca->ports);
}

int device_ca_each(void (*each)(const char *name, void *context), void *context)
{
	unsigned int hosts = kernel_is_gone() ? 0 : network_hosts();
	char name[UMAD_CA_NAME_LEN];

	for (unsigned int host = 0; host < hosts; host++) {
		snprintf(name, sizeof(name), CA_NAME, host);
		each(name, context);
	}
	return (int)hosts;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	umad_port_t found;
	int error = device_port_get(ca_name, portnum, DEVICE_ALL, &found);

	if (error)
		return error;
	*port = (struct device_port){
		.portnum = found.portnum,
		.pkeys = found.pkeys,
		.pkey_count = found.pkeys_size,
	};
	memcpy(port->ca_name, found.ca_name, sizeof(port->ca_name));
	return 0;
}

void device_port_forget(struct device_port *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
}

static int device_path(const struct device_port *port, const char *kind, char *path, size_t bytes)
{
	int host = find_host(port->ca_name);

	if (host < 0)
		return -ENODEV;
	return (size_t)snprintf(path, bytes, "/dev/infiniband/%s%d", kind, host) < bytes
		       ? 0
		       : -ENAMETOOLONG;
}

int device_issm_path(const struct device_port *port, char *path, size_t bytes)
{
	return device_path(port, "issm", path, bytes);
}

int device_umad_path(const struct device_port *port, char *path, size_t bytes)
{
	return device_path(port, "umad", path, bytes);
}

int device_lane_open(const struct device_port *port)
{
	int host = find_host(port->ca_name);

	return host < 0 ? -ENODEV : kernel_file_open((unsigned int)host);
}

void device_lane_close(int fd)
{
	kernel_file_close(fd);
}

ssize_t device_read(int fd, struct ib_user_mad *umad, size_t bytes)
{
	return kernel_read(fd, umad, bytes);
}

ssize_t device_write(int fd, const struct ib_user_mad *umad, size_t bytes)
{
	int error = kernel_write(fd, umad, bytes);

	return error ? error : (ssize_t)bytes;
}

bool device_is_gone(int fd)
{
	(void)fd;
	return kernel_is_gone();
}

int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	const struct kernel_registration registration = {
		.mgmt_class = agent->mgmt_class,
		.class_version = agent->class_version,
		.method_mask = { agent->method_mask[0], agent->method_mask[1] },
	};
	int error = kernel_register(fd, &registration, agent_id);

	return error == -ENOMEM ? -EUSERS : error;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	kernel_unregister(fd, agent_id);
}

uint32_t device_request_limit(uint8_t mgmt_class)
{
	return kernel_known_limit(mgmt_class);
}

/* No program here opens a umad file of its own, so there is none to adopt. */
int device_lane_adopt(int fd, const struct device_port *port)
{
	(void)fd;
	(void)port;
	return -ENOTTY;
}

void device_lane_release(int fd, int adopted)
{
	(void)fd;
	(void)adopted;
}

int device_agent_find(int fd, uint32_t agent_id)
{
	if (kernel_is_gone())
		return -ENODEV;
	return kernel_has_agent(fd, agent_id) ? 0 : -ESRCH;
}

uint32_t device_flags(int fd)
{
	(void)fd;
	return 0;
}
