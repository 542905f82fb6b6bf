/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives requests, keeps them until Python takes them, and sends the answers. */
#ifndef MADRING_PYTHON_SERVE_H
#define MADRING_PYTHON_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/umad.h>
#include <madring.h>

struct madring_subnet;

/* Holds a copy of a received request. All numbers but those in .mad are in host byte order. */
struct serve_request {
	uint64_t tid;
	uint32_t attr_mod;
	uint16_t attr_id;
	uint16_t lid; /* of the sender */
	uint8_t method;
	uint8_t mad[MADRING_MAD_BYTES];
	struct ib_user_mad umad; /* the address of the sender */
};

/*
 * Holds an agent that receives, and what it has received since serve_taken(). Python only reads it.
 */
struct server {
	struct madring *ring;
	struct madring_agent *agent;
	size_t limit; /* the most entries of .requests */
	size_t count;
	struct serve_request *requests; /* in the order in which they came */
	/*
	 * The requests that came while .requests was full, and those that were longer than a MAD.
	 */
	uint64_t dropped;
	int error; /* the device is gone: -ENODEV; 0: it is not */
};

/*
 * Opens an agent that receives the requests of a class. @oui: of a vendor class, else 0. @methods:
 * method n is bit n % 64 of word n / 64. @limit: how many requests are kept, at least 1. Returns 0,
 * -EINVAL if @limit is 0, -ENOMEM, or an error of madring_subnet_agent_open().
 */
int serve_open(struct madring_subnet *subnet, uint8_t mgmt_class, uint32_t oui,
	       const uint64_t methods[2], size_t limit, struct server **server);

/* Drops what Python has taken. */
void serve_taken(struct server *server);

/*
 * Runs the ring until there is something to take or @timeout_ms have passed. Returns 0, or an error
 * of madring_run().
 */
int serve_run(const struct server *server, int timeout_ms);

/*
 * Sends the response to a request at once. @data: replaces @bytes of the MAD from
 * @offset on. @status: of the MAD. Returns 0, -EINVAL if the data does not fit, -ENOBUFS if no
 * buffer is free, or an error of madring_send() or
 * madring_submit().
 */
int serve_answer(struct server *server, const struct serve_request *request, const void *data,
		 size_t offset, size_t bytes, uint16_t status);

/* Closes the agent, and frees the server.  */
void serve_close(struct server *server);

#endif
