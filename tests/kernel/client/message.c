/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"

#include <errno.h>
#include <stdlib.h>

#include "counterpart.h"

#define MAD_BYTES 256

int message_reserve(struct message *message, size_t length)
{
	struct ib_user_mad *umad;

	if (length <= message->room)
		return 0;
	umad = realloc(message->umad, sizeof(*umad) + length);
	if (!umad)
		return -ENOMEM;
	message->umad = umad;
	message->room = length;
	return 0;
}

ssize_t message_receive(struct message *message, int fd)
{
	int error = message_reserve(message, MAD_BYTES);
	ssize_t length = error ? error : counterpart_receive(fd, message->umad, MAD_BYTES);

	if (length != -ENOSPC)
		return length;
	message->short_reads++;
	error = message_reserve(message, message->umad->length - sizeof(struct ib_user_mad));
	return error ? error : counterpart_receive(fd, message->umad, message->room);
}

void message_free(struct message *message)
{
	free(message->umad);
	*message = (struct message){ 0 };
}
