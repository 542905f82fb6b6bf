/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device for the tests of the library: stands in for src/device/, and hands out real
 * sockets that speak the umad format. The test plays the far side of them: it takes what was
 * written and sends what it likes.
 */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring.h>

#define FAKE_BYTES 320 /* a umad header and a MAD */

/* The port's. */
#define FAKE_LID    0x0110
#define FAKE_PREFIX 0xfe80000000000000
#define FAKE_GUID   0x0002c90300001234
#define FAKE_PKEY   0x8001 /* at index 1 */

struct fake_umad {
	union {
		struct ib_user_mad umad;
		uint8_t bytes[4096];
		struct {
			uint8_t header[sizeof(struct ib_user_mad)];
			uint8_t mad[4096 - sizeof(struct ib_user_mad)];
		};
	};
	size_t length;	   /* of all */
	unsigned int lane; /* in the order of their opening */
};

/* Forgets all lanes; from the next one on, opening fails with @error when that is not 0. */
void fake_reset(int open_error, int register_error);

/* Lanes opened and not closed; agents registered and not unregistered. */
unsigned int fake_lanes(void);
/* Bytes of memory that hold what was sent and has not been read. */
size_t fake_unread(void);
unsigned int fake_agents(void);

/* A message of any length that was written on a lane: how many bytes; 0: none. */
size_t fake_take_message(unsigned int lane, void *message, size_t room);
/* The next MAD that was written on any lane; false: none. */
bool fake_take(struct fake_umad *umad);
/* The same on one lane. */
bool fake_take_from(unsigned int lane, struct fake_umad *umad);
/* Makes a request the reply that a good node would give, and sends it. */
void fake_answer(struct fake_umad *umad);
/* Makes a request its reply, without sending it. */
void fake_make_reply(struct fake_umad *umad);
/* Sends @length bytes, as they are, on the lane they came from. */
void fake_send(const struct fake_umad *umad);
/* Makes a request of LID 77 to the agent that has registered for it. False: there is none. */
bool fake_request(struct fake_umad *umad, uint8_t mgmt_class, uint8_t method, uint64_t tid);
/*
 * Sends a message of any length. As of the kernel, one that is longer than a receive buffer is
 * there for device_read() alone, and those that are sent after it wait behind it; as a socket
 * cannot fail a read, its first FAKE_BYTES bytes come to the other readers.
 */
void fake_send_message(unsigned int lane, const void *message, size_t length);
/* Returns the library's end of a lane. */
int fake_lane_fd(unsigned int lane);
/* Tells whether the kernel would take @umad from the file now. It refuses, by EIO, a MAD whose
   agent is not registered there. */
bool fake_takes(int fd, const struct ib_user_mad *umad);
/* Makes the next device_read() return @error. */
void fake_fail_read(int error);
/* The kernel's notice that a request was not answered in time. */
void fake_notice(const struct fake_umad *umad);
/* Answers all that was written. Returns how many. */
unsigned int fake_answer_all(void);
/* The device is removed, and comes back. */
void fake_remove(void);
void fake_come_back(void);
/* Its name. */
const char *fake_name(void);

/* A thread that answers until it is stopped. */
void fake_answering_start(void);
void fake_answering_stop(void);

#endif
