/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines libc's functions that take a path, an ioctl, or a message, in front of libc's own. A call
 * that is not for the simulated device goes through unchanged.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "shim/redirect.h"
#include "shim/umad_device.h"
#include "shim/umad_file.h"

#define EXPORTED __attribute__((visibility("default")))

typedef int filter(const struct dirent *);
typedef int filter64(const struct dirent64 *);
typedef int compare(const struct dirent **, const struct dirent **);
typedef int compare64(const struct dirent64 **, const struct dirent64 **);

/* The next definitions in the order of loading: libc's, or another preloaded library's. */
static struct {
	int (*open)(const char *, int, ...);
	int (*open64)(const char *, int, ...);
	int (*openat)(int, const char *, int, ...);
	int (*openat64)(int, const char *, int, ...);
	FILE *(*fopen)(const char *, const char *);
	FILE *(*fopen64)(const char *, const char *);
	DIR *(*opendir)(const char *);
	int (*scandir)(const char *, struct dirent ***, filter *, compare *);
	int (*scandir64)(const char *, struct dirent64 ***, filter64 *, compare64 *);
	int (*stat)(const char *, struct stat *);
	int (*stat64)(const char *, struct stat64 *);
	int (*lstat)(const char *, struct stat *);
	int (*lstat64)(const char *, struct stat64 *);
	int (*fstatat)(int, const char *, struct stat *, int);
	int (*fstatat64)(int, const char *, struct stat64 *, int);
	int (*statx)(int, const char *, int, unsigned int, struct statx *);
	int (*access)(const char *, int);
	int (*chdir)(const char *);
	int (*faccessat)(int, const char *, int, int);
	ssize_t (*readlinkat)(int, const char *, char *, size_t);
	int (*ioctl)(int, unsigned long, ...);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*read_chk)(int, void *, size_t, size_t);
	ssize_t (*write)(int, const void *, size_t);
	int (*uname)(struct utsname *);
} next;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Finds the C library's own functions behind those that this library takes over. */
static void find_next(void)
{
	next.open = dlsym(RTLD_NEXT, "open");
	next.open64 = dlsym(RTLD_NEXT, "open64");
	next.openat = dlsym(RTLD_NEXT, "openat");
	next.openat64 = dlsym(RTLD_NEXT, "openat64");
	next.fopen = dlsym(RTLD_NEXT, "fopen");
	next.fopen64 = dlsym(RTLD_NEXT, "fopen64");
	next.opendir = dlsym(RTLD_NEXT, "opendir");
	next.scandir = dlsym(RTLD_NEXT, "scandir");
	next.scandir64 = dlsym(RTLD_NEXT, "scandir64");
	next.stat = dlsym(RTLD_NEXT, "stat");
	next.stat64 = dlsym(RTLD_NEXT, "stat64");
	next.lstat = dlsym(RTLD_NEXT, "lstat");
	next.lstat64 = dlsym(RTLD_NEXT, "lstat64");
	next.fstatat = dlsym(RTLD_NEXT, "fstatat");
	next.fstatat64 = dlsym(RTLD_NEXT, "fstatat64");
	next.statx = dlsym(RTLD_NEXT, "statx");
	next.access = dlsym(RTLD_NEXT, "access");
	next.chdir = dlsym(RTLD_NEXT, "chdir");
	next.faccessat = dlsym(RTLD_NEXT, "faccessat");
	next.readlinkat = dlsym(RTLD_NEXT, "readlinkat");
	next.ioctl = dlsym(RTLD_NEXT, "ioctl");
	next.read = dlsym(RTLD_NEXT, "read");
	next.read_chk = dlsym(RTLD_NEXT, "__read_chk");
	next.write = dlsym(RTLD_NEXT, "write");
	next.uname = dlsym(RTLD_NEXT, "uname");
}

/* resolve runs at load, or earlier when another library's constructor calls us. */
static void __attribute__((constructor)) resolve(void)
{
	pthread_once(&once, find_next);
}

static const char *redirected(const char *path, struct redirect *space)
{
	resolve();
	return redirect_path(path, space);
}

static mode_t mode_argument(int flags, va_list arguments)
{
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		return va_arg(arguments, mode_t);
	return 0;
}

static int open_at(int folder, const char *path, int flags, mode_t mode, bool large)
{
	struct redirect space;
	int fd;

	if (device_open(path, flags, &fd))
		return fd;
	path = redirected(path, &space);
	if (!path)
		return -1;
	if (folder == AT_FDCWD)
		return large ? next.open64(path, flags, mode) : next.open(path, flags, mode);
	return large ? next.openat64(folder, path, flags, mode)
		     : next.openat(folder, path, flags, mode);
}

EXPORTED int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_argument(flags, arguments);
	va_end(arguments);
	return open_at(AT_FDCWD, path, flags, mode, false);
}

EXPORTED int open64(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_argument(flags, arguments);
	va_end(arguments);
	return open_at(AT_FDCWD, path, flags, mode, true);
}

