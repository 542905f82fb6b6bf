/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages too long for a socket: the head of one goes over the socket, together with the
 * descriptor of a memfd that holds all of it.
 */
#ifndef SIM_LONG_MESSAGE_H
#define SIM_LONG_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LONG_MESSAGE_HEAD 320 /* bytes */

/* Whether a send has failed for the message's length: more than the socket's buffer, or than the
   kernel has in one piece, some 4 MiB. */
bool long_message_error(int error);

/* 0 or -errno, as of sendmsg() with @flags. */
int long_message_send(int fd, const void *message, size_t length, int flags);

/*
 * Receives one message, long or not, as recvmsg() does with @flags. Returns its length, or -errno.
 * A message of more than @size bytes is cut to @size. 0 is an empty message, or the end: if the
 * socket has SO_PASSCRED, @*has_ended says which. A message with descriptors other than the one
 * memfd is taken for an empty one, and its descriptors are closed.
 */
ssize_t long_message_receive(int fd, void *message, size_t size, int flags, bool *has_ended);

#endif
