/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/device.h"

#define MAX_LANES 64

static struct {
	int near[MAX_LANES], far[MAX_LANES];
	unsigned int opened, closed;
	unsigned int registered;
	uint32_t next_agent;
	int open_error, register_error;
	pthread_t thread;
	atomic_bool stop;
} fake;

void fake_reset(int open_error, int register_error)
{
	for (unsigned int lane = 0; lane < fake.opened; lane++)
		if (fake.far[lane] >= 0)
			close(fake.far[lane]);
	memset(&fake, 0, sizeof(fake));
	fake.open_error = open_error;
	fake.register_error = register_error;
}

unsigned int fake_lanes(void)
{
	return fake.opened - fake.closed;
}

unsigned int fake_agents(void)
{
	return fake.registered;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	if (ca_name && strcmp(ca_name, "fake0") != 0)
		return -ENODEV;
	if (portnum > 1)
		return -ENXIO;
	strcpy(port->ca_name, "fake0");
	port->portnum = 1;
	return 0;
}

int device_lane_open(const struct device_port *port)
{
	int buffer = 4 << 20;
	int pair[2];

	(void)port;
	if (fake.open_error)
		return fake.open_error;
	if (fake.opened == MAX_LANES ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		return -EMFILE;
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
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

int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	(void)fd;
	(void)agent;
	if (fake.register_error)
		return fake.register_error;
	*agent_id = 100 + fake.next_agent++;
	fake.registered++;
	return 0;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	(void)fd;
	(void)agent_id;
	fake.registered--;
}

bool fake_take_from(unsigned int lane, struct fake_umad *umad)
{
	ssize_t length;

	if (fake.far[lane] < 0)
		return false;
	length = read(fake.far[lane], umad->bytes, sizeof(umad->bytes));
	if (length <= 0)
		return false;
	umad->length = (size_t)length;
	umad->lane = lane;
	return true;
}

bool fake_take(struct fake_umad *umad)
{
	for (unsigned int lane = 0; lane < fake.opened; lane++)
		if (fake_take_from(lane, umad))
			return true;
	return false;
}

void fake_send(const struct fake_umad *umad)
{
	struct pollfd room = { .fd = fake.far[umad->lane], .events = POLLOUT };

	while (write(fake.far[umad->lane], umad->bytes, umad->length) < 0 && errno == EAGAIN)
		poll(&room, 1, -1);
}

void fake_make_reply(struct fake_umad *umad)
{
	struct madring_mad_header header;

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
	notice.length = sizeof(struct ib_user_mad) + sizeof(struct madring_mad_header);
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
