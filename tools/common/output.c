/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "output.h"

#define LINKS_MAX 40 /* as many as the kernel follows */

struct output {
	const char *path;
	FILE *stream;  /* NULL: there is no text yet */
	int fd;	       /* of .stream */
	int error;     /* errno of the first failure to write; 0: none has failed */
	bool replaces; /* .path leads to .target, a regular file */
	char target[PATH_MAX];
	char beside[PATH_MAX]; /* the new text until it gets the name of .target; "": none */
	struct stat old;       /* of .target; .st_mode is 0 when there is no such file yet */
};

void output_prepare(void)
{
	int fd;

	/*
	 * The file is open for reading only, so that writing fails as it does to a closed
	 * stream.
	 */
	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int tell_error(const struct output *output, int error)
{
	complain("cannot write %s: %s%s", output->path, strerror(error),
		 output->replaces ? "; the file is left as it was" : "");
	return -1;
}

/* Returns the length of the folder in a path, with its slash; 0 for the current folder. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* Writes the folder of a path and what follows it. Returns 0 or -ENAMETOOLONG. */
static int write_beside(char out[PATH_MAX], const char *path, const char *rest)
{
	int length = snprintf(out, PATH_MAX, "%.*s%s", folder_length(path), path, rest);

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/*
 * Replaces a name by what it leads to as a symbolic link. Returns 1; 0 when it is no link; or
 * -errno.
 */
static int follow_link(char name[PATH_MAX])
{
	char link[PATH_MAX], from[PATH_MAX];
	ssize_t length = readlink(name, link, sizeof(link) - 1);
	int error;

	if (length < 0)
		return errno == EINVAL || errno == ENOENT ? 0 : -errno;
	link[length] = 0;
	memcpy(from, name, PATH_MAX);
	error = write_beside(name, *link == '/' ? "" : from, link);
	return error ? error : 1;
}

static int follow_links(char name[PATH_MAX])
{
	for (int links = 0; links < LINKS_MAX; links++) {
		int followed = follow_link(name);

		if (followed <= 0)
			return followed;
	}
	return -ELOOP;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Returns another descriptor of the standard stream that writes to a file; -1: none does. What else
 * is written to that stream would be lost if the file were replaced; and a socket such as
 * /dev/stdout may lead to cannot be opened.
 */
static int standard_stream(const struct stat *file)
{
	struct stat status;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &status) && is_same_file(file, &status) &&
		    (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
			return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return -1;
}

/* Writes for the stream, and keeps the error, which the stream itself would forget. */
static ssize_t write_text(void *cookie, const char *text, size_t bytes)
{
	struct output *output = cookie;
	size_t done = 0;

	while (done < bytes && !output->error) {
		ssize_t written = write(output->fd, text + done, bytes - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			output->error = errno;
	}
	return (ssize_t)done;
}

/* Makes the stream of a file, or closes the file. Returns 0 or -errno. */
static int make_stream(struct output *output, int fd)
{
	output->fd = fd;
	output->stream = fopencookie(output, "w", (cookie_io_functions_t){ .write = write_text });
	if (output->stream)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* Opens a file that is written to. */
static int open_stream(struct output *output, int fd)
{
	if (fd < 0)
		fd = open(output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : make_stream(output, fd);
}

/*
 * Finds the regular file that is replaced, and whether that is allowed. @status has no mode when
 * there is none yet.
 */
static int find_target(struct output *output, const struct stat *status)
{
	char folder[PATH_MAX];
	int error = write_beside(output->target, "", output->path);

	output->replaces = true;
	output->old = *status;
	if (!error)
		error = follow_links(output->target);
	if (!error)
		error = write_beside(folder, output->target, ".");
	if (error)
		return error;
	if (!output->target[folder_length(output->target)])
		return -EISDIR;
	/* Some links of /proc do not tell the name of the file that they lead to. */
	if (status->st_mode &&
	    (stat(output->target, &output->old) || !is_same_file(status, &output->old)))
		return -ENOENT;
	if ((status->st_mode && access(output->target, W_OK)) || access(folder, W_OK | X_OK))
		return -errno;
	return 0;
}

static int open_path(struct output *output)
{
	struct stat status;
	int fd;

	if (stat(output->path, &status)) {
		status.st_mode = 0;
		return errno == ENOENT ? find_target(output, &status) : -errno;
	}
	fd = standard_stream(&status);
	if (fd >= 0 || !S_ISREG(status.st_mode))
		return open_stream(output, fd);
	return find_target(output, &status);
}

struct output *output_open(const char *path)
{
	struct output *output = calloc(1, sizeof(*output));
	int error;

	if (!output) {
		complain("cannot write %s: %s", path, strerror(ENOMEM));
		return NULL;
	}
	output->path = path;
	error = open_path(output);
	if (!error)
		return output;
	tell_error(output, -error);
	free(output);
	return NULL;
}

/*
 * Gives the new file the owner and the mode of the old one; or the mode that a new file has by the
 * umask.
 */
static bool set_mode(int fd, const struct stat *old)
{
	mode_t mask;

	if (old->st_mode) {
		if (fchown(fd, old->st_uid, old->st_gid))
			errno = 0; /* the program may not give files away */
		return !fchmod(fd, old->st_mode & 07777);
	}
	mask = umask(0);
	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

/*
 * Makes the file beside the target. Its name begins with a dot and has no ending by which other
 * programs would read it, such as .prom.
 */
static int create_beside(struct output *output)
{
	const char *name = output->target + folder_length(output->target);
	char rest[PATH_MAX];
	int fd = -1;

	if (snprintf(rest, sizeof(rest), ".%s.XXXXXX", name) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (write_beside(output->beside, output->target, rest))
		errno = ENAMETOOLONG;
	else
		fd = mkostemp(output->beside, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	*output->beside = 0;
	return -errno;
}

FILE *output_begin(struct output *output)
{
	int fd, error;

	if (output->stream)
		return output->stream;
	fd = create_beside(output);
	error = fd < 0 ? fd : make_stream(output, fd);
	if (!error)
		return output->stream;
	if (fd >= 0)
		unlink(output->beside);
	*output->beside = 0;
	tell_error(output, -error);
	return NULL;
}

/* Writes the new name to the disk, too. If that fails, the file itself is right. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	int fd;

	if (write_beside(folder, path, "."))
		return;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/* Closes the stream and its file. The first error of writing is kept in .error. */
static void close_stream(struct output *output)
{
	if (fclose(output->stream) && !output->error)
		output->error = errno;
	if (*output->beside && !output->error &&
	    (!set_mode(output->fd, &output->old) || fsync(output->fd)))
		output->error = errno;
	if (close(output->fd) && !output->error)
		output->error = errno;
}

/* Replaces the old file by the new one, or removes the new one. */
static void replace_target(struct output *output)
{
	if (!output->error && rename(output->beside, output->target))
		output->error = errno;
	if (output->error)
		unlink(output->beside);
	else
		sync_folder(output->target);
}

int output_close(struct output *output)
{
	int result = 0;

	if (output->stream)
		close_stream(output);
	if (*output->beside)
		replace_target(output);
	if (output->error)
		result = tell_error(output, output->error);
	free(output);
	return result;
}

int output_close_standard(void)
{
	int failed = ferror(stdout);

	/* The errno of an earlier failure is lost, unless fclose() fails as well. */
	errno = 0;
	if (!fclose(stdout) && !failed)
		return 0;
	complain("standard output: %s", strerror(errno ? errno : EIO));
	return -1;
}
