/* SPDX-License-Identifier: BSD-2-Clause */
/* M_Keys leave nothing behind: in memory, in a core, or on the command line. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/mkeys.h"

#define KEYS 300u /* so many that the list grows */

/* The complement of a key, so that the test itself does not have the key in memory. */
static volatile uint64_t hidden = ~UINT64_C(0x1bad5eed0ddba11d);

/* Writes a file of keys, from a process of its own. */
static void write_keys(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "umask 077; h=%" PRId64 "; i=0; while [ $i -lt %u ]; do i=$((i + 1)); printf "
		 "'0x%%x 0x%%x\\n' $i $((~h)); done >%s",
		 (int64_t)hidden, KEYS, path);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

static size_t count_in(const char *from, const char *to)
{
	static char copy[1 << 16];
	size_t found = 0;

	for (; from < to; from += sizeof(copy)) {
		size_t bytes =
			(size_t)(to - from) < sizeof(copy) ? (size_t)(to - from) : sizeof(copy);
		struct iovec here = { copy, bytes }, there = { (void *)from, bytes };
		ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

		for (ssize_t at = 0; at + 8 <= got; at += 8) {
			uint64_t value;

			memcpy(&value, copy + at, sizeof(value));
			found += value == ~hidden && from + at != copy;
		}
		memset(copy, 0, sizeof(copy));
	}
	return found;
}

/* Counts how often the key is in memory that can be written, at multiples of eight bytes. */
static size_t count_keys(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], *from, *to;
	size_t found = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%p-%p rw", (void **)&from, (void **)&to) == 2 &&
		    strstr(line, " rw"))
			found += count_in(from, to);
	fclose(maps);
	return found;
}

static void test_no_key_is_left_in_memory(void **state)
{
	char path[] = "/tmp/madring-keys-XXXXXX";
	struct mkeys *mkeys;
	size_t held;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_keys(path);
	mkeys = mkeys_read(path);
	assert_non_null(mkeys);
	assert_true(mkeys_of_node(mkeys, KEYS) == ~hidden);
	held = count_keys();
	assert_true(held > KEYS);
	mkeys_read_again(mkeys);
	assert_true(count_keys() <= held);
	mkeys_free(mkeys);
	assert_int_equal(count_keys(), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
	unlink(path);
}

static void test_key_of_command_line_is_overwritten(void **state)
{
	char text[] = "0x1234";
	uint64_t mkey = 0;

	prctl(PR_SET_DUMPABLE, 1);
	mkey_option(&mkey, "--m_key", text);
	assert_true(mkey == 0x1234);
	assert_string_equal(text, "xxxxxx");
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_key_is_left_in_memory),
	cmocka_unit_test(test_key_of_command_line_is_overwritten),
};

TEST_MAIN(tests, NULL, NULL)
