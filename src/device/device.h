/* SPDX-License-Identifier: BSD-2-Clause */
/* The device side: the only code that calls libibumad's functions. */
#ifndef MADRING_DEVICE_H
#define MADRING_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <madring/mad.h>

/*
 * The attributes of a device, by name, or with NULL of that of the default port, and of a port.
 * 0, -ENODEV, -ENXIO (of a port), -EINVAL, -EIO or -ENOMEM; on success to be released.
 */
int device_ca_get(const char *name, umad_ca_t *ca);
void device_ca_release(umad_ca_t *ca);
int device_port_get(const char *ca_name, int portnum, umad_port_t *port);
void device_port_release(umad_port_t *port);

/*
 * Calls @each with the names of all devices, in alphabetical order. Returns how many there were, or
 * a negative errno value.
 */
int device_ca_each(void (*each)(const char *name, void *context), void *context);

/* A local port, found as umad_get_port(3) finds it, and its P_Keys as they were then. */
struct device_port {
	char ca_name[UMAD_CA_NAME_LEN];
	int portnum;
	uint16_t *pkeys; /* in host order */
	unsigned int pkey_count;
};

/* @ca_name: NULL for any. @portnum: 0 for any. 0, -ENODEV, -ENXIO, -EINVAL, -EIO or -ENOMEM. */
int device_port_find(const char *ca_name, int portnum, struct device_port *port);
void device_port_forget(struct device_port *port);

/* Write the path of a port's issm, or umad, device. Return 0, -ENODEV or -ENAMETOOLONG. */
int device_issm_path(const struct device_port *port, char *path, size_t bytes);
int device_umad_path(const struct device_port *port, char *path, size_t bytes);

/*
 * Opens one more umad file of a port, non-blocking: a read or write that would have to wait
 * must not be handed to a worker thread. Returns the fd, or a negative errno value.
 */
int device_lane_open(const struct device_port *port);
void device_lane_close(int fd);

/*
 * Reads the message at the head of a lane's queue, umad header first. Returns its length in bytes,
 * or a negative errno value: -EAGAIN when there is none, and when it is longer than @bytes and
 * stays where it is, -EINVAL or, with the header and the first segment read, -ENOSPC.
 */
ssize_t device_read(int fd, struct ib_user_mad *umad, size_t bytes);

/* Writes a message to a lane. Returns its length, or a negative errno value. */
ssize_t device_write(int fd, const struct ib_user_mad *umad, size_t bytes);

/* `device_is_gone` tells whether the device behind a lane has been removed. The kernel tells that
   by POLLERR. EIO alone is no proof: a write by an agent that is not registered fails with it, too.
 */
bool device_is_gone(int fd);

/* How much libibumad says on standard error. */
void device_debug(int level);

/* A MAD that was sent, or read, in a line of words. @bytes: with the umad header. */
#define DEVICE_MAD_TEXT 320
void device_describe(char text[DEVICE_MAD_TEXT], const struct ib_user_mad *umad, size_t bytes,
		     bool sent);

struct device_agent {
	uint8_t mgmt_class, class_version, rmpp_version;
	uint32_t oui;
	uint32_t flags;
	uint64_t method_mask[2]; /* of the requests it takes */
};

/* 0 and *agent_id, -EUSERS when the file has no place for one more, or the kernel's errno. */
int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id);
void device_agent_unregister(int fd, uint32_t agent_id);

#endif
