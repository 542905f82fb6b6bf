/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture of all that a ring sends and receives, in a file that Wireshark reads. */
#ifndef MADRING_CAPTURE_H
#define MADRING_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* Zeroed, or NULL: the defaults. */
struct madring_capture_config {
	/* The file grows to this at most: 64 MiB; at least 128 KiB. Then the capture ends, or
	   with .rotate the file is renamed (".old" is added to its name, in the place of the
	   last one) and begun anew. */
	uint64_t max_bytes;
	bool rotate;
	/* Of a MAD, or of a message in segments, so much is kept: 4096; at most 65000. */
	uint32_t mad_bytes;
	/* Must be zero. */
	uint64_t reserved[2];
};

/*
 * Writes every MAD that the ring sends or receives from now on to a pcapng file, until it is
 * closed. Its packets are as they were on the wire, as far as the umad header tells; checksums
 * are 0, and so is the kernel's half of a request's TID. Each port is an interface. A message
 * that the kernel sends or receives in segments is one packet. Notices, and what could not be
 * written, are not in it. The file is its owner's alone to read: keys of the fabric are in it.
 *
 * It is written in pieces of some 100 KiB, and at least once a second while MADs come. When that
 * fails, as on a full disk, the capture ends, and nothing else does: the file keeps what could be
 * written, up to its last whole block, and takes nothing more, even if there is room again.
 * @path: made anew, in the place of a file that may be written; its folder has to be writable. A
 * character device, such as /dev/null, is opened. Never blocks. @config: may be NULL.
 * Returns 0, or
 *   -EALREADY  the ring has one open
 *   -EINVAL    a field of @config is out of range, or a device is to be rotated
 *   -ELOOP     @path is a symbolic link: others may have put it there
 *   -ESPIPE    @path is a pipe, a socket or a block device
 *   -ENOMEM    out of memory
 *   other      of open(2)
 */
int madring_capture_open(struct madring *ring, const char *path,
			 const struct madring_capture_config *config);

/*
 * Ends the capture, and writes what is left. madring_close() does so, too.
 * Returns 0, -ENOENT when none is open, or what the capture was ended by before: -errno of
 * write(2), such as -ENOSPC.
 */
int madring_capture_close(struct madring *ring);

struct madring_capture_info {
	uint64_t captured; /* MADs */
	uint64_t missed;   /* MADs that are not in the file: it was full, or could not be written */
	uint64_t bytes;	   /* of the file */
	int error;	   /* -errno of what ended the capture; 0 */
	bool full;	   /* the file is, and is not rotated */
};

/* How the capture that is open does. Returns 0, or -ENOENT when none is. */
int madring_capture_state(const struct madring *ring, struct madring_capture_info *state);

#ifdef __cplusplus
}
#endif
#endif
