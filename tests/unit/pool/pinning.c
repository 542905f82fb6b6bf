/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers are resident and locked, and what happens at the memory-lock limit. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "child.h"
#include "pool/pool.h"

#define PAGE	      ((size_t)sysconf(_SC_PAGESIZE))
#define LIMIT	      (16 * PAGE)
#define NOBODY	      65534
#define PLAIN	      4096u
#define MESSAGE_BYTES ((size_t)4 << 20)
#define MESSAGE	      ((size_t)1 << 20)
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s is false (line %d)\n", #condition, __LINE__);          \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static const struct pool_config config = {
	.plain = PLAIN,
	.large = 16,
	.message_bytes = MESSAGE_BYTES,
};

/*
 * Returns the bytes that smaps gives for @key in the mapping that holds @address. Ends the program
 * if there are none.
 */
static size_t mapping_bytes(const void *address, const char *key)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	bool found = false, done = false;
	uintptr_t first, end;
	char line[512];
	size_t kib = 0;
	char *rest;

	EXPECT(smaps);
	while (!done && fgets(line, sizeof(line), smaps)) {
		first = strtoull(line, &rest, 16);
		if (*rest == '-') {
			end = strtoull(rest + 1, NULL, 16);
			found = first <= (uintptr_t)address && (uintptr_t)address < end;
		} else if (found && !strncmp(line, key, strlen(key))) {
			kib = strtoull(line + strlen(key), NULL, 10);
			done = true;
		}
	}
	EXPECT(done);
	fclose(smaps);
	return kib << 10;
}

/* A process with CAP_IPC_LOCK has no limit, so the capabilities have to go as well. */
static void limit_locked_memory(size_t now, size_t most)
{
	struct rlimit limit = { .rlim_cur = now, .rlim_max = most };

	EXPECT(!setrlimit(RLIMIT_MEMLOCK, &limit));
	EXPECT(geteuid() || !setuid(NOBODY));
}

static void required_over_limit(void)
{
	struct pool_config small = { .plain = 100 };
	struct pool *pool;

	limit_locked_memory(LIMIT, LIMIT);
	EXPECT(pool_open(&pool, &config) == -ENOBUFS);
	/* The refused pool has left nothing locked. */
	EXPECT(!pool_open(&pool, &small));
	pool_close(pool);
}

static void messages_over_limit(void)
{
	struct pool_config messages = { .plain = 1, .message_bytes = MESSAGE_BYTES };
	struct pool *pool;

	/* One page each, for the plain buffer and for messages. */
	limit_locked_memory(PAGE, LIMIT);
	EXPECT(pool_open(&pool, &messages) == -ENOBUFS);
	limit_locked_memory(LIMIT / 2, LIMIT);
	EXPECT(!pool_open(&pool, &messages));
	EXPECT(pool_take_message(pool, 1000));
	EXPECT(!pool_take_message(pool, LIMIT));
	EXPECT(pool_message_refusal(pool) == -ENOBUFS);
	/* The arena takes what there is now, which is less than a whole step. */
	limit_locked_memory(LIMIT, LIMIT);
	EXPECT(pool_take_message(pool, LIMIT / 4));
	pool_close(pool);
}

static void best_effort_over_limit(void)
{
	struct pool_config best_effort = config;
	struct pool_stats stats;
	struct madring_mad *plain, *message;
	struct pool *pool;

	limit_locked_memory(LIMIT, LIMIT);
	best_effort.pin = MADRING_PIN_BEST_EFFORT;
	EXPECT(!pool_open(&pool, &best_effort));
	pool_stats(pool, &stats);
	EXPECT(stats.unpinned_bytes >= (uint64_t)PLAIN * 320);
	/* The large buffers alone are below the limit. */
	EXPECT(stats.pinned_bytes >= (uint64_t)16 * 2112);
	EXPECT(stats.pinned_bytes <= LIMIT);
	plain = pool_take_plain(pool);
	EXPECT(plain);
	message = pool_take_message(pool, MESSAGE);
	EXPECT(message);
	EXPECT(mapping_bytes(plain, "Locked:") == 0);
	EXPECT(mapping_bytes(plain, "Rss:") >= (size_t)PLAIN * 320);
	/* The first page of messages may be locked, so it is a mapping of its own. */
	EXPECT(mapping_bytes((uint8_t *)message + MESSAGE / 2, "Rss:") >= MESSAGE - PAGE);
	pool_close(pool);
}

/* Takes all messages into a list, the last one first. Returns how many there were. */
static unsigned int take_all(struct pool *pool, size_t length, struct madring_mad **list)
{
	struct madring_mad *mad;
	unsigned int count = 0;

	while ((mad = pool_take_message(pool, length))) {
		memcpy(madring_mad_data(mad), list, sizeof(*list));
		*list = mad;
		count++;
	}
	return count;
}

