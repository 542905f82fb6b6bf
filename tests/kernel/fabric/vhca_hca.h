/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual HCA, from the fabric's side: records through /dev/vhca. */
#ifndef VM_HCA_H
#define VM_HCA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../tools/madring-sim/vhca/vhca_abi.h"

#define HCA_DEVICE "/dev/vhca"
#define HCA_BATCH  64 /* MADs read or written at once */

/*
 * A record of any type that the kernel writes. What is read is only as long as each record's type,
 * and has no gaps.
 */
union hca_record {
	_Alignas(8) struct vhca_record head;
	struct vhca_mad mad;
	struct vhca_upcall_record upcall;
	struct vhca_created created;
	struct vhca_port_caps caps;
	struct vhca_node_desc node_desc;
};

struct hca {
	int fd;
	uint8_t in[HCA_BATCH * sizeof(struct vhca_mad)];
	size_t in_length, in_taken;
	struct vhca_mad *out; /* MADs that wait to be written, in a ring */
	size_t out_room, out_head, out_count;
};

/* Makes the HCA, with the number of MADs that may wait. Returns 0 or -errno. */
int hca_open(struct hca *hca, const struct vhca_create *create, size_t out_room);
void hca_close(struct hca *hca);

/* Returns the header of a record of a type. */
struct vhca_record hca_head(uint16_t type, size_t length, uint8_t port);

/* Writes a record that never waits. Returns 0 or -errno. */
int hca_tell(struct hca *hca, const struct vhca_record *record);

/* Queues a MAD; hca_flush() writes. Returns false if there is no room. */
bool hca_send(struct hca *hca, const struct vhca_mad *mad);
bool hca_has_room(const struct hca *hca, size_t mads);
/* Writes what the stack takes. Returns 0 or -errno. */
int hca_flush(struct hca *hca);

/* Reads what there is, perhaps nothing. Returns 0 or -errno. */
int hca_fill(struct hca *hca);
/* Takes the next record that was read. Returns false if there is none. */
bool hca_next(struct hca *hca, union hca_record *record);

#endif
