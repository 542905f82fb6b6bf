/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is written in pieces, through a buffer, and never exceeds a limit. An error ends
 * it: it then accepts no more pieces, and is cut after the last whole one. A piece has its length
 * in its second 32-bit word, as a pcapng block does.
 */
#ifndef MADRING_CAPTURE_FILE_H
#define MADRING_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_file {
	int fd;
	bool is_device; /* a character device, such as /dev/null */
	char *path, *old_path;
	uint8_t *buffer;
	size_t used;	  /* bytes of the buffer */
	uint64_t written; /* bytes of the file, without the buffer */
	uint64_t most;
	uint64_t lost; /* pieces that were accepted and could not be written */
	int error;     /* 0, or the error that has ended it */
	bool full;
};

/* The largest size of a piece. */
#define CAPTURE_FILE_PIECE ((size_t)1 << 17)

/*
 * Creates the file, which only its owner may read. It replaces a file that the caller may write
 * to. A character device is opened as it is. Returns 0 or a negative errno: -ELOOP for a symbolic
 * link, -ESPIPE for anything that is neither a file nor a character device.
 */
int capture_file_open(struct capture_file *file, const char *path, uint64_t most);
/* Writes the buffer and closes the file. Returns 0 or the error that has ended it. */
int capture_file_close(struct capture_file *file);

/* Returns room for a piece of @bytes, which the caller must fill at once, or NULL. */
void *capture_file_piece(struct capture_file *file, size_t bytes);
/* Writes the buffer to the file. */
void capture_file_flush(struct capture_file *file);
/*
 * Renames a full file, replacing the previous one, and begins another. A device is never renamed.
 */
void capture_file_renew(struct capture_file *file);

#endif
