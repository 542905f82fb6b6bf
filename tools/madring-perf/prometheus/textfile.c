/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/complain.h"
#include "common/memory.h"
#include "textfile.h"

/* Drops what was written from the front of the pieces. */
static void drop_written(struct iovec **pieces, size_t *count, size_t written)
{
	while (*count && written >= (*pieces)->iov_len) {
		written -= (*pieces)->iov_len;
		(*pieces)++;
		(*count)--;
	}
	if (*count) {
		(*pieces)->iov_base = (char *)(*pieces)->iov_base + written;
		(*pieces)->iov_len -= written;
	}
}

static bool write_pieces(int fd, struct iovec *pieces, size_t count)
{
	while (count) {
		ssize_t written = writev(fd, pieces, count < IOV_MAX ? (int)count : IOV_MAX);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		drop_written(&pieces, &count, (size_t)written);
	}
	return true;
}

static bool write_page(int fd, const struct exposition *page)
{
	struct iovec *pieces = memory_get(exposition_max_pieces(page), sizeof(*pieces));
	bool written =
		write_pieces(fd, pieces, exposition_pieces(page, EXPOSITION_TEXT, pieces, NULL));
	int error = errno;

	free(pieces);
	errno = error;
	return written;
}

/* Sets the mode that a file has when it is simply created, by the umask. */
static bool set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

static bool fill_file(int fd, const struct exposition *page)
{
	bool good = set_mode(fd) && write_page(fd, page) && !fsync(fd);
	int error = errno;

	if (close(fd) && good)
		return false;
	errno = error;
	return good;
}

/* Returns the length of the folder in a path, with its slash; 0 for the current folder. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* Writes the new name to the disk, too. If that fails, the file itself is right. */
static void sync_folder(const char *path)
{
	char *folder;
	int fd;

	if (asprintf(&folder, "%.*s.", folder_length(path), path) < 0)
		memory_end();
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

static int report_failure(const char *path)
{
	complain("--textfile %s: %s; the file is left as it was", path, strerror(errno));
	return -1;
}

int textfile_write(const char *path, const struct exposition *page)
{
	int length = folder_length(path), fd, result = 0;
	char *beside;

	/* The name does not end in .prom, which the textfile collector would read. */
	if (asprintf(&beside, "%.*s.%s.XXXXXX", length, path, path + length) < 0)
		memory_end();
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		result = report_failure(path);
	} else if (!fill_file(fd, page) || rename(beside, path)) {
		result = report_failure(path);
		unlink(beside);
	} else {
		sync_folder(path);
	}
	free(beside);
	return result;
}
