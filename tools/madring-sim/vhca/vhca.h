/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The face of virtual HCAs. The kernel's own driver does agents, matching, timeouts and RMPP on
 * them. The face carries packets between the HCAs and the fabric, tells the kernel of the states of
 * its ports, and has the model answer what the kernel asks an HCA's agents.
 */
#ifndef SIM_VHCA_H
#define SIM_VHCA_H

#include "loop/loop.h"

#define VHCA_DEVICE "/dev/vhca"

struct vhca_face;

/* vhca_open returns 0, or -errno with the reason in @why. */
int vhca_open(struct vhca_face **face, const struct loop_config *config, char *why, size_t size);

/* vhca_add gives a node an HCA. Returns 0, or -errno with the reason in @why. */
int vhca_add(struct vhca_face *face, const char *device, const struct attachment *place, char *why,
	     size_t size);
/* vhca_add_open does the same with an open device, whose fd it takes over. */
int vhca_add_open(struct vhca_face *face, int fd, const struct attachment *place, char *why,
		  size_t size);

/* vhca_loop returns the loop that runs the face. Closing the loop closes the face. */
struct loop *vhca_loop(struct vhca_face *face);

#endif
