/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device for the tests of the library: stands in for src/device/, and hands out real sockets that
 * speak the umad format. The test plays the far side of them: it takes the writes, and sends any
 * bytes.
 */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring.h>

#define FAKE_BYTES 320 /* a umad header and a MAD */

/* The attributes of the fake port. */
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

/* Sets how many requests of a registration the kernel puts on the wire at once; 0: all. */
void fake_limit_requests(uint32_t limit);

/* Return the count of lanes that are open, and of agents that are registered. */
unsigned int fake_lanes(void);
unsigned int fake_agents(void);
/* Returns the bytes of memory that hold unread messages. */
size_t fake_unread(void);

/* Takes a message of any length that was written on a lane. Returns its bytes; 0: there is none. */
size_t fake_take_message(unsigned int lane, void *message, size_t room);
/* Takes the next MAD that was written on any lane. Returns false if there is none. */
bool fake_take(struct fake_umad *umad);
/* Takes the next MAD that was written on one lane. Returns false if there is none. */
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
/*
 * Tells whether the kernel would take @umad from the file now. It refuses, by EIO, a MAD whose
 * agent is not registered there.
 */
bool fake_takes(int fd, const struct ib_user_mad *umad);
/* Makes the next device_read() return @error. */
void fake_fail_read(int error);
/* Sends the kernel's notice that a request was not answered in time. */
void fake_notice(const struct fake_umad *umad);
/* Answers all that was written. Returns how many. */
unsigned int fake_answer_all(void);
/* Removes the device; fake_come_back() returns it. */
void fake_remove(void);
void fake_come_back(void);
/* Returns the name of the fake device. */
const char *fake_name(void);

/* Holds the attributes of the port that tests change. */
struct fake_port {
	uint16_t lid, sm_lid;
	uint8_t lmc, sm_sl, state;
	int error;		  /* reading the attributes fails with it, unless it is 0 */
	unsigned int pkey_tables; /* how often the P_Keys were read */
};
/* Returns the attributes. fake_reset() makes them those of a port without an SM again. */
struct fake_port *fake_port(void);

/* Starts a thread that answers until it is stopped. */
void fake_answering_start(void);
void fake_answering_stop(void);

#endif
