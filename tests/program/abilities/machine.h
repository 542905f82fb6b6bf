/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine with the devices that a test wants: a folder with the files of sysfs, which libibumad
 * reads in place of the simulated fabric's, as madring-sim's preloaded library leads it there.
 */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

#include <stdint.h>

struct machine_port {
	const char *ca;
	unsigned int number;
	uint64_t guid;
	unsigned int state, phys_state;
	uint32_t capability_mask;
	const char *link_layer;
	int umad; /* the number of its umad and issm devices; -1: none */
};

/* Makes a machine without devices, until machine_close(). Runs under madring-sim. */
void machine_open(void);
void machine_close(void);

void machine_add_ca(const char *name, unsigned int node_type, uint64_t node_guid);
void machine_add_port(const struct machine_port *port);
/* Adds a file to a port's P_Keys. @name is the file's name, which is the index in the table. */
void machine_add_pkey(const char *ca, unsigned int port, const char *name, uint16_t pkey);
/* Renames a file below /sys/class, in one step. */
void machine_rename(const char *from, const char *to);
/* Makes @name, below /sys/class, a symbolic link to @to, another entry of its folder. */
void machine_link(const char *name, const char *to);
/* Removes a file, or a folder with all that is in it, below /sys/class. */
void machine_remove(const char *path);

#endif
