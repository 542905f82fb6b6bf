/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that wait to be written, to a device that takes as many as the test says. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "vhca/record.h"

#define DEVICE	(-77)
#define RECORDS 3000
#define BOUND	(1u << 20)

struct numbered {
	struct vhca_record head;
	uint32_t number;
};

/*
 * The device's next result: it takes up to @take records, or fails; and the records that it has
 * taken.
 */
static struct {
	int error;
	size_t take;
	uint32_t refused; /* the record that it finds malformed */
	uint32_t taken[RECORDS];
	size_t count;
} device;

ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
	struct numbered record;
	size_t done = 0;

	if (fd != DEVICE)
		return __real_write(fd, bytes, length);
	errno = device.error;
	for (; done < length && device.take; done += sizeof(record), device.take--) {
		memcpy(&record, (const uint8_t *)bytes + done, sizeof(record));
		assert_int_equal(record.head.length, sizeof(record));
		if (record.number == device.refused) {
			errno = EINVAL;
			break;
		}
		device.taken[device.count++] = record.number;
	}
	assert_true(done <= length);
	return done || !errno ? (ssize_t)done : -1;
}

static void reset(int error, size_t take)
{
	memset(&device, 0, sizeof(device));
	device.error = error;
	device.take = take;
	device.refused = UINT32_MAX;
}

static bool push(struct record_queue *queue, uint32_t number, size_t bound)
{
	const struct numbered record = {
		.head = { .length = sizeof(record), .type = VHCA_MAD },
		.number = number,
	};

	return record_queue_push(queue, &record.head, bound);
}

static void test_in_order_whatever_is_taken(void **state)
{
	struct record_queue queue = { 0 };
	uint32_t pushed = 0;
	size_t i;

	reset(EAGAIN, 0);
	while (device.count < RECORDS) {
		for (i = 0; i < 7 && pushed < RECORDS; i++)
			assert_true(push(&queue, pushed++, BOUND));
		device.take = pushed == RECORDS ? RECORDS : pushed % 11;
		i = device.count + device.take;
		assert_int_equal(record_queue_write(&queue, DEVICE), i < pushed ? -EAGAIN : 0);
	}
	for (i = 0; i < RECORDS; i++)
		assert_int_equal(device.taken[i], i);
	assert_int_equal(queue.first, queue.end);
	record_queue_free(&queue);
}

static void test_bound(void **state)
{
	struct record_queue queue = { 0 };
	size_t bound = 10 * sizeof(struct numbered), i;

	for (i = 0; i < 10; i++)
		assert_true(push(&queue, (uint32_t)i, bound));
	assert_false(push(&queue, 10, bound));
	reset(EAGAIN, 1);
	assert_int_equal(record_queue_write(&queue, DEVICE), -EAGAIN);
	assert_true(push(&queue, 10, bound));
	assert_false(push(&queue, 11, bound));
	record_queue_free(&queue);
}

static void test_refused(void **state)
{
	struct record_queue queue = { 0 };

	for (uint32_t i = 0; i < 5; i++)
		assert_true(push(&queue, i, BOUND));
	reset(0, RECORDS);
	device.refused = 2;
	assert_int_equal(record_queue_write(&queue, DEVICE), 0);
	assert_int_equal(queue.refused, 1);
	assert_int_equal(device.count, 4);
	assert_int_equal(device.taken[2], 3);
	record_queue_free(&queue);
}

static void test_errors(void **state)
{
	struct record_queue queue = { 0 };

	assert_true(push(&queue, 0, BOUND));
	reset(EIO, 0);
	assert_int_equal(record_queue_write(&queue, DEVICE), -EIO);
	reset(0, 0); /* takes nothing, and says nothing */
	assert_int_equal(record_queue_write(&queue, DEVICE), -EIO);
	reset(0, 1);
	assert_int_equal(record_queue_write(&queue, DEVICE), 0);
	assert_int_equal(device.count, 1);
	record_queue_free(&queue);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_in_order_whatever_is_taken),
	cmocka_unit_test(test_bound),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_errors),
};

TEST_MAIN(tests, NULL, NULL)