static void give_all(struct pool *pool, struct madring_mad *list)
{
	struct madring_mad *mad;

	while ((mad = list)) {
		memcpy(&list, madring_mad_data(mad), sizeof(mad));
		pool_give(pool, mad);
	}
}

/* Messages take all that the limit leaves, and more once it is raised, up to message_bytes. */
static void messages_grow_to_limit(void)
{
	struct pool_config messages = { .plain = 1, .message_bytes = MESSAGE_BYTES };
	struct madring_mad *list = NULL;
	struct pool_stats stats;
	struct pool *pool;

	limit_locked_memory(MESSAGE, 2 * MESSAGE_BYTES);
	EXPECT(!pool_open(&pool, &messages));
	pool_stats(pool, &stats);
	EXPECT(stats.huge_bytes || stats.pinned_bytes == 2 * PAGE);
	EXPECT(stats.message.capacity >= MESSAGE_BYTES);
	if (stats.huge_bytes)
		return; /* no limit counts huge pages */
	EXPECT(take_all(pool, 10000, &list) >= 90);
	EXPECT(pool_message_refusal(pool) == -ENOBUFS);
	pool_stats(pool, &stats);
	EXPECT(stats.pinned_bytes <= MESSAGE && stats.pinned_bytes > MESSAGE - LIMIT);
	EXPECT(stats.unpinned_bytes == 0);
	EXPECT(pool_may_have_room(pool, MESSAGE));
	give_all(pool, list);
	EXPECT(!pool_take_message(pool, MESSAGE));
	EXPECT(!pool_may_have_room(pool, MESSAGE));
	EXPECT(pool_message_refusal(pool) == -ENOBUFS);
	limit_locked_memory(2 * MESSAGE_BYTES, 2 * MESSAGE_BYTES);
	EXPECT(pool_take_message(pool, MESSAGE));
	EXPECT(pool_take_message(pool, 2 * MESSAGE));
	EXPECT(!pool_take_message(pool, 2 * MESSAGE));
	EXPECT(pool_message_refusal(pool) == -ENOMEM);
	pool_stats(pool, &stats);
	EXPECT(stats.pinned_bytes <= MESSAGE_BYTES + PAGE);
	pool_close(pool);
}

static void test_limit(void **state)
{
	void (*const cases[])(void) = {
		required_over_limit,
		messages_over_limit,
		best_effort_over_limit,
		messages_grow_to_limit,
	};
	char text[512];
	int status;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		status = child_run(cases[i], text, sizeof(text));
		if (status)
			fail_msg("case %zu: status 0x%x: %s", i, status, text);
	}
}

static bool may_lock(size_t bytes)
{
	struct rlimit limit;

	return !geteuid() || (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur >= bytes);
}

static void test_locked_and_resident(void **state)
{
	struct pool_stats stats;
	struct madring_mad *buffers[3];
	size_t bytes[3] = { (size_t)PLAIN * 320, (size_t)16 * 2112, MESSAGE };
	struct pool *pool;

	if (!may_lock((size_t)8 << 20)) {
		print_message("the memory-lock limit is below 8 MiB: raise it (ulimit -l)\n");
		skip();
	}
	assert_int_equal(pool_open(&pool, &config), 0);
	buffers[0] = pool_take_plain(pool);
	buffers[1] = pool_take_large(pool);
	buffers[2] = pool_take_message(pool, MESSAGE);
	assert_non_null(buffers[2]);
	pool_stats(pool, &stats);
	assert_int_equal(stats.unpinned_bytes, 0);
	assert_true(stats.pinned_bytes >= bytes[0] + bytes[1] + bytes[2]);
	assert_true(stats.huge_bytes <= stats.pinned_bytes);
	for (unsigned int i = 0; i < 3; i++) {
		/* Pages of hugetlbfs are not counted as locked, nor as resident. */
		if (mapping_bytes(buffers[i], "Private_Hugetlb:") >= bytes[i])
			continue;
		assert_true(mapping_bytes(buffers[i], "Locked:") >= bytes[i]);
		assert_true(mapping_bytes(buffers[i], "Rss:") >= bytes[i]);
	}
	pool_close(pool);
}

static void test_huge_pages_are_counted(void **state)
{
	struct pool_stats stats;
	struct madring_mad *mad;
	struct pool *pool;
	struct pool_config huge = {
		.message_bytes = MESSAGE_BYTES,
		.pin = MADRING_PIN_BEST_EFFORT,
	};

	assert_int_equal(pool_open(&pool, &huge), 0);
	mad = pool_take_message(pool, 1000);
	assert_non_null(mad);
	pool_stats(pool, &stats);
	assert_int_equal(stats.huge_bytes, mapping_bytes(mad, "Private_Hugetlb:"));
	pool_close(pool);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_limit),
	cmocka_unit_test(test_locked_and_resident),
	cmocka_unit_test(test_huge_pages_are_counted),
};

TEST_MAIN(tests, NULL, NULL)
