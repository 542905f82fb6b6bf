/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>
#include <rdma/rdma_user_ioctl.h>

#include "server/protocol.h"
#include "server/umad_socket.h"
#include "shim/redirect.h"
#include "shim/umad_device.h"

#define AGENTS 32 /* of one file, at most */
#define TABLE  4096
#define FILES  65536 /* numbers that are known; a file above is a plain socket */

static _Atomic uint8_t facts[FILES];
static _Atomic uint8_t ports[FILES]; /* 0: not known */

/*
 * The agents of umad files, by the cookies of their sockets, because a file has one cookie and may
 * have several numbers. The upper half of an entry is the lower half of a cookie, and its lower
 * half has a bit for each agent. The server is asked about files that are not in the table.
 */
static _Atomic uint64_t agents[TABLE];

uint8_t umad_facts(int fd)
{
	return fd >= 0 && fd < FILES ? atomic_load_explicit(&facts[fd], memory_order_relaxed) : 0;
}

uint8_t umad_port(int fd)
{
	return umad_facts(fd) ? atomic_load_explicit(&ports[fd], memory_order_relaxed) : 0;
}

static void note_opened(int fd, uint32_t port)
{
	if (fd < 0 || fd >= FILES)
		return;
	atomic_store(&ports[fd], (uint8_t)port);
	atomic_store(&facts[fd], UMAD_FILE_OPEN);
}

static void learn(int fd, enum umad_file_fact fact)
{
	if (fd >= 0 && fd < FILES)
		atomic_fetch_or(&facts[fd], (uint8_t)(UMAD_FILE_OPEN | fact));
}

static bool is_of(uint64_t entry, uint64_t cookie)
{
	return entry >> 32 == (uint32_t)cookie;
}

static void note_agent(uint64_t cookie, uint32_t id, bool is_registered)
{
	uint64_t bit = UINT64_C(1) << id % AGENTS, old = atomic_load(&agents[cookie % TABLE]),
		 entry;

	do {
		entry = is_of(old, cookie) ? old : cookie << 32;
		entry = is_registered ? entry | bit : entry & ~bit;
	} while (!atomic_compare_exchange_weak(&agents[cookie % TABLE], &old, entry));
}

bool umad_knows_agent(uint64_t cookie, uint32_t id)
{
	uint64_t entry = atomic_load(&agents[cookie % TABLE]);

	return is_of(entry, cookie) && id < AGENTS && entry >> id & 1;
}

static int set_errno(int error)
{
	errno = error;
	return -1;
}

uint64_t device_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);
	int kept = errno;

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size))
		cookie = 0;
	errno = kept;
	return cookie;
}

/*
 * Opens a simulated device, which is a connection to the server. Returns the file, or -1 with
 * errno.
 */
static int open_device(enum sim_request_kind kind, uint32_t index, int flags)
{
	struct sim_request request = { .kind = kind, .index = index };
	int fd, error;
	struct sim_reply reply;

	if (!host_tree(&request.tree))
		return set_errno(ENODEV);
	fd = connection_open();
	if (fd < 0)
		return -1;
	socket_raise_buffers(fd);
	request.cookie = device_cookie(fd);
	error = connection_exchange(fd, &request, &reply);
	if (!error && flags & O_NONBLOCK && fcntl(fd, F_SETFL, O_NONBLOCK))
		error = errno;
	if (!error && !(flags & O_CLOEXEC) && fcntl(fd, F_SETFD, 0))
		error = errno;
	if (error) {
		close(fd);
		return set_errno(error);
	}
	if (kind == SIM_OPEN_UMAD)
		note_opened(fd, reply.port);
	return fd;
}

/* is_device tells whether @path is the device @name with a number. */
static bool is_device(const char *path, const char *name, uint32_t *index)
{
	static const char folder[] = "/dev/infiniband/";
	unsigned long number;
	char *end;

	if (strncmp(path, folder, sizeof(folder) - 1))
		return false;
	path += sizeof(folder) - 1;
	if (strncmp(path, name, strlen(name)))
		return false;
	path += strlen(name);
	if (*path < '0' || *path > '9')
		return false;
	number = strtoul(path, &end, 10);
	if (*end || number > INT32_MAX)
		return false;
	*index = (uint32_t)number;
	return true;
}

bool device_open(const char *path, int flags, int *fd)
{
	enum sim_request_kind kind;
	uint32_t index;

	if (!path || !getenv(SIM_ENVIRONMENT))
		return false;
	if (is_device(path, "umad", &index))
		kind = SIM_OPEN_UMAD;
	else if (is_device(path, "issm", &index))
		kind = SIM_OPEN_ISSM;
	else
		return false;
	*fd = open_device(kind, index, flags);
	return true;
}

/*
 * is_same_file tells whether two paths lead to the same file. The folder's name may be a link, and
 * one fabric may take the place of another behind it.
 */
static bool is_same_file(const char *path, const char *other)
{
	struct stat file, other_file;

	if (!strcmp(path, other))
		return true;
	return !stat(path, &file) && !stat(other, &other_file) &&
	       file.st_dev == other_file.st_dev && file.st_ino == other_file.st_ino;
}

