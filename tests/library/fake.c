/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/lane_adopt.h"
#include "device/device.h"
#include "device/flags.h"
#include "device/limits.h"

#define MAX_LANES   64
#define LANE_AGENTS 32
#define NAME	    "fake0"
/* Nobody waits as long for a busy machine. */
#define ROOM_MS 120000

/* A message that is not in the socket. */
struct waiting {
	struct waiting *next;
	size_t length;
	uint8_t bytes[];
};

static struct {
	int near[MAX_LANES], far[MAX_LANES];
	struct waiting *waiting[MAX_LANES]; /* the first is a long one */
	unsigned int opened, closed;
	struct fake_agent {
		bool registered;
		struct device_agent device;
	} agent[MAX_LANES][LANE_AGENTS];
	int open_error, register_error, read_error;
	uint32_t request_limit;
	bool removed;
	struct fake_port port;
	pthread_t thread;
	atomic_bool stop;
} fake = { .port.lid = FAKE_LID };

/* Sending, and reading long messages, may be done by two threads. */
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

static void drop_waiting(unsigned int lane)
{
	while (fake.waiting[lane]) {
		struct waiting *first = fake.waiting[lane];

		fake.waiting[lane] = first->next;
		free(first);
	}
}

void fake_reset(int open_error, int register_error)
{
	for (unsigned int lane = 0; lane < fake.opened; lane++) {
		drop_waiting(lane);
		if (fake.far[lane] >= 0)
			close(fake.far[lane]);
	}
	memset(&fake, 0, sizeof(fake));
	fake.port.lid = FAKE_LID;
	fake.open_error = open_error;
	fake.register_error = register_error;
}

struct fake_port *fake_port(void)
{
	return &fake.port;
}

unsigned int fake_lanes(void)
{
	return fake.opened - fake.closed;
}

size_t fake_unread(void)
{
	size_t total = 0;
	int bytes;

	for (unsigned int lane = 0; lane < fake.opened; lane++)
		if (fake.far[lane] >= 0 && !ioctl(fake.far[lane], SIOCOUTQ, &bytes))
			total += (size_t)bytes;
	return total;
}

unsigned int fake_agents(void)
{
	unsigned int count = 0;

	for (unsigned int lane = 0; lane < fake.opened; lane++)
		for (unsigned int id = 0; id < LANE_AGENTS; id++)
			count += fake.agent[lane][id].registered;
	return count;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	if (fake.removed || (ca_name && strcmp(ca_name, NAME) != 0))
		return -ENODEV;
	if (portnum > 1)
		return -ENXIO;
	strcpy(port->ca_name, NAME);
	port->portnum = 1;
	port->lmc = fake.port.lmc;
	return 0;
}

int device_port_get(const char *ca_name, int portnum, enum device_detail detail, umad_port_t *port)
{
	uint16_t *pkeys;

	if (fake.port.error)
		return fake.port.error;
	fake.port.pkey_tables += detail == DEVICE_ALL;
	pkeys = malloc(2 * sizeof(*pkeys));
	if (!pkeys)
		return -ENOMEM;
	pkeys[0] = 0xffff;
	pkeys[1] = FAKE_PKEY;
	*port = (umad_port_t){
		.portnum = portnum,
		.base_lid = fake.port.lid,
		.lmc = fake.port.lmc,
		.sm_lid = fake.port.sm_lid,
		.sm_sl = fake.port.sm_sl,
		.state = fake.port.state,
		.gid_prefix = htobe64(FAKE_PREFIX),
		.port_guid = htobe64(FAKE_GUID),
		.pkeys = pkeys,
		.pkeys_size = 2,
	};
	snprintf(port->ca_name, sizeof(port->ca_name), "%s", ca_name);
	return 0;
}

void device_port_release(umad_port_t *port)
{
	free(port->pkeys);
}

