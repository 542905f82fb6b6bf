/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/connection.h"
#include "shim/redirect.h"

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