bool device_is_umad_file(int fd)
{
	struct sockaddr_un address = { 0 };
	socklen_t size = sizeof(address);
	char path[sizeof(address.sun_path)];
	int kept = errno;
	bool ours;

	if (!redirect_socket(path, sizeof(path)))
		return false;
	ours = !getpeername(fd, (struct sockaddr *)&address, &size) &&
	       address.sun_family == AF_UNIX && is_same_file(path, address.sun_path);
	errno = kept;
	return ours;
}

static int ask(int fd, struct sim_request *request, struct sim_reply *reply)
{
	int control = connection_open(), error;

	memset(reply, 0, sizeof(*reply));
	if (control < 0)
		return -1;
	request->cookie = device_cookie(fd);
	error = connection_exchange(control, request, reply);
	close(control);
	return error ? set_errno(error) : 0;
}

ssize_t device_fetch(int fd, void *buffer, size_t count)
{
	struct sim_request request = {
		.kind = SIM_FETCH,
		.cookie = device_cookie(fd),
		.room = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
	};
	int control = connection_open(), error;
	struct sim_reply reply;
	ssize_t length = 0;
	bool has_ended;

	if (control < 0)
		return -errno;
	error = connection_exchange(control, &request, &reply);
	if (!error || error == ENOSPC)
		length = long_message_receive(control, buffer, count, 0, &has_ended);
	close(control);
	if (error)
		return -error;
	return length > 0 ? length : -EIO;
}

int device_find_agent(int fd, uint32_t agent_id)
{
	struct sim_request request = { .kind = SIM_FIND_AGENT, .agent_id = agent_id };
	struct sim_reply reply;

	return ask(fd, &request, &reply) ? -errno : 0;
}

static int enable_pkey(int fd)
{
	struct sim_request request = { .kind = SIM_ENABLE_PKEY };
	struct sim_reply reply;

	if (ask(fd, &request, &reply))
		return -1;
	learn(fd, UMAD_FILE_NEW_HEADER);
	return 0;
}

/*
 * learn_agent notes what read() must know before the first message comes, and write() before the
 * first is sent.
 */
static void learn_agent(int fd, const struct sim_request *request, uint32_t id)
{
	note_agent(request->cookie, id, true);
	if (request->kind == SIM_REGISTER_AGENT2)
		learn(fd, UMAD_FILE_NEW_HEADER);
	if (request->rmpp_version)
		learn(fd, UMAD_FILE_LONG);
}

static int register_agent(int fd, struct ib_user_mad_reg_req *asked)
{
	struct sim_request request = {
		.kind = SIM_REGISTER_AGENT,
		.qpn = asked->qpn,
		.mgmt_class = asked->mgmt_class,
		.class_version = asked->mgmt_class_version,
		.rmpp_version = asked->rmpp_version,
		.oui = (uint32_t)asked->oui[0] << 16 | (uint32_t)asked->oui[1] << 8 | asked->oui[2],
	};
	struct sim_reply reply;

	_Static_assert(sizeof(request.method_mask) == sizeof(asked->method_mask), "128 methods");
	memcpy(request.method_mask, asked->method_mask, sizeof(request.method_mask));
	if (ask(fd, &request, &reply))
		return -1;
	learn_agent(fd, &request, reply.agent_id);
	asked->id = reply.agent_id;
	return 0;
}

/* Does what the ioctl UMAD_REGISTER_AGENT2 does. Returns 0, or -1 with errno. */
static int register_agent2(int fd, struct ib_user_mad_reg_req2 *asked)
{
	struct sim_request request = {
		.kind = SIM_REGISTER_AGENT2,
		.qpn = asked->qpn,
		.mgmt_class = asked->mgmt_class,
		.class_version = asked->mgmt_class_version,
		.rmpp_version = asked->rmpp_version,
		.oui = asked->oui,
		.flags = asked->flags,
		.method_mask = { asked->method_mask[0], asked->method_mask[1] },
	};
	struct sim_reply reply;

	if (ask(fd, &request, &reply)) {
		if (errno == EINVAL && reply.flags)
			asked->flags = reply.flags;
		return -1;
	}
	learn_agent(fd, &request, reply.agent_id);
	asked->id = reply.agent_id;
	return 0;
}

static int unregister_agent(int fd, const uint32_t *id)
{
	struct sim_request request = { .kind = SIM_UNREGISTER_AGENT, .agent_id = *id };
	struct sim_reply reply;

	note_agent(device_cookie(fd), *id, false);
	return ask(fd, &request, &reply);
}

bool device_ioctl(int fd, unsigned long request, void *argument, int *result)
{
	if (_IOC_TYPE(request) != IB_IOCTL_MAGIC || !device_is_umad_file(fd))
		return false;
	if (!argument && request != IB_USER_MAD_ENABLE_PKEY) {
		*result = set_errno(EFAULT);
		return true;
	}
	switch (request) {
	case IB_USER_MAD_ENABLE_PKEY:
		*result = enable_pkey(fd);
		break;
	case IB_USER_MAD_REGISTER_AGENT:
		*result = register_agent(fd, argument);
		break;
	case IB_USER_MAD_REGISTER_AGENT2:
		*result = register_agent2(fd, argument);
		break;
	case IB_USER_MAD_UNREGISTER_AGENT:
		*result = unregister_agent(fd, argument);
		break;
	default:
		*result = set_errno(ENOTTY);
	}
	return true;
}
