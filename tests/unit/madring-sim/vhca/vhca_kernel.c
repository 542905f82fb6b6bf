/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "vhca_kernel.h"

#define PATIENCE_S 20

const char *kernel_netlist;

int kernel_open(void **state)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));
	struct loop_config config = { 0 };
	struct fabric_config plain = { 0 };
	struct topology_error error;

	assert_non_null(kernel);
	for (unsigned int i = 0; i < KERNEL_HCAS; i++)
		kernel->end[i].fd = -1;
	assert_int_equal(topology_read(&kernel->topology, kernel_netlist, &error), 0);
	assert_int_equal(fabric_open(&kernel->fabric, kernel->topology, &plain), 0);
	config.fabric = kernel->fabric;
	assert_int_equal(vhca_open(&kernel->face, &config, kernel->why, sizeof(kernel->why)), 0);
	kernel->stop_fd = eventfd(0, EFD_CLOEXEC);
	*state = kernel;
	return 0;
}

static void end_loop(void *user)
{
	loop_stop(vhca_loop(((struct kernel *)user)->face));
}

int kernel_close(void **state)
{
	struct kernel *kernel = *state;
	uint64_t one = 1;

	if (kernel->runs) {
		assert_int_equal(write(kernel->stop_fd, &one, sizeof(one)), sizeof(one));
		assert_int_equal(kernel_wait(kernel), 0);
	}
	loop_close(vhca_loop(kernel->face));
	fabric_close(kernel->fabric);
	close(kernel->stop_fd);
	for (unsigned int i = 0; i < KERNEL_HCAS; i++) {
		if (kernel->end[i].fd >= 0)
			close(kernel->end[i].fd);
	}
	free(kernel);
	return 0;
}

int kernel_add_greeting(struct kernel *kernel, unsigned int end, const char *node,
			unsigned int port, const void *greeting, size_t length)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	const struct attachment place = {
		.node = topology_find(kernel->topology, node),
		.port = port,
	};
	int ends[2];

	assert_non_null(place.node);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)),
			 0);
	/* The fabric's end alone is non-blocking. */
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	kernel->end[end] = (struct kernel_end){ .fd = ends[0] };
	if (greeting)
		kernel_write(kernel, end, greeting, length);
	return vhca_add_open(kernel->face, ends[1], &place, kernel->why, sizeof(kernel->why));
}

int kernel_add(struct kernel *kernel, unsigned int end, const char *node, unsigned int port)
{
	const struct vhca_created created = {
		.head = kernel_head(VHCA_CREATED, sizeof(created), 0),
		.name = "vhca0",
	};

	return kernel_add_greeting(kernel, end, node, port, &created, sizeof(created));
}

static void *run(void *user)
{
	struct kernel *kernel = user;

	kernel->result = loop_run(vhca_loop(kernel->face));
	return NULL;
}

void kernel_run(struct kernel *kernel)
{
	struct loop *loop = vhca_loop(kernel->face);

	assert_int_equal(loop_watch(loop, dup(kernel->stop_fd), end_loop, kernel), 0);
	assert_int_equal(pthread_create(&kernel->thread, NULL, run, kernel), 0);
	kernel->runs = true;
}

int kernel_wait(struct kernel *kernel)
{
	assert_int_equal(pthread_join(kernel->thread, NULL), 0);
	kernel->runs = false;
	return kernel->result;
}

void kernel_start(struct kernel *kernel)
{
	assert_int_equal(kernel_add(kernel, 0, "host1", 0), 0);
	kernel_run(kernel);
	kernel_read(kernel, 0, VHCA_CREATE);
	kernel_read(kernel, 0, VHCA_PORT);
	kernel_read(kernel, 0, VHCA_PORT);
}

void kernel_write(struct kernel *kernel, unsigned int end, const void *record, size_t length)
{
	assert_int_equal(send(kernel->end[end].fd, record, length, MSG_NOSIGNAL), length);
}

