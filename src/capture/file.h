/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that is written piece by piece, through a buffer, and never grows beyond a limit. What
 * goes wrong ends it: it then takes nothing more, and is cut behind the last piece that was written
 * whole. A piece has its length in its second 32-bit word, as pcapng's blocks have.
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
	size_t used;	  /* of the buffer */
	uint64_t written; /* what the file has, without the buffer */
	uint64_t most;
	uint64_t lost; /* pieces that were taken and then could not be written */
	int error;     /* 0, or what ended it */
	bool full;
};

/* Pieces may have so many bytes. */
#define CAPTURE_FILE_PIECE ((size_t)1 << 17)

/*
 * Makes the file, in the place of a file that it may overwrite; only its owner may read it. A
 * character device is opened as it is. Returns 0 or -errno: -ELOOP for a symbolic link, and -ESPIPE
 * for what is neither a file nor a character device.
 */
int capture_file_open(struct capture_file *file, const char *path, uint64_t most);
/* Writes what is left. 0, or what ended it. */
int capture_file_close(struct capture_file *file);

/* Room for a piece of @bytes, which the caller writes at once; NULL: the file takes it not. */
void *capture_file_piece(struct capture_file *file, size_t bytes);
/* Hands what is in the buffer to the kernel. */
void capture_file_flush(struct capture_file *file);
/* Renames a full file, in the place of the one that was full before, and begins another. A device
   is never renamed. */
void capture_file_renew(struct capture_file *file);

#endif
