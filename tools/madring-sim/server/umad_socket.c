/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "server/umad_socket.h"

bool long_message_error(int error)
{
	return error == EMSGSIZE || error == ENOBUFS || error == ENOMEM;
}

/* store returns the descriptor of a memfd that holds the message, or -errno. */
static int store(const uint8_t *message, size_t length)
{
	int fd = memfd_create("madring-sim", MFD_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < length) {
		ssize_t written = pwrite(fd, message + done, length - done, (off_t)done);

		if (written <= 0) {
			int error = written ? errno : ENOSPC;

			if (error == EINTR)
				continue;
			close(fd);
			return -error;
		}
		done += (size_t)written;
	}
	return fd;
}

int long_message_send(int fd, const void *message, size_t length, int flags)
{
	int file = store(message, length), error = 0;
	struct iovec vector = {
		.iov_base = (void *)(uintptr_t)message,
		.iov_len = length < LONG_MESSAGE_HEAD ? length : LONG_MESSAGE_HEAD,
	};
	union {
		struct cmsghdr header;
		uint8_t space[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct msghdr header = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	if (file < 0)
		return file;
	memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
	if (sendmsg(fd, &header, flags) < 0)
		error = -errno;
	close(file);
	return error;
}

/*
 * Takes the descriptors that came with a message. If there is just one, @*fd is that one. Otherwise
 * all of them are closed, and @*fd is -1. Returns false if there were none.
 */
static bool take_descriptors(struct msghdr *header, int *fd)
{
	bool are_several = header->msg_flags & MSG_CTRUNC;
	int next;

	*fd = -1;
	for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control;
	     control = CMSG_NXTHDR(header, control)) {
		if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t end = CMSG_LEN(sizeof(next)); end <= control->cmsg_len;
		     end += sizeof(next)) {
			memcpy(&next, (uint8_t *)control + end - sizeof(next), sizeof(next));
			are_several |= *fd >= 0;
			if (*fd >= 0)
				close(*fd);
			*fd = next;
		}
	}
	if (*fd >= 0 && are_several) {
		close(*fd);
		*fd = -1;
	}
	return *fd >= 0 || are_several;
}

/* load reads only memfds: a read of another file might never end, or block. */
static ssize_t load(int fd, uint8_t *message, size_t size)
{
	struct stat status;
	size_t done = 0;

	if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &status))
		return 0;
	if ((size_t)status.st_size < size)
		size = (size_t)status.st_size;
	while (done < size) {
		ssize_t length = pread(fd, message + done, size - done, (off_t)done);

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return 0;
		done += (size_t)length;
	}
	return (ssize_t)status.st_size;
}

ssize_t long_message_receive(int fd, void *message, size_t size, int flags, bool *has_ended)
{
	struct iovec vector = { .iov_base = message, .iov_len = size };
	union {
		struct cmsghdr header;
		uint8_t space[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr header = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t length = recvmsg(fd, &header, flags | MSG_CMSG_CLOEXEC);
	int file;

	if (length < 0)
		return -errno;
	*has_ended = !length && !header.msg_controllen;
	if (!take_descriptors(&header, &file))
		return length;
	if (file < 0)
		return 0;
	length = load(file, message, size);
	close(file);
	return length;
}
