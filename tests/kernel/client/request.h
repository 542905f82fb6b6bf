/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to the hosts of a fabric that madring-sim has generated as
 * fat-tree:leafs=1,spines=1,hosts=4 and routed, from its first host. What cannot be done ends the
 * program.
 */
#ifndef KERNEL_REQUEST_H
#define KERNEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* The hosts. Each value is the port of the leaf switch that the host is cabled to. */
enum host { HOST_DEAD = 3, HOST_LIVE = 4, HOST_LATE = 5 };

/*
 * Attributes whose requests can be told apart on the wire. All are of the SMA, so that it answers.
 */
enum attribute { NODE_DESCRIPTION = 0x10, NODE_INFO = 0x11, GUID_INFO = 0x14 };

struct request {
	int agent;
	uint8_t mgmt_class;
	enum host host;
	enum attribute attribute;
	uint32_t tid;
	int timeout_ms, retries;
};

/* A message that was read: a notice, or else an answer. */
struct outcome {
	bool is_notice;
	uint32_t tid;
};

/* Opens a umad file. */
int request_open(void);
/* Registers a client for a class; 0: one that only sends. Returns its number on the file. */
int request_register(int fd, uint8_t mgmt_class);
void request_unregister(int fd, int agent);

/* Writes a request. Returns 0 or -errno. */
int request_try(int fd, const struct request *request);
/* Writes a request, which must not fail. */
void request_write(int fd, const struct request *request);

/* Waits for a message, and reads it. */
struct outcome request_read(int fd);

#endif
