/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket that is a umad file: its buffers, and the messages that are too long for it. The head
 * of a long message goes over the socket, together with the descriptor of a memfd that holds all of
 * the message.
 */
#ifndef SIM_UMAD_SOCKET_H
#define SIM_UMAD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#define SOCKET_BUFFER (64 << 20) /* bytes; the kernel takes off what it doesn't allow */

/* socket_raise_buffers gives a socket buffers as large as the kernel allows. */
static inline void socket_raise_buffers(int fd)
{
	int bytes = SOCKET_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

#define LONG_MESSAGE_HEAD 320 /* bytes */

/*
 * long_message_error tells whether a send has failed for the message's length: more than the
 * socket's buffer, or than the kernel has in one piece, some 4 MiB.
 */
bool long_message_error(int error);

/* long_message_send returns 0 or -errno, as of sendmsg() with @flags. */
int long_message_send(int fd, const void *message, size_t length, int flags);

/*
 * long_message_receive receives a message, long or not, as recvmsg() does with @flags. Returns its
 * length, or -errno. A message of more than @size bytes is cut to @size. A length of 0 is an empty
 * message, or the end: if the socket has SO_PASSCRED, @*has_ended says which. A message with
 * descriptors other than the one memfd is taken for an empty one, and its descriptors are closed.
 */
ssize_t long_message_receive(int fd, void *message, size_t size, int flags, bool *has_ended);

#endif