static union any_record read_any(struct kernel_end *end)
{
	union any_record record;
	ssize_t length;

	if (end->taken == end->length) {
		length = recv(end->fd, end->bytes, sizeof(end->bytes), 0);
		assert_true(length > 0);
		end->length = (size_t)length;
		end->taken = 0;
	}
	assert_true(end->length - end->taken >= sizeof(record.head));
	memcpy(&record.head, end->bytes + end->taken, sizeof(record.head));
	assert_in_range(record.head.length, sizeof(record.head), end->length - end->taken);
	assert_in_range(record.head.length, sizeof(record.head), sizeof(record));
	memcpy(&record, end->bytes + end->taken, record.head.length);
	end->taken += record.head.length;
	return record;
}

union any_record kernel_read(struct kernel *kernel, unsigned int end, enum vhca_record_type type)
{
	union any_record record = read_any(&kernel->end[end]);

	assert_int_equal(record.head.type, type);
	return record;
}

union any_record kernel_find(struct kernel *kernel, unsigned int end, enum vhca_record_type type)
{
	union any_record record;

	do {
		record = read_any(&kernel->end[end]);
	} while (record.head.type != type);
	return record;
}

struct vhca_record kernel_head(enum vhca_record_type type, size_t length, unsigned int port)
{
	return (struct vhca_record){
		.length = (uint32_t)length,
		.type = (uint16_t)type,
		.port = (uint8_t)port,
	};
}

struct umad_smp kernel_get(uint16_t attribute, unsigned int hops, const uint8_t *path)
{
	struct umad_smp smp = {
		.base_version = 1,
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.class_version = 1,
		.method = UMAD_METHOD_GET,
		.hop_cnt = (uint8_t)hops,
		.hop_ptr = 1, /* its SMI has stepped on */
		.tid = htobe64(0x1234),
		.attr_id = htobe16(attribute),
		.dr_slid = htobe16(PERMISSIVE),
		.dr_dlid = htobe16(PERMISSIVE),
	};

	if (hops)
		memcpy(smp.initial_path + 1, path, hops);
	return smp;
}

void kernel_send_smp(struct kernel *kernel, unsigned int end, unsigned int port,
		     const struct umad_smp *smp)
{
	struct vhca_mad record = {
		.head = kernel_head(VHCA_MAD, sizeof(record), port),
		.dlid = PERMISSIVE,
	};

	memcpy(record.mad, smp, sizeof(*smp));
	kernel_write(kernel, end, &record, sizeof(record));
}

struct umad_smp kernel_smp(const uint8_t *mad)
{
	struct umad_smp smp;

	memcpy(&smp, mad, sizeof(smp));
	return smp;
}

static struct vhca_answer ask(struct kernel *kernel, unsigned int port, const void *mad,
			      unsigned int told, uint8_t checks)
{
	static uint32_t id;
	struct vhca_upcall_record upcall = {
		.head = kernel_head(VHCA_UPCALL, sizeof(upcall), port),
		.id = ++id,
		.slid = PERMISSIVE,
		.checks = checks,
	};
	struct vhca_answer answer;

	memcpy(upcall.mad, mad, sizeof(upcall.mad));
	kernel_write(kernel, 0, &upcall, sizeof(upcall));
	while (told--)
		kernel_read(kernel, 0, VHCA_PORT);
	answer = kernel_read(kernel, 0, VHCA_ANSWER).answer;
	assert_int_equal(answer.id, upcall.id);
	return answer;
}

struct vhca_answer kernel_upcall(struct kernel *kernel, unsigned int port, const void *mad,
				 unsigned int told)
{
	return ask(kernel, port, mad, told, 0);
}

struct vhca_answer kernel_upcall_unchecked(struct kernel *kernel, unsigned int port,
					   const void *mad, uint8_t checks)
{
	return ask(kernel, port, mad, 0, checks);
}
