/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The roof: an io_uring loop that does nothing but move the MADs. Multishot reads into a ring
 * of buffers, writes that report only errors, and requests that are never touched again.
 */
#include "lanes.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#define READ_MULTISHOT 49 /* liburing 2.3 has no name for it */
#define BUFFERS	       1024u
#define READ_TAG       (UINT64_C(1) << 32)
#define CQ_PER_FLIGHT  4u

struct bare {
	struct measure measure;
	struct lanes lanes;
	struct io_uring ring;
	struct io_uring_buf_ring *buffers;
	uint8_t *memory;
};

/* Returns whether a system call is needed to have submissions taken. */
static bool has_to_enter(const struct bare *bare)
{
	return !bare->measure.sqpoll ||
	       IO_URING_READ_ONCE(*bare->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP;
}

/* Submits, and waits for @wait completions. */
static void enter_ring(struct bare *bare, unsigned int wait)
{
	int ret;

	bare->measure.syscalls += wait || has_to_enter(bare);
	ret = io_uring_submit_and_wait(&bare->ring, wait);
	if (ret < 0)
		measure_fail(&bare->measure, "io_uring_submit_and_wait", ret);
}

static struct io_uring_sqe *sqe_get(struct bare *bare)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&bare->ring)))
		enter_ring(bare, 0);
	return sqe;
}

static void read_lane(struct bare *bare, uint32_t lane)
{
	struct io_uring_sqe *sqe = sqe_get(bare);

	io_uring_prep_rw(READ_MULTISHOT, sqe, bare->lanes.fd[lane], NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = 0;
	io_uring_sqe_set_data64(sqe, READ_TAG | lane);
}

static void write_slot(struct bare *bare, uint32_t slot)
{
	struct io_uring_sqe *sqe = sqe_get(bare);

	io_uring_prep_write(sqe, lanes_fd(&bare->lanes, slot), lanes_request(&bare->lanes, slot),
			    LANES_MESSAGE_BYTES, 0);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	io_uring_sqe_set_data64(sqe, slot);
}

static uint8_t *buffer_at(const struct bare *bare, uint32_t index)
{
	return bare->memory + index * LANES_MESSAGE_BYTES;
}

static void provide_buffer(struct bare *bare, uint32_t index, int offset)
{
	io_uring_buf_ring_add(bare->buffers, buffer_at(bare, index), LANES_MESSAGE_BYTES,
			      (unsigned short)index, io_uring_buf_ring_mask(BUFFERS), offset);
}

static void open_buffers(struct bare *bare)
{
	struct io_uring_buf_reg registration = { .ring_entries = BUFFERS };
	void *ring = NULL;
	int ret;

	if (posix_memalign(&ring, 4096, BUFFERS * sizeof(struct io_uring_buf)))
		measure_fail(&bare->measure, "buffer ring", ENOMEM);
	bare->memory = calloc(BUFFERS, LANES_MESSAGE_BYTES);
	if (!bare->memory)
		measure_fail(&bare->measure, "buffers", ENOMEM);
	bare->buffers = ring;
	io_uring_buf_ring_init(bare->buffers);
	registration.ring_addr = (uintptr_t)ring;
	ret = io_uring_register_buf_ring(&bare->ring, &registration, 0);
	if (ret < 0)
		measure_fail(&bare->measure, "io_uring_register_buf_ring", ret);
	for (uint32_t i = 0; i < BUFFERS; i++)
		provide_buffer(bare, i, (int)i);
	io_uring_buf_ring_advance(bare->buffers, (int)BUFFERS);
}

static void open_ring(struct bare *bare)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		.cq_entries = CQ_PER_FLIGHT * (bare->measure.in_flight + BUFFERS),
		.sq_thread_idle = MEASURE_IDLE_MS,
	};
	int ret;

	params.flags |= bare->measure.sqpoll
				? IORING_SETUP_SQPOLL
				: IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	ret = io_uring_queue_init_params(2 * bare->measure.in_flight + MEASURE_MAX_LANES,
					 &bare->ring, &params);
	if (ret < 0)
		measure_fail(&bare->measure, "io_uring", ret);
	open_buffers(bare);
	for (uint32_t lane = 0; lane < bare->lanes.count; lane++)
		read_lane(bare, lane);
	for (uint32_t slot = 0; slot < bare->measure.in_flight; slot++)
		write_slot(bare, slot);
}

static void handle_write_error(struct bare *bare, const struct io_uring_cqe *cqe)
{
	if (cqe->res != -EAGAIN)
		measure_fail(&bare->measure, "write", cqe->res);
	write_slot(bare, (uint32_t)cqe->user_data);
}

/* Handles a read. Returns how many replies it brought, 0 or 1. */
static uint32_t handle_read(struct bare *bare, const struct io_uring_cqe *cqe, int offset)
{
	uint32_t index = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

	if (!(cqe->flags & IORING_CQE_F_MORE))
		read_lane(bare, (uint32_t)cqe->user_data);
	if (cqe->res == -ENOBUFS)
		return 0;
	if (cqe->res != (int)LANES_MESSAGE_BYTES || !(cqe->flags & IORING_CQE_F_BUFFER))
		measure_fail(&bare->measure, "read", cqe->res < 0 ? cqe->res : EIO);
	write_slot(bare, lanes_slot(&bare->measure, (struct ib_user_mad *)buffer_at(bare, index)));
	provide_buffer(bare, index, offset);
	return 1;
}

static uint64_t take_turn(struct bare *bare)
{
	struct io_uring_cqe *cqe;
	uint32_t replies = 0, seen = 0, head;

	/* Without SQPOLL this thread does the ring's work, which it does in the kernel alone. */
	enter_ring(bare, !bare->measure.sqpoll || !io_uring_cq_ready(&bare->ring));
	io_uring_for_each_cqe(&bare->ring, head, cqe)
	{
		seen++;
		if (cqe->user_data & READ_TAG)
			replies += handle_read(bare, cqe, (int)replies);
		else
			handle_write_error(bare, cqe);
	}
	io_uring_buf_ring_cq_advance(&bare->ring, bare->buffers, (int)replies);
	io_uring_cq_advance(&bare->ring, seen - replies);
	return replies;
}

int main(int argc, char **argv)
{
	static struct bare bare;

	measure_options(&bare.measure, "bare_ring", argc, argv);
	lanes_open(&bare.lanes, &bare.measure, true);
	open_ring(&bare);
	while (measure_replies(&bare.measure, take_turn(&bare)))
		;
	io_uring_queue_exit(&bare.ring);
	free(bare.buffers);
	free(bare.memory);
	lanes_close(&bare.lanes);
	return measure_report(&bare.measure);
}
