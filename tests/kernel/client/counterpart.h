/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A umad file as programs have it that are not madring: madring's clients are checked against such
 * programs, and answered by them.
 *
 * Messages are a struct ib_user_mad and a MAD behind it. Files are non-blocking. What fails
 * returns -errno.
 */
#ifndef VM_COUNTERPART_H
#define VM_COUNTERPART_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct counterpart_agent {
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t rmpp_version; /* 0: none */
	uint32_t oui;	      /* of a vendor class */
	uint64_t methods;     /* bits of the requests that it serves; 0: a client */
};

/* Opens a port's file. @device: NULL for any; @port: 0 for the first. Returns a descriptor. */
int counterpart_open(const char *device, int port);
void counterpart_close(int fd);

/* Registers an agent. Returns its number on the file. */
int counterpart_register(int fd, const struct counterpart_agent *agent);

/*
 * Opens a port's file and registers an agent, and ends the program when one of them fails. Returns
 * the descriptor, and the agent's @number.
 */
int counterpart_begin(const char *device, int port, const struct counterpart_agent *agent,
		      int *number);

/*
 * Sends a message of @length bytes of MAD, addressed, by an agent. @timeout_ms: for the reply; 0:
 * none is expected. @retries: the kernel's. Returns 0.
 */
int counterpart_send(int fd, int agent, void *umad, size_t length, int timeout_ms, int retries);

/*
 * Receives a message into @room bytes behind its header. Returns the bytes of MAD; -EAGAIN: there
 * is none; -ENOSPC: it is longer, stays where it is, and its header says how long.
 */
ssize_t counterpart_receive(int fd, void *umad, size_t room);

#endif
