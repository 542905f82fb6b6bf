/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RMPP in a time that the test makes pass: one end of each transfer is an agent of the device on
 * the first port, the other is the test itself on the second.
 */
#ifndef SIM_TEST_RMPP_BENCH_H
#define SIM_TEST_RMPP_BENCH_H

#include "server/rmpp.h"

#define HEADER_BYTES  56
#define SEGMENT_BYTES 200
#define CLASS_VERSION 2
#define GET_MULTI     0x14
#define RESPONSE      0x80
#define TID	      7
#define MESSAGE_MAX   (MAD_UMAD_HEADER + 100 * MAD_BYTES)
#define SEGMENTS_MAX  128

/* A MAD that the test's end has received, and its time. */
struct arrival {
	uint64_t ms;
	struct rmpp_header header;
	struct fabric_packet packet;
};

struct bench {
	char *folder;
	struct fabric *fabric;
	struct server *server;
	struct device_port *port;
	struct umad_file *file;
	int program; /* the program's end of the file */
	int peer;    /* the test's endpoint */
	uint16_t lid, peer_lid;
	struct arrival arrival[SEGMENTS_MAX];
	size_t arrived;
};

/* The netlist of the fabric that each test gets. */
extern const char *bench_netlist;
/* The kernel that the server imitates; without a version: the default. */
extern struct kernel bench_kernel;

int bench_open(void **state);
int bench_close(void **state);

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

/* Opens a file for the program and registers its agent there; `bench_open` does so, too. */
void bench_open_file(struct bench *bench);

void pass_time(struct bench *bench, unsigned int ms);

/* Writes a message of @segments segments, as the program. */
void write_message(struct bench *bench, uint8_t method, size_t segments, uint32_t timeout_ms,
		   uint32_t retries);

/* Send a MAD from the test's end; an ACK has the class header of the MAD that it acknowledges. */
void send_header(struct bench *bench, uint8_t method, uint64_t tid,
		 const struct rmpp_header *header);
void send_ack(struct bench *bench, const struct arrival *to, uint32_t segment, uint32_t window);
void send_segment(struct bench *bench, uint8_t method, uint32_t segment, uint8_t flags);

/* Checks the @number-th arrival's time, type and segment; @segment: 0 for a MAD without one. */
void expect(const struct bench *bench, size_t number, uint64_t ms, enum rmpp_type type,
	    uint32_t segment);

/* Check what the program reads next. */
void expect_notice(const struct bench *bench);
void expect_message(struct bench *bench, size_t segments);
void expect_nothing(const struct bench *bench);

#endif
