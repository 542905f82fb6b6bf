/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/redirect.h"

bool redirect_socket(char *path, size_t size)
{
	const char *folder = getenv(SIM_ENVIRONMENT);
	int length;

	if (!folder)
		return false;
	length = snprintf(path, size, "%s/" SIM_SOCKET, folder);
	return length > 0 && (size_t)length < size;
}

static int set_errno(int error)
{
	errno = error;
	return -1;
}

int connection_open(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (!redirect_socket(address.sun_path, sizeof(address.sun_path)))
		return set_errno(ENODEV);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	while (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		if (errno == EINTR)
			continue;
		error = errno == ENOENT || errno == ECONNREFUSED ? ENODEV : errno;
		close(fd);
		return set_errno(error);
	}
	return fd;
}

int connection_exchange(int fd, struct sim_request *request, struct sim_reply *reply)
{
	ssize_t length;

	request->magic = SIM_MAGIC;
	do {
		length = send(fd, request, sizeof(*request), MSG_NOSIGNAL);
	} while (length < 0 && errno == EINTR);
	if (length != sizeof(*request))
		return EIO;
	do {
		length = recv(fd, reply, sizeof(*reply), 0);
	} while (length < 0 && errno == EINTR);
	if (length != sizeof(*reply) || reply->magic != SIM_MAGIC)
		return EIO;
	return (int)reply->error;
}

/* The host that was found last. */
static struct {
	pthread_mutex_t lock;
	char name[SIM_HOST_BYTES];
	bool is_known;
	uint32_t tree;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *chosen_name(void)
{
	static const char *const variable[] = { SIM_HOST_NAMES };

	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		const char *name = getenv(variable[i]);

		if (name && *name)
			return name;
	}
	return NULL;
}

/* ask returns 0 or an errno. */
static int ask(const char *name, uint32_t *tree)
{
	struct sim_request request = { .kind = SIM_FIND_HOST };
	struct sim_reply reply = { 0 };
	size_t length = strlen(name);
	int fd, error;

	if (length >= sizeof(request.host))
		return ENAMETOOLONG;
	memcpy(request.host, name, length);
	fd = connection_open();
	if (fd < 0)
		return errno;
	error = connection_exchange(fd, &request, &reply);
	close(fd);
	*tree = reply.tree;
	return error;
}

static void find(const char *name)
{
	int error = ask(name, &host.tree);

	host.is_known = !error;
	snprintf(host.name, sizeof(host.name), "%s", name);
	if (error)
		fprintf(stderr, "madring-sim: no node %s to run on: %s\n", name, strerror(error));
}

bool host_tree(uint32_t *tree)
{
	const char *name = chosen_name();
	int kept = errno;
	bool is_known;

	*tree = 0;
	if (!name)
		return true;
	pthread_mutex_lock(&host.lock);
	if (strncmp(name, host.name, sizeof(host.name) - 1))
		find(name);
	is_known = host.is_known;
	*tree = host.tree;
	pthread_mutex_unlock(&host.lock);
	errno = kept;
	return is_known;
}

/* is_below tells whether @path is @prefix or below it. */
static bool is_below(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(path, prefix, length) && (!path[length] || path[length] == '/');
}

/* is_of_kernel tells whether a file says what the kernel is, whichever node asks. */
static bool is_of_kernel(const char *path)
{
	return is_below(path, "/sys/module/ib_core/parameters") || !strcmp(path, KERNEL_RELEASE);
}

static bool is_ours(const char *path)
{
	if (strncmp(path, "/sys/", 5) && strncmp(path, "/dev/", 5) && strncmp(path, "/proc/", 6))
		return false;
	if (strstr(path, "/.."))
		return false;
	return is_of_kernel(path) || is_below(path, "/sys/class/infiniband") ||
	       is_below(path, "/sys/class/infiniband_mad") || is_below(path, "/dev/infiniband");
}

const char *redirect_path(const char *path, struct redirect *space)
{
	const char *folder;
	uint32_t tree = SIM_KERNEL_TREE;
	int length;

	if (!path || !is_ours(path))
		return path;
	folder = getenv(SIM_ENVIRONMENT);
	if (!folder)
		return path;
	if (!is_of_kernel(path) && !host_tree(&tree)) {
		errno = ENOENT;
		return NULL;
	}
	length = snprintf(space->path, sizeof(space->path), "%s/" SIM_TREE "%" PRIu32 "%s", folder,
			  tree, path);
	if (length < 0 || (size_t)length >= sizeof(space->path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return space->path;
}
