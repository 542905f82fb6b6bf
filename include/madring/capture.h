/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures everything that a ring sends and receives, in a file for Wireshark. */
#ifndef MADRING_CAPTURE_H
#define MADRING_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* Describes a capture. Zeroed fields select the defaults, which the comments give after a colon. */
struct madring_capture_config {
	/* The most bytes of the file: 64 MiB; at least 128 KiB. A full file ends the capture, or,
	   with .rotate, is renamed (".old" is appended to its name, replacing the one before), and
	   a new file begins. */
	uint64_t max_bytes;
	bool rotate;
	/* The most bytes of a MAD, or of a message in segments, in the file: 4096; at most
	   65000. */
	uint32_t mad_bytes;
};

/*
 * Writes every MAD that the ring sends or receives from now on to a pcapng file, until the capture
 * is closed. Packets are as on the wire, as far as the umad header tells. Checksums are 0, and so
 * is the kernel's half of a request's TID. Each port is an interface. A message that the kernel
 * sends or receives in segments is one packet. The file has neither notices of the kernel nor MADs
 * that could not be written. Only its owner may read the file, because it has keys of the fabric.
 *
 * madring writes the file in blocks of about 100 KiB, and at least once a second while MADs arrive.
 * When a write fails, as on a full disk, the capture ends, but the ring continues. The file keeps
 * its last whole block, and takes nothing more, even if there is space again.
 * @path: a new file, which replaces one that may be written; its folder has to be writable. A
 * character device, such as /dev/null, is opened as it is. Never blocks. @config: may be NULL.
 * Returns 0, or
 *   -EALREADY  the ring already has an open capture
 *   -EINVAL    a field of @config is out of range, or .rotate is set for a device
 *   -ELOOP     @path is a symbolic link: others may have put it there
 *   -ESPIPE    @path is a pipe, a socket or a block device
 *   -ENOMEM    out of memory
 *   -EREMOTE   the ring belongs to another thread
 *   other      an error of open(2)
 */
int madring_capture_open_sized(struct madring *ring, const char *path,
			       const struct madring_capture_config *config, size_t config_size);
MADRING_SIZED int madring_capture_open(struct madring *ring, const char *path,
				       const struct madring_capture_config *config)
{
	return madring_capture_open_sized(ring, path, config, sizeof(*config));
}

/*
 * Ends the capture, and writes the remaining MADs. madring_close() does the same.
 * Returns 0, -ENOENT when no capture is open, -EREMOTE when the ring belongs to another thread or
 * to the parent process, or the error that ended the capture before: -errno of write(2), such as
 * -ENOSPC.
 */
int madring_capture_close(struct madring *ring);

/* Holds the state of a capture. */
struct madring_capture_state {
	uint64_t captured; /* MADs */
	uint64_t missed;   /* MADs not in the file: it was full, or could not be written */
	uint64_t bytes;	   /* of the file */
	int error;	   /* the -errno that ended the capture, or 0 */
	bool full;	   /* the file is full, and is not rotated */
};

/* Fills @state with the state of the open capture. Returns 0, or -ENOENT when none is open. */
int madring_capture_get_state_sized(const struct madring *ring, struct madring_capture_state *state,
				    size_t state_size);
MADRING_SIZED int madring_capture_get_state(const struct madring *ring,
					    struct madring_capture_state *state)
{
	return madring_capture_get_state_sized(ring, state, sizeof(*state));
}

#ifdef __cplusplus
}
#endif
#endif
