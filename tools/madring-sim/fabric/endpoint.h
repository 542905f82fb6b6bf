/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An endpoint: an attached port, and the two places where MADs wait in its host. An SMP waits in
 * the VL15 buffer of the HCA. Every MAD needs a receive buffer, of which the kernel has posted so
 * many to QP0 and as many to QP1. Both are free again when the kernel has taken the MAD, which it
 * does with one MAD after the other. MADs that the HCA sends to itself do not wait.
 */
#ifndef SIM_ENDPOINT_H
#define SIM_ENDPOINT_H

#include "fabric/inside.h"

/*
 * The bytes of an SMP on the wire, all of which its VL15 buffer holds: LRH (8), BTH (12), DETH (8),
 * MAD (256), ICRC (4) and VCRC (2). An SMP has no GRH.
 */
#define VL15_SMP_BYTES 290

struct fabric_work;

struct endpoint {
	struct place place;
	struct worker kernel;	/* takes MADs */
	uint32_t waiting_of[2]; /* MADs that wait for the kernel, by their QP */
	uint32_t node_starts;	/* when those that wait have come; see struct node */
};

/* endpoint_has_wait tells whether a MAD that arrives now has to wait for the kernel. */
bool endpoint_has_wait(const struct fabric *fabric, const struct endpoint *endpoint);

/*
 * endpoint_has_room tells whether a MAD for QP 0 or 1 may wait. False: *@cause is what it has found
 * full.
 */
bool endpoint_has_room(const struct fabric *fabric, struct endpoint *endpoint, unsigned int qp,
		       enum fabric_drop *cause);

/*
 * endpoint_add has a MAD wait, for which there must be room. Returns when the kernel has taken it.
 * endpoint_remove() is to be called then, unless the node was switched off meanwhile.
 */
uint64_t endpoint_add(const struct fabric *fabric, struct endpoint *endpoint, unsigned int qp);
void endpoint_remove(struct endpoint *endpoint, unsigned int qp);

/* endpoints_pause has the kernel at a node's ports take no MAD for so many ns more. */
void endpoints_pause(struct fabric *fabric, const struct node *node, uint64_t ns);

/* endpoints_work adds the work of the kernel at a node's ports. */
void endpoints_work(const struct fabric *fabric, const struct node *node, struct fabric_work *work);

#endif
