/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a pcapng file (draft-ietf-opsawg-pcapng), in the machine's byte order, with times
 * in ns. Packets are InfiniBand's, each after an ERF header. Wireshark dissects that form
 * (LINKTYPE_ERF); it has no dissector for LINKTYPE_INFINIBAND.
 */
#ifndef MADRING_CAPTURE_PCAPNG_H
#define MADRING_CAPTURE_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/file.h"

/* Each writes a block. Returns false if the file does not accept it. */
bool pcapng_section(struct capture_file *file, const char *program);
/* The first interface has the number 0, the next one 1, and so on. */
bool pcapng_interface(struct capture_file *file, const char *name);

struct pcapng_packet {
	unsigned int interface;
	bool sent;
	uint64_t time_ns; /* since 1970 */
	size_t bytes;	  /* on the wire, from the local route header to the checksums */
	size_t kept;	  /* how many of them, from the first, are written */
};

/*
 * Writes a packet's headers. Returns where the caller must write .kept bytes at once, or NULL if
 * the file does not accept the packet.
 */
uint8_t *pcapng_packet(struct capture_file *file, const struct pcapng_packet *packet);

#endif
