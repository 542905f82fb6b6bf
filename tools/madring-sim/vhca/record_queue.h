/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that wait to be written, one behind the other. */
#ifndef SIM_VHCA_RECORD_QUEUE_H
#define SIM_VHCA_RECORD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vhca/vhca_abi.h"

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
