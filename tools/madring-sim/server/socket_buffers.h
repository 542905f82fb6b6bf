/* SPDX-License-Identifier: BSD-2-Clause */
/* Both ends of a umad file's socket get buffers as large as the kernel allows. */
#ifndef SIM_SOCKET_BUFFERS_H
#define SIM_SOCKET_BUFFERS_H

#include <sys/socket.h>

#define SOCKET_BUFFER (64 << 20) /* bytes; the kernel takes off what it doesn't allow */

static inline void socket_raise_buffers(int fd)
{
	int bytes = SOCKET_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

#endif
