/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests of a program that go over a ring instead of its own umad files. One thread of the
 * process has the ring: the first that needs it.
 */
#ifndef ACCELERATE_EXCHANGE_H
#define ACCELERATE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/umad.h>

/* The most requests that are handed over and not yet taken back. */
#define EXCHANGE_MOST 1024

/* A port as the program has opened it: its arguments of umad_open_port(3). */
struct exchange_port {
	char ca_name[UMAD_CA_NAME_LEN]; /* empty: not given */
	int number;
};

/* exchange_is_open tells whether this thread has the ring, and has opened it. */
bool exchange_is_open(void);

/*
 * exchange_can_serve opens what the requests of a management class need, unless that is open.
 * @timeout_ms: the patience of the agent. Returns 0 or -errno: -EREMOTE in another thread than the
 * one that has the ring, and in a child process.
 */
int exchange_can_serve(const struct exchange_port *port, uint8_t mgmt_class, int timeout_ms);

/*
 * exchange_send queues the request in @umad, which has the 64 bytes of the umad header and a MAD of
 * 256 bytes. @fd, @agent_id: the program's own, by which exchange_receive() finds it. Returns 0 or
 * -errno, and has not taken the request then.
 */
int exchange_send(const struct exchange_port *port, int fd, int agent_id, const void *umad,
		  int timeout_ms);

/*
 * exchange_expire queues @umad as a request that has already timed out. Returns as exchange_send().
 */
int exchange_expire(int fd, int agent_id, const void *umad);

/* exchange_is_waiting tells whether requests of @fd have not been taken back, in this thread. */
bool exchange_is_waiting(int fd);

/*
 * exchange_wait runs the ring until the oldest request of @fd has ended. Returns its status: 0,
 * -ETIMEDOUT, or another -errno, also when the ring fails.
 */
int exchange_wait(int fd);

/*
 * exchange_wait_beside runs the ring until the oldest request of @fd has ended, or the umad file
 * @fd itself has something to read. Returns 1 for the latter, 0 for the former, or -errno when the
 * ring fails.
 */
int exchange_wait_beside(int fd);

/*
 * exchange_receive waits for the oldest request of @fd and writes its reply as umad_recv(3) does;
 * for one without a reply, what the kernel writes then: the umad header with ETIMEDOUT, and the
 * MAD's header. @length: the room for the MAD; becomes its length. Returns the agent's ID, or
 * -errno. The request is gone either way.
 */
int exchange_receive(int fd, void *umad, int *length);

/* exchange_drop forgets the requests of @fd. */
void exchange_drop(int fd);

/* exchange_error explains a -errno that one of these functions has returned. */
const char *exchange_error(int error);

#endif
