/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>

#include "server/protocol.h"
#include "server/route.h"
#include "server/umad_socket.h"
#include "shim/umad_device.h"
#include "shim/umad_file.h"

#define MAD_BYTES   256
#define WRITE_LEAST 36 /* bytes behind the umad header */

/* The lock of reads: no other thread may take a message between a look at it and its receipt. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static size_t header_bytes(uint8_t known)
{
	return known & UMAD_FILE_NEW_HEADER ? sizeof(struct ib_user_mad_hdr)
					    : sizeof(struct ib_user_mad_hdr_old);
}

/* look returns the length of the next message, or -errno. */
static ssize_t look(int fd)
{
	struct ib_user_mad_hdr_old header;
	ssize_t length = recv(fd, &header, sizeof(header), MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);

	if (length < 0)
		return -errno;
	if (length == SIM_MESSAGE_BEGINNING && !header.status && header.length > length)
		return header.length; /* all but the beginning is with the server */
	return length;
}

/* refuse copies the head of a message that is longer than the buffer. The message stays. */
static ssize_t refuse(int fd, void *buffer, size_t count, size_t first, size_t length)
{
	if (length <= first || count < first)
		return -EINVAL;
	if (recv(fd, buffer, first, MSG_PEEK | MSG_DONTWAIT) < 0)
		return -errno;
	return -ENOSPC;
}

/* read_long reads a message whose beginning is next. */
static ssize_t read_long(int fd, void *buffer, size_t count)
{
	ssize_t length = device_fetch(fd, buffer, count);
	uint8_t beginning;

	if (length >= 0 && recv(fd, &beginning, sizeof(beginning), MSG_DONTWAIT) < 0)
		return -errno;
	return length;
}

static ssize_t read_one(int fd, void *buffer, size_t count, size_t first)
{
	ssize_t length = look(fd);

	/* A program that has received the beginning without read() comes for the message. */
	if (length == -EAGAIN && count > SIM_MESSAGE_BEGINNING)
		return device_fetch(fd, buffer, count);
	if (length < 0)
		return length;
	if ((size_t)length > count)
		return refuse(fd, buffer, count, first, (size_t)length);
	if (length > SIM_MESSAGE_BEGINNING)
		return read_long(fd, buffer, count);
	length = recv(fd, buffer, count, MSG_DONTWAIT);
	return length < 0 ? -errno : length;
}

/* wait_for_message sleeps as read() would. Returns 0 or -errno. */
static int wait_for_message(int fd)
{
	uint8_t byte;

	return recv(fd, &byte, sizeof(byte), MSG_PEEK) < 0 ? -errno : 0;
}

static ssize_t read_locked(int fd, void *buffer, size_t count, size_t first)
{
	ssize_t length;

	pthread_mutex_lock(&reading);
	length = read_one(fd, buffer, count, first);
	pthread_mutex_unlock(&reading);
	return length;
}

/*
 * umad_file_read reads if a plain read() would not do. A plain read() does what ib_umad does when
 * there is room for any message that may come. It is also what a file gets that has taken over the
 * number of a closed one.
 */
bool umad_file_read(int fd, void *buffer, size_t count, ssize_t *result)
{
	uint8_t known = umad_facts(fd);
	size_t first = header_bytes(known) + MAD_BYTES;
	ssize_t length;

	if (!known || (count >= SIM_MESSAGE_BEGINNING && !(known & UMAD_FILE_LONG)))
		return false;
	if (!device_is_umad_file(fd))
		return false;
	if (count < header_bytes(known)) {
		length = -EINVAL;
	} else {
		do {
			length = read_locked(fd, buffer, count, first);
			if (length == -EAGAIN)
				length = wait_for_message(fd);
			else
				break;
		} while (!length);
	}
	if (length < 0)
		errno = (int)-length;
	*result = length < 0 ? -1 : length;
	return true;
}

/* copy reads memory that may not be mapped. */
static bool copy(void *to, const void *from, size_t bytes)
{
	struct iovec local = { .iov_base = to, .iov_len = bytes };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)from, .iov_len = bytes };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* unreadable_error returns why ib_umad refuses a message that cannot be read to its end. */
