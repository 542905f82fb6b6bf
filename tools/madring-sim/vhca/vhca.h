/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric's face of virtual HCAs: the kernel's own driver sits on them, and does agents,
 * matching, time-outs and RMPP; here packets are carried between them and the fabric, the kernel is
 * told what its ports look like, and what it asks an HCA's agents is answered from the model.
 */
#ifndef SIM_VHCA_H
#define SIM_VHCA_H

#include "loop/loop.h"

#define VHCA_DEVICE "/dev/vhca"

struct vhca_face;

/* 0, or -errno with the reason in @why. */
int vhca_open(struct vhca_face **face, const struct loop_config *config, char *why, size_t size);

/* Gives a node an HCA. 0, or -errno with the reason in @why. */
int vhca_add(struct vhca_face *face, const char *device, const struct attachment *place, char *why,
	     size_t size);
/* The same with a device that is open already and is taken over. */
int vhca_add_open(struct vhca_face *face, int fd, const struct attachment *place, char *why,
		  size_t size);

/* What it runs in, and is closed with. */
struct loop *vhca_loop(struct vhca_face *face);

#endif
