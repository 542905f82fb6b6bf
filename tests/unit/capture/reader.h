/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a pcapng file as its standard has it; whatever is not right in it fails the test. */
#ifndef TESTS_READER_H
#define TESTS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_INTERFACES 8
#define READER_NAME	  80

struct packet {
	unsigned int interface;
	bool sent;
	uint64_t time_ns;
	size_t bytes;	     /* on the wire, without the header of ERF */
	size_t kept;	     /* of them */
	const uint8_t *data; /* from the local route header on */
};

struct reader {
	uint8_t *file;
	size_t size;
	char program[READER_NAME];
	char interface[READER_INTERFACES][READER_NAME];
	unsigned int interfaces;
	struct packet *packet;
	unsigned int packets;
};

void reader_open(struct reader *reader, const char *path);
void reader_close(struct reader *reader);

#endif