int device_ca_each(void (*each)(const char *name, void *context), void *context)
{
	if (fake.removed)
		return 0;
	each(NAME, context);
	return 1;
}

int device_ca_get(const char *name, enum device_detail detail, struct device_ca *ca)
{
	int error;

	if (fake.removed || (name && strcmp(name, NAME) != 0))
		return -ENODEV;
	*ca = (struct device_ca){ .name = NAME, .port_count = 1 };
	ca->ports = malloc(sizeof(*ca->ports));
	if (!ca->ports)
		return -ENOMEM;
	error = device_port_get(NAME, 1, detail, ca->ports);
	if (error)
		free(ca->ports);
	return error;
}

void device_ca_release(struct device_ca *ca)
{
	device_port_release(ca->ports);
	free(ca->ports);
}

int device_issm_path(const struct device_port *port, char *path, size_t bytes)
{
	(void)port;
	(void)path;
	(void)bytes;
	return -ENODEV;
}

void device_debug(int level)
{
	(void)level;
}

void device_describe(char text[DEVICE_MAD_TEXT], const struct ib_user_mad *umad, size_t bytes,
		     bool sent)
{
	(void)umad;
	snprintf(text, DEVICE_MAD_TEXT, "%s %zu bytes", sent ? "sent" : "received", bytes);
}

void device_port_forget(struct device_port *port)
{
	(void)port;
}

/*
 * Gives a socket room for some thousand MADs, which net.core.wmem_max of a plain system does not
 * allow: for that, a privilege is needed.
 */
