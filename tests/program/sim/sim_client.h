/* SPDX-License-Identifier: BSD-2-Clause */
/* A program on the simulated device, as the tests need it. */
#ifndef SIM_TEST_CLIENT_H
#define SIM_TEST_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#define NODE_INFO     0x0011
#define NOTICE_BYTES  88
#define PATIENCE_MS   10000 /* for what must come */
#define SHORT_MS      100   /* for what must not */
#define PORT_TO_HOST2 3	    /* of the switch */
#define PORT_TO_DEAD  4
#define HERE	      0 /* a path of no hops */

struct message {
	struct ib_user_mad header;
	struct umad_smp smp;
};

/* Opens a file on the first port; the test fails without one. */
int client_open(void);

/* Registers an agent for directed-route SMPs. */
uint32_t client_agent(int fd);

/* Makes a Get(NodeInfo), to this HCA itself or to what is behind a port of the first switch. */
struct message client_request(uint32_t agent, uint32_t tid, unsigned int switch_port,
			      uint32_t timeout_ms);
void client_write(int fd, const struct message *message);
void client_send(int fd, uint32_t agent, uint32_t tid, unsigned int switch_port,
		 uint32_t timeout_ms);

/* Reads what must come, and returns its length. */
ssize_t client_read(int fd, struct message *message);

/* Reads the good answer to @tid. */
void client_expect_reply(int fd, uint32_t tid);
void client_expect_notice(int fd, uint32_t tid);
void client_expect_silence(int fd);

uint32_t client_low_tid(const struct message *message);
uint32_t client_high_tid(const struct message *message);

#endif
