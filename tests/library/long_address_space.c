/* SPDX-License-Identifier: BSD-2-Clause */
/* A message for which the process has no address space, as under RLIMIT_AS; a wrapper plays it. */
#include "library_messages.h"

#include <errno.h>
#include <sys/mman.h>

/* No mapping may have this many bytes. */
#define LIMIT ((size_t)512 << 20)

static unsigned int refused;

void *__real_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (bytes < LIMIT)
		return __real_mmap64(address, bytes, protection, flags, fd, offset);
	refused++;
	errno = ENOMEM;
	return MAP_FAILED;
}

/*
 * The message stays at the head of the file's queue, and nothing behind it can be read. So the
 * lane's requests end as when the device is gone, rather than never.
 */
static void test_the_lane_ends(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	umad = ask(&fixture, 1);
	answer_as(&umad, 5000, (uint32_t)LIMIT);
	wait_for_replies(&fixture, 1);
	assert_int_equal(last_reply.status, -ENODEV);
	assert_int_equal(refused, 1);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_lane_ends),
};

TEST_MAIN(tests, NULL, NULL)
