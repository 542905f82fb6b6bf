/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the local devices and their ports, selected by libibumad's rules, but read without it.
 * These functions need no ring, and any thread may call them. Numbers are in host byte order.
 * A ..._get() function stores a copy, which does not change when the device does. The caller owns
 * it until it calls the matching ..._put().
 */
#ifndef MADRING_CA_H
#define MADRING_CA_H

#include <stddef.h>
#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MADRING_CA_NAME_BYTES 64u /* of a device's name, with the null byte */

/* A bit of madring_ca_port.capability_mask (IBA 14.2.5.6, table 156): the port has no QP0. */
#define MADRING_CAPABILITY_SM_DISABLED 0x400u

/* Holds the attributes of a port (PortInfo: IBA 14.2.5.6). */
struct madring_ca_port {
	char ca_name[MADRING_CA_NAME_BYTES];
	unsigned int number; /* 0: the port of a switch itself */
	uint32_t lid;	     /* the first of 2^lmc; 0 when it has none yet */
	uint8_t lmc;
	uint8_t state;	    /* 1 down, 2 initialized, 3 armed, 4 active (IBA 14.2.5.6) */
	uint8_t phys_state; /* 2 polling, 3 disabled, 5 link up */
	uint8_t sm_sl;
	uint32_t sm_lid; /* 0 before a subnet manager has been seen */
	uint32_t rate;	 /* Gb/s */
	uint32_t capability_mask;
	uint64_t guid;
	uint64_t gid_prefix;
	uint8_t gid[16];     /* GID 0 of the port: prefix and GUID, as on the wire */
	char link_layer[20]; /* "InfiniBand" or "Ethernet"; "IB" on old kernels */
	unsigned int pkey_count;
	const uint16_t *pkeys; /* the P_Key table, by index; 0: unused */
};

/* Holds the attributes of a device. */
struct madring_ca {
	char name[MADRING_CA_NAME_BYTES];
	unsigned int node_type; /* 1 channel adapter, 2 switch, 3 router */
	char firmware[20], type[40], hardware[20];
	uint64_t node_guid;
	uint64_t system_guid;
	unsigned int port_count;
	/* Pointers to the ports, in rising order of number. */
	const struct madring_ca_port *const *ports;
};

/*
 * Fills @names with the names of up to @max devices of this machine, in alphabetical order. @names
 * may be NULL when @max is 0.
 * Returns the number of all devices, or -ENOMEM, or an error of reading /sys/class/infiniband.
 */
int madring_ca_names(char (*names)[MADRING_CA_NAME_BYTES], unsigned int max);

/*
 * Stores the attributes of a device and of all its ports. @name: NULL for the device of the default
 * port (madring_port_open()). @ca: set on success; given back by madring_ca_release().
 * Returns 0, or
 *   -ENODEV  there is no such device, or none at all
 *   -EINVAL  the name is longer than libibumad takes (UMAD_CA_NAME_LEN)
 *   -EIO     its attributes cannot be read
 *   -EMFILE, -ENFILE  out of file descriptors
 *   -ENOMEM  out of memory
 */
int madring_ca_get(const char *name, struct madring_ca **ca);

/* Frees what madring_ca_get() stored. Accepts NULL. */
void madring_ca_release(struct madring_ca *ca);

/*
 * Stores the attributes of a port, selected as by madring_port_open(). @port: set on success; given
 * back by madring_ca_port_release().
 * Returns 0, an error of madring_ca_get(), or
 *   -ENXIO   the device has no port of that number; or, when a name or the number is not given, no
 *            port is active or up
 *   -EINVAL  the number is negative
 */
int madring_ca_port_get(const char *ca_name, int portnum, struct madring_ca_port **port);

/*
 * Works as madring_ca_port_get(), but reads only what a subnet manager sets: .lid, .lmc, .state,
 * .sm_lid, .sm_sl and the GID, of which .gid_prefix and .guid are parts. All other members but
 * .ca_name and .number are 0. It reads six files of sysfs, and no P_Key, each of which is in a file
 * of its own. Use it to look at a port often.
 */
int madring_ca_port_get_link(const char *ca_name, int portnum, struct madring_ca_port **port);

/* Frees what madring_ca_port_get() or madring_ca_port_get_link() stored. Accepts NULL. */
void madring_ca_port_release(struct madring_ca_port *port);

/*
 * Fills @guids with the GUIDs of a device's ports, @max at most: guids[n] is that of port n, or 0
 * when there is no port n. @ca_name: as for madring_ca_get(). @guids may be NULL when @max is 0.
 * Returns the highest port number plus one, or an error of madring_ca_get().
 */
int madring_ca_port_guids(const char *ca_name, uint64_t *guids, unsigned int max);

/*
 * Writes the path of a port's issm device to @path. The port is selected as by
 * madring_ca_port_get(). It has the IsSM capability bit (IBA 14.2.5.6) as long as a process keeps
 * that device open.
 * Returns 0, an error of madring_ca_port_get(), or
 *   -ENODEV        the port has no issm device
 *   -ENAMETOOLONG  the path is longer than @bytes
 */
int madring_ca_issm_path(const char *ca_name, int portnum, char *path, size_t bytes);

/*
 * Names the two sides of a physical InfiniBand port. Usually one device has both. Some HCAs show
 * the port, with the same GUID, on two devices: one for subnet management (QP0, classes 0x01 and
 * 0x81), and one for all other classes (QP1), whose capability mask has
 * MADRING_CAPABILITY_SM_DISABLED. A port that consists of several planes has a port of the first
 * device for each plane. One of them is named: an active one if there is one, else one whose link
 * is up.
 */
struct madring_ca_pair {
	uint64_t guid;
	char smi_name[MADRING_CA_NAME_BYTES]; /* "" when there is no such side */
	char gsi_name[MADRING_CA_NAME_BYTES];
	unsigned int smi_port, gsi_port; /* the port's number on that device */
};

/*
 * Fills the array @pairs with the pairs of up to @max InfiniBand ports of this machine that have a
 * GUID.
 * @pairs may be NULL when @max is 0.
 * Returns the number of all pairs, or an error of madring_ca_names().
 */
int madring_ca_pairs_sized(struct madring_ca_pair *pairs, size_t pair_size, unsigned int max);
MADRING_SIZED int madring_ca_pairs(struct madring_ca_pair *pairs, unsigned int max)
{
	return madring_ca_pairs_sized(pairs, sizeof(*pairs), max);
}

/*
 * Finds the pair of a port, which may be either side, and fills @pair. The port is selected as by
 * madring_port_open(), and is that side of the pair, even if another plane's port is active and it
 * is not.
 * Returns 0, an error of madring_ca_port_get(), or
 *   -ENODEV  the port has no GUID, or is no InfiniBand port
 */
int madring_ca_get_pair_sized(const char *ca_name, int portnum, struct madring_ca_pair *pair,
			      size_t pair_size);
MADRING_SIZED int madring_ca_get_pair(const char *ca_name, int portnum,
				      struct madring_ca_pair *pair)
{
	return madring_ca_get_pair_sized(ca_name, portnum, pair, sizeof(*pair));
}

#ifdef __cplusplus
}
#endif
#endif
