/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of /dev/vhca, and the fabric's packets and port states that they stand for. */
#ifndef SIM_VHCA_RECORD_H
#define SIM_VHCA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "vhca/vhca_abi.h"

/* A record of any type that is read. */
union record {
	struct vhca_record head;
	struct vhca_mad mad;
	struct vhca_created created;
	struct vhca_upcall_record upcall;
	struct vhca_port_caps caps;
	struct vhca_node_desc node_desc;
};

/*
 * record_take copies the record that @bytes begin with. Returns its length; or 0: there is no whole
 * record of a type that is read, and of an HCA with so many ports.
 */
size_t record_take(const uint8_t *bytes, size_t length, unsigned int ports, union record *record);

struct vhca_record record_head(enum vhca_record_type type, size_t length, unsigned int port);

/*
 * record_to_packet and record_from_packet convert MADs. In a record, a directed route's hop pointer
 * is where the kernel's SMI leaves it and expects it, as on the wire. An endpoint of the fabric has
 * an SMI of its own, and so stands a step further back.
 */
void record_to_packet(const struct vhca_mad *record, struct fabric_packet *packet);
void record_from_packet(const struct fabric_packet *packet, unsigned int port,
			struct vhca_mad *record);

void record_from_port(const struct fabric_port_state *state, const uint16_t pkeys[FABRIC_PKEYS],
		      unsigned int port, struct vhca_port_record *record);

/* A queue of records that wait to be written, one behind the other. */
struct record_queue {
	uint8_t *bytes;
	size_t room, first, end; /* what waits is from first to end */
	uint64_t refused;	 /* records that the device would not take */
};

/* record_queue_push returns false if memory is exhausted, or more than @bound bytes would wait. */
bool record_queue_push(struct record_queue *queue, const struct vhca_record *record, size_t bound);

/* record_queue_write writes what is taken. Returns 0: all; -EAGAIN: the rest waits; or -errno. */
int record_queue_write(struct record_queue *queue, int fd);

void record_queue_free(struct record_queue *queue);

#endif
