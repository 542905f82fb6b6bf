/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "output.h"

void output_prepare(void)
{
	int fd;

	/* The file is open for reading only, so that writing fails as it does to a closed
	   stream. */
	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void tell_error(const char *path, int error)
{
	complain("%s: %s", path ? path : "standard output", strerror(error));
}

FILE *output_open(const char *path)
{
	FILE *out = path ? fopen(path, "a") : stdout;

	if (!out)
		tell_error(path, errno);
	return out;
}

int output_begin(FILE *out, const char *path)
{
	/* EINVAL means a pipe or a device, whose old text needs no removal. */
	if (out == stdout || !ftruncate(fileno(out), 0) || errno == EINVAL)
		return 0;
	tell_error(path, errno);
	return -1;
}

int output_close(FILE *out, const char *path)
{
	int failed = ferror(out);

	/* The errno of an earlier failure is lost, unless fclose() fails as well. */
	errno = 0;
	if (!fclose(out) && !failed)
		return 0;
	tell_error(path, errno ? errno : EIO);
	return -1;
}
