/* SPDX-License-Identifier: BSD-2-Clause */
/* A counterpart's message of any length, in memory that grows as it is needed. */
#ifndef VM_MESSAGE_H
#define VM_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/umad.h>

struct message {
	struct ib_user_mad *umad;  /* NULL: nothing yet */
	size_t room;		   /* bytes of MAD */
	unsigned long short_reads; /* that had no room for all of it */
};

/* Returns the MAD in a message. */
static inline uint8_t *message_mad(const struct message *message)
{
	return (uint8_t *)message->umad->data;
}

/* Makes room for @length bytes of MAD. 0 or -ENOMEM. */
int message_reserve(struct message *message, size_t length);

/* Receives the next, with room for a MAD at first. Its bytes of MAD, or -errno; -EAGAIN: none. */
ssize_t message_receive(struct message *message, int fd);

void message_free(struct message *message);

#endif
