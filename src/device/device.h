/* SPDX-License-Identifier: BSD-2-Clause */
/* The device layer: the only code that calls libibumad's functions. */
#ifndef MADRING_DEVICE_H
#define MADRING_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <madring/mad.h>

/*
 * Holds the attributes of a device. libibumad's umad_ca_t has room for the ports 0 to 9 only; an
 * HCA in switchdev mode has one for each of its virtual functions.
 */
struct device_ca {
	char name[UMAD_CA_NAME_LEN];
	unsigned int node_type;
	char fw_ver[20], type[40], hw_ver[20];
	__be64 node_guid, system_guid;
	umad_port_t *ports; /* allocated, in rising order of portnum */
	size_t port_count;
};

/* Returns the port of this number, or NULL if there is none. */
const umad_port_t *device_ca_port(const struct device_ca *ca, int portnum);

/*
 * Says what is read of a port. A table of P_Keys has up to hundreds, each in a file of its own.
 * DEVICE_LINK: the LIDs, the LMC, the SL to the SM, the state, and the GID; all else is 0.
 */
enum device_detail { DEVICE_LINK, DEVICE_NO_PKEYS, DEVICE_ALL };

/*
 * Each reads attributes, which must be released afterwards. `device_ca_get` reads those of a
 * device; NULL means the default port's device. `device_port_get` reads those of a port. They
 * return 0, -ENODEV, -ENXIO (no such port), -EINVAL, -EIO or -ENOMEM.
 */
int device_ca_get(const char *name, enum device_detail detail, struct device_ca *ca);
void device_ca_release(struct device_ca *ca);
int device_port_get(const char *ca_name, int portnum, enum device_detail detail, umad_port_t *port);
void device_port_release(umad_port_t *port);

/*
 * Calls @each with the names of all devices, in alphabetical order. Returns how many there were,
 * or a negative errno.
 */
int device_ca_each(void (*each)(const char *name, void *context), void *context);

/* A local port, found as umad_get_port(3) finds it, with its LMC and its P_Keys at that time. */
struct device_port {
	char ca_name[UMAD_CA_NAME_LEN];
	int portnum;
	uint8_t lmc;
	uint16_t *pkeys; /* in host order */
	unsigned int pkey_count;
};

/*
 * Finds a port. A @ca_name of NULL and a @portnum of 0 mean any. Returns 0, -ENODEV, -ENXIO (no
 * such port), -EINVAL, -EIO or -ENOMEM.
 */
int device_port_find(const char *ca_name, int portnum, struct device_port *port);
void device_port_forget(struct device_port *port);

/*
 * Write the path of a port's issm or umad device. They return 0, -ENODEV, -ENAMETOOLONG, -ENOMEM,
 * -EMFILE or -ENFILE.
 */
int device_issm_path(const struct device_port *port, char *path, size_t bytes);
int device_umad_path(const struct device_port *port, char *path, size_t bytes);

/*
 * Opens a umad file of a port. The file is non-blocking, so that io_uring never hands a read or
 * write that would block to a worker thread. Returns the fd or a negative errno.
 */
int device_lane_open(const struct device_port *port);
void device_lane_close(int fd);

/*
 * Reads the message at the head of a lane's queue; the umad header comes first. Returns its
 * length in bytes or a negative errno. -EAGAIN means that there is none. If the message is longer
 * than @bytes, it stays there. The result is then -ENOSPC, with the header and the first segment
 * in @umad, or -EINVAL.
 */
ssize_t device_read(int fd, struct ib_user_mad *umad, size_t bytes);

/* Writes a message to a lane. Returns its length in bytes or a negative errno. */
ssize_t device_write(int fd, const struct ib_user_mad *umad, size_t bytes);

/*
 * Tells whether the device of a lane has been removed, which the kernel reports by POLLERR. EIO
 * alone is no proof: a write by an agent that is not registered fails with it, too.
 */
bool device_is_gone(int fd);

/* Sets how much libibumad prints on standard error. */
void device_debug(int level);

/* Describes a MAD that was sent or read in one line. @bytes counts the umad header and the MAD. */
#define DEVICE_MAD_TEXT 320
void device_describe(char text[DEVICE_MAD_TEXT], const struct ib_user_mad *umad, size_t bytes,
		     bool sent);

struct device_agent {
	uint8_t mgmt_class, class_version, rmpp_version;
	uint32_t oui;
	uint32_t flags;
	uint64_t method_mask[2]; /* the requests that it receives */
};

/*
 * Registers an agent. Returns 0 and *agent_id, -EUSERS if the file has no place for another
 * agent, or another negative errno of the kernel.
 */
int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id);
void device_agent_unregister(int fd, uint32_t agent_id);

#endif
