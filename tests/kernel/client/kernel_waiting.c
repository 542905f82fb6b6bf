/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that waits for /dev/vhca from before there is an HCA is woken as one that comes later.
 */
#include "cmocka_all.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fabric/vhca_hca.h"

#define SOON_MS 60000

static void create_hca(int fd)
{
	const struct vhca_create create = {
		.head = hca_head(VHCA_CREATE, sizeof(create), 0),
		.version = VHCA_ABI_VERSION,
		.ports = 1,
		.node_guid = 1,
	};

	assert_int_equal(write(fd, &create, sizeof(create)), sizeof(create));
}

static int epoll_for(int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };
	int epoll_fd = epoll_create1(0);

	assert_true(epoll_fd >= 0);
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event), 0);
	return epoll_fd;
}

static void expect_events(int epoll_fd, int timeout_ms, uint32_t events)
{
	struct epoll_event event = { 0 };

	assert_int_equal(epoll_wait(epoll_fd, &event, 1, timeout_ms), events != 0);
	assert_int_equal(event.events, events);
}

/* Reads the greeting, which has the device's name. */
static void read_greeting(int fd, char *name)
{
	_Alignas(8) uint8_t buffer[sizeof(struct vhca_mad)];
	struct vhca_created created;

	assert_int_equal(read(fd, buffer, sizeof(buffer)), sizeof(created));
	memcpy(&created, buffer, sizeof(created));
	assert_int_equal(created.head.type, VHCA_CREATED);
	memcpy(name, created.name, sizeof(created.name));
}

/* Gives the fabric something to read. */
static void describe(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_desc", name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("another name", file);
	assert_int_equal(fclose(file), 0);
}

static void test_epoll(void **state)
{
	int fd = open(HCA_DEVICE, O_RDWR | O_NONBLOCK);
	int in = epoll_for(fd, EPOLLIN), out = epoll_for(fd, EPOLLOUT);
	char name[VHCA_NAME_BYTES];

	expect_events(in, 0, 0);
	expect_events(out, 0, EPOLLOUT);
	create_hca(fd);
	expect_events(in, SOON_MS, EPOLLIN);
	read_greeting(fd, name);
	expect_events(in, 0, 0);
	describe(name);
	expect_events(in, SOON_MS, EPOLLIN);
	close(in);
	close(out);
	close(fd);
}

/* Starts a process that ends with 0 when there is something to read. */
static pid_t start_poll(int fd)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct pollfd pollfd = { .fd = fd, .events = POLLIN };

		_exit(poll(&pollfd, 1, SOON_MS) != 1 || pollfd.revents != POLLIN);
	}
	return pid;
}

/* Waits until the process has gone to sleep. */
static void wait_until_it_waits(pid_t pid)
{
	char path[32], line[256], status = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (status != 'S') {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_non_null(fgets(line, sizeof(line), file));
		status = strrchr(line, ')')[2];
		fclose(file);
	}
}

static void test_poll(void **state)
{
	int fd = open(HCA_DEVICE, O_RDWR | O_NONBLOCK);
	pid_t pid = start_poll(fd);
	int status;

	wait_until_it_waits(pid);
	create_hca(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_epoll),
	cmocka_unit_test(test_poll),
};

TEST_MAIN(tests, NULL, NULL)
