/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a pcapng file (draft-ietf-opsawg-pcapng), in the order of bytes that this
 * machine has, with times in ns. Packets are InfiniBand's, each behind a header of ERF, in which
 * form Wireshark dissects them (LINKTYPE_ERF; it has no dissector for LINKTYPE_INFINIBAND).
 */
#ifndef MADRING_CAPTURE_PCAPNG_H
#define MADRING_CAPTURE_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/file.h"

/* False, of all: the file does not take it. */
bool pcapng_section(struct capture_file *file, const char *program);
/* Interfaces are numbered from 0 in the order of these. */
bool pcapng_interface(struct capture_file *file, const char *name);

struct pcapng_packet {
	unsigned int interface;
	bool sent;
	uint64_t time_ns; /* since 1970 */
	size_t bytes;	  /* on the wire, from the local route header on, checksums included */
	size_t kept;	  /* of them, from the first on */
};

/* Where the packet's bytes are to be written, at once; NULL: the file does not take it. */
uint8_t *pcapng_packet(struct capture_file *file, const struct pcapng_packet *packet);

#endif