static void widen(int fd)
{
	const int bytes = 4 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

int device_lane_open(const struct device_port *port)
{
	int pair[2];

	(void)port;
	if (fake.open_error)
		return fake.open_error;
	if (fake.opened == MAX_LANES ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		return -EMFILE;
	widen(pair[0]);
	widen(pair[1]);
	fake.near[fake.opened] = pair[0];
	fake.far[fake.opened] = pair[1];
	fake.opened++;
	return pair[0];
}

void device_lane_close(int fd)
{
	close(fd);
	fake.closed++;
}

int device_lane_adopt(int fd, const struct device_port *port)
{
	int flags = fcntl(fd, F_GETFL);

	(void)port;
	if (flags < 0)
		return -EBADF;
	if (flags & O_NONBLOCK)
		return 0;
	return fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 1;
}

void device_lane_release(int fd, int adopted)
{
	if (adopted)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

bool device_is_gone(int fd)
{
	struct pollfd state = { .fd = fd };

	return poll(&state, 1, 0) > 0;
}

/* Returns the number of the lane last opened with this descriptor. */
static unsigned int lane_of(int fd)
{
	unsigned int lane = fake.opened;

	while (fake.near[--lane] != fd)
		;
	return lane;
}

int fake_lane_fd(unsigned int lane)
{
	return fake.near[lane];
}

bool fake_takes(int fd, const struct ib_user_mad *umad)
{
	return umad->agent_id < LANE_AGENTS && fake.agent[lane_of(fd)][umad->agent_id].registered;
}

ssize_t device_write(int fd, const struct ib_user_mad *umad, size_t bytes)
{
	ssize_t length;

	if (!fake_takes(fd, umad))
		return -EIO;
	length = write(fd, umad, bytes);
	return length < 0 ? -errno : length;
}

void fake_fail_read(int error)
{
	fake.read_error = error;
}

int device_agent_find(int fd, uint32_t agent_id)
{
	if (fake.removed)
		return -ENODEV;
	return agent_id < LANE_AGENTS && fake.agent[lane_of(fd)][agent_id].registered ? 0 : -ESRCH;
}

static bool takes(const struct fake_agent *agent, uint8_t mgmt_class, uint8_t method)
{
	return agent->registered && agent->device.mgmt_class == mgmt_class &&
	       agent->device.method_mask[method / 64] >> method % 64 & 1;
}

/* Returns the agent that has a method of a class, or NULL. */
static const struct fake_agent *taker(uint8_t mgmt_class, uint8_t method, unsigned int *lane,
				      uint32_t *id)
{
	for (*lane = 0; *lane < fake.opened; (*lane)++)
		for (*id = 0; *id < LANE_AGENTS; (*id)++)
			if (takes(&fake.agent[*lane][*id], mgmt_class, method))
				return &fake.agent[*lane][*id];
	return NULL;
}

static bool is_taken(const struct device_agent *agent)
{
	unsigned int lane;
	uint32_t id;

	for (uint8_t method = 0; method < 128; method++)
		if ((agent->method_mask[method / 64] >> method % 64 & 1) &&
		    taker(agent->mgmt_class, method, &lane, &id))
			return true;
	return false;
}

uint32_t device_request_limit(uint8_t mgmt_class)
{
	(void)mgmt_class;
	return fake.request_limit;
}

void fake_limit_requests(uint32_t limit)
{
	fake.request_limit = limit;
}

uint32_t device_flags(int fd)
{
	(void)fd;
	return UMAD_USER_RMPP;
}

int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	struct fake_agent *agents = fake.agent[lane_of(fd)];
	uint32_t id = 0;

	if (fake.register_error)
		return fake.register_error;
	while (id < LANE_AGENTS && agents[id].registered)
		id++;
	if (id == LANE_AGENTS)
		return -EUSERS;
	if (agent->flags & ~(uint32_t)UMAD_USER_RMPP || is_taken(agent))
		return -EINVAL;
	agents[id] = (struct fake_agent){ .registered = true, .device = *agent };
	*agent_id = id;
	return 0;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	fake.agent[lane_of(fd)][agent_id].registered = false;
}

bool fake_request(struct fake_umad *umad, uint8_t mgmt_class, uint8_t method, uint64_t tid)
{
	const struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = method,
		.tid = htobe64(tid),
		.attr_id = htobe16(0x11),
	};
	uint32_t id;

	memset(umad, 0, sizeof(*umad));
	umad->length = FAKE_BYTES;
	umad->umad.length = FAKE_BYTES;
	umad->umad.addr.lid = htobe16(77);
	umad->umad.addr.qpn = htobe32(1);
	memcpy(umad->mad, &header, sizeof(header));
	if (!taker(mgmt_class, method, &umad->lane, &id))
		return false;
	umad->umad.agent_id = id;
	return true;
}

size_t fake_take_message(unsigned int lane, void *message, size_t room)
{
	ssize_t length = fake.far[lane] < 0 ? 0 : read(fake.far[lane], message, room);

	return length > 0 ? (size_t)length : 0;
}

bool fake_take_from(unsigned int lane, struct fake_umad *umad)
{
	umad->length = fake_take_message(lane, umad->bytes, sizeof(umad->bytes));
	umad->lane = lane;
	return umad->length > 0;
}

bool fake_take(struct fake_umad *umad)
{
	for (unsigned int lane = 0; lane < fake.opened; lane++)
		if (fake_take_from(lane, umad))
			return true;
	return false;
}

/* Writes a message. Where there is no room for it, another thread has to read. */
static void put(unsigned int lane, const void *message, size_t length)
{
	struct pollfd room = { .fd = fake.far[lane], .events = POLLOUT };

	while (write(fake.far[lane], message, length) < 0 && errno == EAGAIN)
		if (!poll(&room, 1, ROOM_MS)) {
			fprintf(stderr, "nothing reads what the fake device has sent: run the test "
					"as root, or set net.core.wmem_max to 4194304\n");
			abort();
		}
}

static void append(unsigned int lane, const void *message, size_t length)
{
	struct waiting **end = &fake.waiting[lane];
	struct waiting *last = malloc(sizeof(*last) + length);

	if (!last)
		abort();
	last->next = NULL;
	last->length = length;
	memcpy(last->bytes, message, length);
	while (*end)
		end = &(*end)->next;
	*end = last;
}

void fake_send_message(unsigned int lane, const void *message, size_t length)
{
	pthread_mutex_lock(&sending);
	if (!fake.waiting[lane])
		put(lane, message, length < FAKE_BYTES ? length : FAKE_BYTES);
	if (fake.waiting[lane] || length > FAKE_BYTES)
		append(lane, message, length);
	pthread_mutex_unlock(&sending);
}

void fake_send(const struct fake_umad *umad)
{
	fake_send_message(umad->lane, umad->bytes, umad->length);
}

/* Puts all into the socket up to the next long one. */
static void put_waiting(unsigned int lane)
{
	struct waiting *first;

	while ((first = fake.waiting[lane])) {
		put(lane, first->bytes, first->length < FAKE_BYTES ? first->length : FAKE_BYTES);
		if (first->length > FAKE_BYTES)
			return;
		fake.waiting[lane] = first->next;
		free(first);
	}
}

static ssize_t read_waiting(unsigned int lane, void *message, size_t bytes)
{
	struct waiting *first = fake.waiting[lane];
	ssize_t length;

	if (!first || bytes < FAKE_BYTES)
		return first ? -EINVAL : -EAGAIN;
	if (first->length > bytes) {
		memcpy(message, first->bytes, FAKE_BYTES);
		return -ENOSPC;
	}
	length = (ssize_t)first->length;
	memcpy(message, first->bytes, first->length);
	fake.waiting[lane] = first->next;
	free(first);
	put_waiting(lane);
	return length;
}

ssize_t device_read(int fd, struct ib_user_mad *umad, size_t bytes)
{
	unsigned int lane = lane_of(fd);
	ssize_t length = fake.read_error;

	fake.read_error = 0;
	if (length)
		return length;
	pthread_mutex_lock(&sending);
	length = read_waiting(lane, umad, bytes);
	pthread_mutex_unlock(&sending);
	return length;
}

void fake_make_reply(struct fake_umad *umad)
{
	struct madring_mad_hdr header;

	memcpy(&header, umad->mad, sizeof(header));
	header.method |= MADRING_RESPONSE_BIT;
	memcpy(umad->mad, &header, sizeof(header));
}

void fake_answer(struct fake_umad *umad)
{
	fake_make_reply(umad);
	fake_send(umad);
}

void fake_notice(const struct fake_umad *umad)
{
	struct fake_umad notice = *umad;

	notice.umad.status = ETIMEDOUT;
	notice.umad.length = 0;
	notice.length = sizeof(struct ib_user_mad) + sizeof(struct madring_mad_hdr);
	fake_send(&notice);
}

unsigned int fake_answer_all(void)
{
	struct fake_umad umad;
	unsigned int count = 0;

	while (fake_take(&umad)) {
		fake_answer(&umad);
		count++;
	}
	return count;
}

void fake_remove(void)
{
	for (unsigned int lane = 0; lane < fake.opened; lane++) {
		close(fake.far[lane]);
		fake.far[lane] = -1;
	}
	fake.removed = true;
}

void fake_come_back(void)
{
	fake.removed = false;
}

const char *fake_name(void)
{
	return NAME;
}

static void *answer_until_stopped(void *unused)
{
	struct pollfd fds[MAX_LANES];

	(void)unused;
	for (unsigned int lane = 0; lane < fake.opened; lane++)
		fds[lane] = (struct pollfd){ .fd = fake.far[lane], .events = POLLIN };
	while (!atomic_load(&fake.stop)) {
		poll(fds, fake.opened, 20);
		fake_answer_all();
	}
	return NULL;
}

void fake_answering_start(void)
{
	atomic_store(&fake.stop, false);
	if (pthread_create(&fake.thread, NULL, answer_until_stopped, NULL))
		abort();
}

void fake_answering_stop(void)
{
	atomic_store(&fake.stop, true);
	pthread_join(fake.thread, NULL);
}