static int unreadable_error(int fd, const void *buffer, size_t count)
{
	/* A file that did not come by open() is taken for one with the new header. */
	uint8_t known = umad_facts(fd);
	size_t first = header_bytes(known ? known : UMAD_FILE_NEW_HEADER);
	uint8_t beginning[sizeof(struct ib_user_mad_hdr) + WRITE_LEAST];
	uint32_t agent_id;
	int error;

	if (count < first + WRITE_LEAST)
		return -EINVAL;
	if (!copy(beginning, buffer, first + WRITE_LEAST))
		return -EFAULT;
	memcpy(&agent_id, beginning, sizeof(agent_id));
	error = device_find_agent(fd, agent_id);
	if (error)
		return error;
	return count > first + MAD_BYTES ? -EINVAL : -EFAULT;
}

bool umad_file_write_failed(int fd, const void *buffer, size_t count, ssize_t *result)
{
	int error = errno, send_error;

	if (error == EFAULT && device_is_umad_file(fd)) {
		errno = -unreadable_error(fd, buffer, count);
		*result = -1;
		return true;
	}
	if (!(umad_facts(fd) & UMAD_FILE_LONG) || !long_message_error(error) ||
	    count > SIM_MESSAGE_MAX + sizeof(struct ib_user_mad_hdr) || !device_is_umad_file(fd)) {
		errno = error;
		return false;
	}
	send_error = long_message_send(fd, buffer, count, MSG_NOSIGNAL);
	if (send_error)
		errno = -send_error;
	*result = send_error ? -1 : (ssize_t)count;
	return true;
}

/*
 * Returns whether 8 bytes can be read. rt_sigprocmask() reads its set before it refuses an unknown
 * operation.
 */
static bool is_readable(const void *memory)
{
	int kept = errno;
	bool is_fault = syscall(SYS_rt_sigprocmask, ~0, memory, NULL, 8) && errno == EFAULT;

	errno = kept;
	return !is_fault;
}

static size_t least_written(int fd)
{
	return header_bytes(umad_facts(fd)) + WRITE_LEAST;
}

/* goes_astray tells whether a message is an SMP whose route ib_mad refuses. */
static bool goes_astray(int fd, const uint8_t *buffer, size_t count)
{
	size_t header = header_bytes(umad_facts(fd));
	unsigned int port = umad_port(fd);
	const uint8_t *mad = buffer + header;

	if (!port || count < header + MAD_BYTES || !is_readable(mad + MAD_BYTES - 8) ||
	    mad[1] != ROUTE_CLASS)
		return false;
	return !route_is_good(mad, port == SIM_SWITCH_PORT, port);
}

enum umad_write umad_file_judge_write(int fd, const void *buffer, size_t count, uint32_t *agent_id)
{
	uint64_t cookie = device_cookie(fd);

	*agent_id = UINT32_MAX;
	if (!cookie)
		return UMAD_WRITE_GOOD;
	if (count < least_written(fd))
		return UMAD_WRITE_DOUBTFUL;
	if (!is_readable(buffer))
		return UMAD_WRITE_GOOD;
	memcpy(agent_id, buffer, sizeof(*agent_id));
	if (!umad_knows_agent(cookie, *agent_id))
		return UMAD_WRITE_DOUBTFUL;
	return goes_astray(fd, buffer, count) ? UMAD_WRITE_ASTRAY : UMAD_WRITE_GOOD;
}

bool umad_file_refuses_write(int fd, enum umad_write judged, size_t count, uint32_t agent_id,
			     ssize_t *result)
{
	int error = -EINVAL;

	if (!device_is_umad_file(fd))
		return false;
	if (judged == UMAD_WRITE_DOUBTFUL && count >= least_written(fd))
		error = device_find_agent(fd, agent_id);
	if (error != -EINVAL && error != -EIO)
		return false; /* the agent is registered, or the server could not be asked */
	errno = -error;
	*result = -1;
	return true;
}
