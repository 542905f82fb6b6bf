/* SPDX-License-Identifier: BSD-2-Clause */
/* The topology that the command line asks for, and the node in it that the command runs on. */
#ifndef SIM_PLACE_H
#define SIM_PLACE_H

#include "loop/loop.h"
#include "options.h"
#include "topology/topology.h"

/* place_load loads the topology. Returns NULL with a message written. */
struct topology *place_load(const struct options *options);

/*
 * place_find finds NODE or NODE:PORT; NULL stands for the first HCA. Port 0 stands for all ports.
 * Returns false with a message written.
 */
bool place_find(const struct topology *topology, const char *place, struct attachment *found);

/*
 * place_make_planes gives the ports of each HCA that has @planes or more the GUID of its first one,
 * before the fabric is opened. Returns false with a message written if the HCA that is attached to
 * cannot have them.
 */
bool place_make_planes(struct topology *topology, const struct attachment *place,
		       unsigned int planes);

#endif
