/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (2 * CAPTURE_FILE_PIECE)
#define OLD	     ".old"

/*
 * Creates a file. It must not exist yet, because the fabric's keys will be in it: so nobody has
 * it open, and no link leads to it.
 */
static int create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/*
 * Opens a character device so that no write to it blocks. A device that does not accept a write
 * at once ends the capture.
 */
static int open_device(const char *path)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISCHR(status.st_mode))
		return fd;
	close(fd); /* another kind of file has just replaced the device */
	return -ESPIPE;
}

/* Replaces a file that the caller may write to by a new one. */
static int replace_file(const char *path)
{
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 || unlink(path) < 0)
		return -errno;
	return create_file(path);
}

static int open_path(const char *path, bool *is_device)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? create_file(path) : -errno;
	*is_device = S_ISCHR(status.st_mode);
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
		return replace_file(path);
	case S_IFCHR:
		return open_device(path);
	case S_IFLNK:
		return -ELOOP;
	case S_IFDIR:
		return -EISDIR;
	default:
		return -ESPIPE;
	}
}

int capture_file_open(struct capture_file *file, const char *path, uint64_t most)
{
	*file = (struct capture_file){ .fd = -1, .most = most };
	file->path = strdup(path);
	file->buffer = malloc(BUFFER_BYTES);
	if (!file->path || !file->buffer || asprintf(&file->old_path, "%s" OLD, path) < 0) {
		file->old_path = NULL;
		capture_file_close(file);
		return -ENOMEM;
	}
	file->fd = open_path(path, &file->is_device);
	if (file->fd < 0) {
		int error = file->fd;

		capture_file_close(file);
		return error;
	}
	return 0;
}

/*
 * Returns how many of the buffer's first @bytes belong to whole pieces, and counts the other
 * pieces as lost.
 */
static size_t count_whole_pieces(struct capture_file *file, size_t bytes)
{
	size_t at = 0, whole = 0;
	uint32_t length;

	while (at < file->used) {
		memcpy(&length, file->buffer + at + sizeof(length), sizeof(length));
		at += length;
		if (at <= bytes)
			whole = at;
		else
			file->lost++;
	}
	return whole;
}

/*
 * Ends the file with an error after @done bytes of the buffer were written. The file keeps the
 * whole pieces among them, and is cut after the last one. (A device cannot be cut.)
 */
static void end_file(struct capture_file *file, int error, size_t done)
{
	file->error = error;
	file->written += count_whole_pieces(file, done);
	file->used = 0;
	if (ftruncate(file->fd, (off_t)file->written) < 0)
		return;
}

void capture_file_flush(struct capture_file *file)
{
	size_t done = 0;

	while (!file->error && done < file->used) {
		ssize_t bytes = write(file->fd, file->buffer + done, file->used - done);

		if (bytes > 0)
			done += (size_t)bytes;
		else if (bytes == 0 || errno != EINTR)
			end_file(file, bytes ? -errno : -EIO, done);
	}
	file->written += file->used;
	file->used = 0;
}

int capture_file_close(struct capture_file *file)
{
	int error;

	if (file->fd >= 0) {
		capture_file_flush(file);
		/* On a network file system close(2) may be the first to report an error. */
		if (close(file->fd) < 0 && !file->error)
			file->error = -errno;
	}
	error = file->error;
	free(file->buffer);
	free(file->old_path);
	free(file->path);
	*file = (struct capture_file){ .fd = -1, .error = error };
	return error;
}

void *capture_file_piece(struct capture_file *file, size_t bytes)
{
	void *piece;

	if (file->error || file->full)
		return NULL;
	if (file->written + file->used + bytes > file->most) {
		file->full = true;
		return NULL;
	}
	if (file->used + bytes > BUFFER_BYTES)
		capture_file_flush(file);
	if (file->error)
		return NULL;
	piece = file->buffer + file->used;
	file->used += bytes;
	return piece;
}

void capture_file_renew(struct capture_file *file)
{
	int fd;

	capture_file_flush(file);
	if (file->error)
		return;
	if (rename(file->path, file->old_path) < 0) {
		file->error = -errno;
		return;
	}
	fd = create_file(file->path);
	if (fd < 0) {
		file->error = fd;
		return;
	}
	close(file->fd);
	file->fd = fd;
	file->written = 0;
	file->full = false;
}
