/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local devices and their ports, chosen by the same rules as libibumad, but read without it. No
 * ring is needed, and any thread may call these functions.
 * Numbers are in host order. What a ..._get() function stores is a copy of its own, which does
 * not follow the device, and which the caller gives back by the ..._put() beside it.
 */
#ifndef MADRING_CA_H
#define MADRING_CA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MADRING_CA_NAME_BYTES 64u /* a device's name, its end included */

/* A bit of capability_mask (IBA 14.2.5.6, table 156): the port has no QP0. */
#define MADRING_CAPABILITY_SM_DISABLED 0x400u

struct madring_ca_port {
	char ca_name[MADRING_CA_NAME_BYTES];
	unsigned int number; /* 0: of a switch */
	uint32_t lid;	     /* the first of 2^lmc; 0: none yet */
	uint8_t lmc;
	uint8_t state;	    /* 1 down, 2 initialized, 3 armed, 4 active (IBA 14.2.5.6) */
	uint8_t phys_state; /* 2 polling, 3 disabled, 5 link up */
	uint8_t sm_sl;
	uint32_t sm_lid; /* 0: no subnet manager yet */
	uint32_t rate;	 /* Gb/s */
	uint32_t capability_mask;
	uint64_t guid;
	uint64_t gid_prefix;
	uint8_t gid[16];     /* number 0 of the port's GIDs: prefix and GUID, as on the wire */
	char link_layer[20]; /* "InfiniBand" or "Ethernet"; "IB" of old kernels */
	unsigned int pkey_count;
	const uint16_t *pkeys; /* the P_Key table, by index; 0: unused */
};

struct madring_ca {
	char name[MADRING_CA_NAME_BYTES];
	unsigned int node_type; /* 1 channel adapter, 2 switch, 3 router */
	char firmware[20], type[40], hardware[20];
	uint64_t node_guid;
	uint64_t system_guid;
	unsigned int port_count;
	const struct madring_ca_port *ports; /* by number, rising */
};

/*
 * Fills @names with the names of the devices of this machine, in alphabetical order, @max of
 * them at most. @names may be NULL when @max is 0.
 * Returns how many there are, or -ENOMEM, or -errno of reading /sys/class/infiniband.
 */
int madring_ca_names(char (*names)[MADRING_CA_NAME_BYTES], unsigned int max);

/*
 * The attributes of a device and of all its ports. @name: NULL for the one that the default
 * port is of (madring_port_open). @ca: set on success.
 * Returns 0, or
 *   -ENODEV  there is no such device, or none at all
 *   -EINVAL  the name is longer than libibumad takes (UMAD_CA_NAME_LEN)
 *   -EIO     its attributes cannot be read
 *   -EMFILE, -ENFILE  out of file descriptors
 *   -ENOMEM  out of memory
 */
int madring_ca_get(const char *name, struct madring_ca **ca);
void madring_ca_put(struct madring_ca *ca); /* NULL is accepted */

/*
 * The attributes of a port, found as madring_port_open() finds the one that it opens.
 * Returns 0, or as madring_ca_get(), or
 *   -ENXIO   the device has no port of that number; or, when a name or the number is left
 *            open, there is none that would do
 *   -EINVAL  the number is negative
 */
int madring_ca_port_get(const char *ca_name, int portnum, struct madring_ca_port **port);
void madring_ca_port_put(struct madring_ca_port *port); /* NULL is accepted */

/*
 * Fills @guids with the GUIDs of a device's ports, @max at most: guids[n] is port n's, and 0
 * when there is no port n. @ca_name: as for madring_ca_get(). @guids may be NULL when @max is 0.
 * Returns the highest port number and one, or as madring_ca_get().
 */
int madring_ca_port_guids(const char *ca_name, uint64_t *guids, unsigned int max);

/*
 * Writes the path of the issm device of a port, found as above, to @path. The port has the IsSM
 * capability for as long as a process has that device open.
 * Returns 0, or as madring_ca_port_get(), or
 *   -ENODEV        the port has no such device
 *   -ENAMETOOLONG  the path is longer than @bytes
 */
int madring_ca_issm_path(const char *ca_name, int portnum, char *path, size_t bytes);

/*
 * The two sides of a physical port. Mostly one device has both; some HCAs show the port, its
 * GUID the same, on two devices, one of them for subnet management (QP0, classes 0x01 and 0x81)
 * and one, whose capability mask has MADRING_CAPABILITY_SM_DISABLED, for all others (QP1).
 */
struct madring_ca_pair {
	uint64_t guid;
	char smi_name[MADRING_CA_NAME_BYTES]; /* "": there is no such side */
	char gsi_name[MADRING_CA_NAME_BYTES];
	unsigned int smi_port, gsi_port; /* the port's number on that device */
};

/*
 * Fills @pairs with those of all ports of this machine that have a GUID, @max at most. @pairs
 * may be NULL when @max is 0.
 * Returns how many there are, or as madring_ca_names().
 */
int madring_ca_pairs(struct madring_ca_pair *pairs, unsigned int max);

/*
 * The pair that a port, found as madring_port_open() finds it, is one side of.
 * Returns 0, or as madring_ca_port_get(), or
 *   -ENODEV  the port has no GUID
 */
int madring_ca_pair_get(const char *ca_name, int portnum, struct madring_ca_pair *pair);

#ifdef __cplusplus
}
#endif
#endif
