/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual HCA: an open /dev/vhca, which stands for a node of the fabric. */
#ifndef SIM_VIRTUAL_HCA_H
#define SIM_VIRTUAL_HCA_H

#include "loop/loop.h"
#include "vhca/record.h"
#include "vhca/upcall.h"

struct hca_port {
	int endpoint; /* -1: none is attached */
	struct vhca_port_record told;
};

struct vhca_hca {
	struct source source;
	struct vhca_hca *next; /* of its face */
	char name[VHCA_NAME_BYTES];
	unsigned int port_count;
	struct hca_port port[VHCA_MAX_PORTS + 1]; /* by number; the first is unused */
	struct late_answers late;
	struct record_queue urgent; /* what the device always takes */
	struct record_queue mads;   /* what may have to wait */
	bool waits;		    /* for the device to take more */
	struct {
		uint64_t sent, received; /* MADs, by the kernel */
		uint64_t overflowed;	 /* MADs that it did not take in time */
		uint64_t upcalls, upcalls_failed;
	} counts;
};

/*
 * vhca_hca_open makes the HCA of a node with an open, non-blocking device, whose fd it takes over.
 * Returns 0 or -errno; -EBADMSG: the device does not behave as a vhca.
 */
int vhca_hca_open(struct vhca_hca **hca, struct loop *loop, int fd, const struct attachment *place);

/* vhca_hca_receive takes a packet that has come out at the HCA's port of that number. */
void vhca_hca_receive(struct vhca_hca *hca, unsigned int port, const struct fabric_packet *packet);

/* vhca_hca_expire gives the answers to upcalls that are due. */
void vhca_hca_expire(struct loop *loop, struct vhca_hca *hca);

/* vhca_hca_settle tells the kernel of its ports, and what waits. Returns 0 or -errno. */
int vhca_hca_settle(struct loop *loop, struct vhca_hca *hca);

#endif
