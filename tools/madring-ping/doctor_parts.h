/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of --doctor. Each adds its findings, and works whatever the others found. */
#ifndef PING_DOCTOR_PARTS_H
#define PING_DOCTOR_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

#include "common/local.h"
#include "finding.h"
#include "options.h"

struct doctor {
	const struct options *options;
	struct findings findings;
	/* The port that is looked at, and its two sides; .port is NULL if there is none. */
	struct madring_ca_port *port;
	int choice_error; /* the -errno for which there is no port */
	struct madring_ca_pair pair;
	bool has_pair;
	/* The ring, and its ports; each is NULL when its error is set. */
	struct local local;
	int ring_error, gsi_error, smi_error;
};

/* Advice where no subnet manager is at work. */
#define START_ONE "start a subnet manager, such as opensm, or look at the log of the one there is"

/* Ends the program when an error says that memory is exhausted: what follows would be wrong. */
void doctor_check_memory(int error);

/* Adds a finding that something was not asked. It is a problem: nobody knows whether it works. */
void doctor_not_asked(struct doctor *doctor, const char *name, const char *why);

/* The kernel, its queues and its limits for this process. */
void doctor_host(struct doctor *doctor);
void doctor_open_files(struct doctor *doctor);

/* Chooses the port as madring_port_open() does, or else the first one that there is. */
void doctor_choose_port(struct doctor *doctor);

/* The umad files of all ports, or of those of the device that the user names. */
void doctor_umad_files(struct doctor *doctor);

/* The state of the port, its addresses and its P_Keys. */
void doctor_port(struct doctor *doctor);

/*
 * Opens a ring as a program does, and the port. doctor_ring() tells of the ring and what it pins,
 * doctor_agents() of the port and what the kernel puts on the wire for it.
 */
void doctor_open(struct doctor *doctor);
void doctor_ring(struct doctor *doctor);
void doctor_agents(struct doctor *doctor);

/* Asks the subnet administration once, to see whether a subnet manager is at work. */
void doctor_subnet(struct doctor *doctor);

/* Asks the node behind the port for a second, as fast as it answers. */
void doctor_probe(struct doctor *doctor);

#endif