EXPORTED int openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_argument(flags, arguments);
	va_end(arguments);
	return open_at(folder, path, flags, mode, false);
}

EXPORTED int openat64(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = mode_argument(flags, arguments);
	va_end(arguments);
	return open_at(folder, path, flags, mode, true);
}

/* __open_2 is called by a fortified program that gives no mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

EXPORTED int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0, false);
}

EXPORTED int __open64_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0, true);
}

EXPORTED int __openat_2(int folder, const char *path, int flags)
{
	return open_at(folder, path, flags, 0, false);
}

EXPORTED int __openat64_2(int folder, const char *path, int flags)
{
	return open_at(folder, path, flags, 0, true);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.fopen(path, mode) : NULL;
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.fopen64(path, mode) : NULL;
}

EXPORTED DIR *opendir(const char *path)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.opendir(path) : NULL;
}

EXPORTED int scandir(const char *path, struct dirent ***list, filter *keep, compare *order)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.scandir(path, list, keep, order) : -1;
}

EXPORTED int scandir64(const char *path, struct dirent64 ***list, filter64 *keep, compare64 *order)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.scandir64(path, list, keep, order) : -1;
}

EXPORTED int stat(const char *path, struct stat *status)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.stat(path, status) : -1;
}

EXPORTED int stat64(const char *path, struct stat64 *status)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.stat64(path, status) : -1;
}

EXPORTED int lstat(const char *path, struct stat *status)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.lstat(path, status) : -1;
}

EXPORTED int lstat64(const char *path, struct stat64 *status)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.lstat64(path, status) : -1;
}

EXPORTED int fstatat(int folder, const char *path, struct stat *status, int flags)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.fstatat(folder, path, status, flags) : -1;
}

EXPORTED int fstatat64(int folder, const char *path, struct stat64 *status, int flags)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.fstatat64(folder, path, status, flags) : -1;
}

EXPORTED int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *status)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.statx(folder, path, flags, mask, status) : -1;
}

EXPORTED int access(const char *path, int mode)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.access(path, mode) : -1;
}

/* Relative paths need no redirection then. */
EXPORTED int chdir(const char *path)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.chdir(path) : -1;
}

EXPORTED int faccessat(int folder, const char *path, int mode, int flags)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.faccessat(folder, path, mode, flags) : -1;
}

/*
 * readlink does without libc's function: jemalloc calls it while it prepares the first allocation,
 * and dlsym(3) allocates before glibc 2.34.
 */
EXPORTED ssize_t readlink(const char *path, char *target, size_t size)
{
	struct redirect space;

	path = redirect_path(path, &space);
	return path ? (ssize_t)syscall(SYS_readlinkat, AT_FDCWD, path, target, size) : -1;
}

EXPORTED ssize_t readlinkat(int folder, const char *path, char *target, size_t size)
{
	struct redirect space;

	path = redirected(path, &space);
	return path ? next.readlinkat(folder, path, target, size) : -1;
}

EXPORTED int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	int result;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	resolve();
	if (device_ioctl(fd, request, argument, &result))
		return result;
	return next.ioctl(fd, request, argument);
}

EXPORTED ssize_t read(int fd, void *buffer, size_t count)
{
	ssize_t result;

	resolve();
	return umad_file_read(fd, buffer, count, &result) ? result : next.read(fd, buffer, count);
}

/* __read_chk is called by a fortified program that knows the buffer's size. */
ssize_t __read_chk(int fd, void *buffer, size_t count, size_t size);

EXPORTED ssize_t __read_chk(int fd, void *buffer, size_t count, size_t size)
{
	ssize_t result;

	resolve();
	if (count <= size && umad_file_read(fd, buffer, count, &result))
		return result;
	return next.read_chk(fd, buffer, count, size);
}

EXPORTED ssize_t write(int fd, const void *buffer, size_t count)
{
	uint32_t agent_id;
	ssize_t result;
	enum umad_write judged;

	resolve();
	judged = umad_file_judge_write(fd, buffer, count, &agent_id);
	result = next.write(fd, buffer, count);
	if (result < 0)
		umad_file_write_failed(fd, buffer, count, &result);
	else if (judged != UMAD_WRITE_GOOD)
		umad_file_refuses_write(fd, judged, count, agent_id, &result);
	return result;
}

/* replace_release puts the simulated kernel's release in place of the real one, if there is one. */
static void replace_release(struct utsname *name)
{
	char release[sizeof(name->release)] = "";
	struct redirect space;
	const char *path = redirected(KERNEL_RELEASE, &space);
	int kept = errno, fd;
	ssize_t length;

	if (path != space.path)
		return;
	fd = next.open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : next.read(fd, release, sizeof(release) - 1);
	if (fd >= 0)
		close(fd);
	errno = kept;
	if (length <= 0)
		return;
	release[strcspn(release, "\n")] = '\0';
	memcpy(name->release, release, sizeof(release));
}

EXPORTED int uname(struct utsname *name)
{
	int result;

	resolve();
	result = next.uname(name);
	if (!result)
		replace_release(name);
	return result;
}
