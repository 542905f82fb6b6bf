/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel has no call that tells how a umad file was set up. But it checks a write in a fixed
 * order: its length, which depends on the header; the agent; the length of the MAD; and only then
 * the rest of the MAD. So each probe is a write whose memory cannot be read to its end. It fails
 * in one way or the other, and nothing is ever sent.
 *
 * (The kernel's header cannot be included together with libibumad's.)
 */
#include "device/probe.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>

/* The fewest bytes that the kernel accepts after its header: a MAD header and an RMPP header. */
#define LEAST_BYTES 36u
#define MAD_BYTES   256u
#define FILE_AGENTS 32u /* agents of a file have lower numbers */

/*
 * Writes @length bytes, of which only the first @readable ones, from @data, can be read. Returns
 * a negative errno, or 0 if the write succeeded nevertheless.
 */
static int write_unreadable(int fd, const void *data, size_t readable, size_t length)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error = -ENOMEM;

	if (memory == MAP_FAILED)
		return error;
	if (readable)
		memcpy(memory + page - readable, data, readable);
	if (!mprotect(memory + page, page, PROT_NONE))
		error = write(fd, memory + page - readable, length) < 0 ? -errno : 0;
	munmap(memory, 2 * page);
	return error;
}

/*
 * Checks the header by a write that is too short for a header with a P_Key index, and long enough
 * for one without.
 */
static int probe_header(int fd)
{
	int error =
		write_unreadable(fd, NULL, 0, sizeof(struct ib_user_mad_hdr_old) + LEAST_BYTES + 4);

	if (error == -EINVAL)
		return 0;
	return error == -ENOMEM ? error : -EBADFD;
}

int probe_file(int fd)
{
	if (!ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL))
		return 0;
	/* The header cannot be changed any more after an agent has been registered. */
	return errno == EINVAL ? probe_header(fd) : -errno;
}

/* Writes a MAD with a byte too many, which no agent may send. */
int probe_agent(int fd, uint32_t agent_id)
{
	struct {
		struct ib_user_mad_hdr header;
		uint8_t mad[LEAST_BYTES];
	} message = { .header.id = agent_id, .header.lid = 0xffff, .mad = { 1 } };
	int error;

	if (agent_id >= FILE_AGENTS)
		return -ESRCH;
	error = write_unreadable(fd, &message, sizeof(message),
				 sizeof(message.header) + MAD_BYTES + 1);
	if (error == -EIO || error == -ENOMEM)
		return error;
	return 0;
}
