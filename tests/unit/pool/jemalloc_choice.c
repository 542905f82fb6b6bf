/* SPDX-License-Identifier: BSD-2-Clause */
/* The versions and the pages of jemalloc with which the pool takes messages from it. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "pool/jemalloc.h"

/* The answers of the fake jemalloc below. A version or a page of 0 is an unknown name. */
static const char *version;
static size_t page;

int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);
int mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes)
{
	assert_null(new);
	assert_int_equal(new_bytes, 0);
	if (!strcmp(name, "version") && version) {
		assert_int_equal(*old_bytes, sizeof(version));
		memcpy(old, &version, sizeof(version));
		return 0;
	}
	if (!strcmp(name, "arenas.page") && page) {
		assert_int_equal(*old_bytes, sizeof(page));
		memcpy(old, &page, sizeof(page));
		return 0;
	}
	return ENOENT;
}

/* The pool only looks whether there are such functions. */
void *mallocx(size_t bytes, int flags);
void *mallocx(size_t bytes, int flags)
{
	fail_msg("mallocx(%zu, %d)", bytes, flags);
	return NULL;
}

void dallocx(void *memory, int flags);
void dallocx(void *memory, int flags)
{
	fail_msg("dallocx(%p, %d)", memory, flags);
}

size_t nallocx(size_t bytes, int flags);
size_t nallocx(size_t bytes, int flags)
{
	fail_msg("nallocx(%zu, %d)", bytes, flags);
	return 0;
}

static void test_versions(void **state)
{
	static const struct {
		const char *version;
		bool supported;
	} cases[] = {
		{ "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c", true },
		{ "5.3.1", true },
		{ "5.10.0", true },
		{ "5.2.1-0-gea6b3e973b477b8061e0076bb257dbd7f3faa756", false },
		{ "5.0.0", false },
		{ "5", false },
		{ "5.x", false },
		{ "4.5.0", false },
		{ "6.3.0", false },
		{ "50.3.0", false },
		{ "", false },
		{ NULL, false },
	};

	page = 4096;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		version = cases[i].version;
		if (jemalloc_is_here() != (cases[i].supported && sysconf(_SC_PAGESIZE) == 4096))
			fail_msg("version %s", version ? version : "unknown");
	}
}

/* Debian's jemalloc has pages of 64 KiB on arm64, ppc64el and s390x. */
static void test_pages(void **state)
{
	static const size_t longer[] = { 0, 8192, 16384, 65536 };

	version = "5.3.0";
	for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++) {
		page = longer[i];
		if (jemalloc_is_here())
			fail_msg("a page of %zu bytes", page);
	}
	page = 4096;
	assert_int_equal(jemalloc_is_here(), sysconf(_SC_PAGESIZE) == 4096);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_versions),
	cmocka_unit_test(test_pages),
};

TEST_MAIN(tests, NULL, NULL)
