/* SPDX-License-Identifier: BSD-2-Clause */
/* Giving back what is not taken is caught, in every class, with a message that says so. */
#include "cmocka_all.h"

#include "child.h"
#include "pool/poison.h"
#include "pool/pool.h"

#define NOT_TAKEN "given back, but not taken"
#define NOT_START "not the start of a buffer"
#define FOREIGN	  "not of this pool"

static struct pool *pool;

static int open_pool(void **state)
{
	struct pool_config config = {
		.plain = 8,
		.large = 8,
		.message_bytes = 1 << 20,
		.pin = MADRING_PIN_BEST_EFFORT,
	};

	return pool_open(&pool, &config);
}

static int close_pool(void **state)
{
	pool_close(pool);
	return 0;
}

static struct madring_mad *at(struct madring_mad *mad, size_t offset)
{
	return (struct madring_mad *)((char *)mad + offset);
}

static void give_plain_twice(void)
{
	struct madring_mad *mad = pool_take_plain(pool);

	pool_give(pool, mad);
	pool_give(pool, mad);
}

static void give_large_twice(void)
{
	struct madring_mad *mad = pool_take_large(pool);

	pool_give(pool, mad);
	pool_give(pool, mad);
}

static void give_message_twice(void)
{
	struct madring_mad *mad = pool_take_message(pool, 5000);

	pool_give(pool, mad);
	pool_give(pool, mad);
}

static void give_never_taken(void)
{
	pool_give(pool, pool_plain_at(pool, 5));
}

static void give_inside_plain(void)
{
	pool_give(pool, at(pool_take_plain(pool), 64));
}

static void give_inside_large(void)
{
	pool_give(pool, at(pool_take_large(pool), 320));
}

static void give_inside_message(void)
{
	pool_give(pool, at(pool_take_message(pool, 5000), 64));
}

static void give_askew_message(void)
{
	pool_give(pool, at(pool_take_message(pool, 5000), 8));
}

static void give_foreign(void)
{
	static char foreign[320];

	pool_give(pool, (struct madring_mad *)foreign);
}

static void give_null(void)
{
	pool_give(pool, NULL);
}

static void room_of_foreign(void)
{
	static char foreign[320];

	pool_room(pool, (struct madring_mad *)foreign);
}

static void room_of_message_given_back(void)
{
	struct madring_mad *mad = pool_take_message(pool, 5000);

	pool_give(pool, mad);
	pool_room(pool, mad);
}

static void index_of_large(void)
{
	pool_plain_index(pool, pool_take_large(pool));
}

static void give_to_pool_without_arena(void)
{
	struct pool_config config = { .plain = 1, .pin = MADRING_PIN_BEST_EFFORT };
	struct madring_mad *mad = pool_take_message(pool, 100);
	struct pool *other;

	if (!pool_open(&other, &config))
		pool_give(other, mad);
}

static void test_faults(void **state)
{
	static const struct {
		const char *name;
		void (*run)(void);
		const char *text;
	} faults[] = {
		{ "plain twice", give_plain_twice, NOT_TAKEN },
		{ "large twice", give_large_twice, NOT_TAKEN },
		{ "message twice", give_message_twice, NOT_TAKEN },
		{ "never taken", give_never_taken, NOT_TAKEN },
		{ "inside plain", give_inside_plain, NOT_START },
		{ "inside large", give_inside_large, NOT_START },
		{ "inside message", give_inside_message, NOT_TAKEN },
		{ "askew message", give_askew_message, NOT_START },
		{ "foreign", give_foreign, FOREIGN },
		{ "NULL", give_null, FOREIGN },
		{ "room of foreign", room_of_foreign, FOREIGN },
		{ "room of given back", room_of_message_given_back, NOT_TAKEN },
		{ "index of large", index_of_large, NOT_START },
		{ "no arena", give_to_pool_without_arena, FOREIGN },
	};
	char text[512];
	int status;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		status = child_run(faults[i].run, text, sizeof(text));
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
			fail_msg("%s: status 0x%x, not an abort", faults[i].name, status);
		if (!strstr(text, faults[i].text) || !strstr(text, "madring: "))
			fail_msg("%s: said \"%s\"", faults[i].name, text);
	}
}

#ifdef POISON_WORKS
static void touch_plain_given_back(void)
{
	struct madring_mad *mad = pool_take_plain(pool);

	pool_give(pool, mad);
	madring_mad_umad(mad)->status = 1;
}

static void touch_message_given_back(void)
{
	struct madring_mad *mad = pool_take_message(pool, 5000);

	pool_give(pool, mad);
	madring_mad_umad(mad)->status = 1;
}

static void test_use_after_give(void **state)
{
	char text[512];

	assert_int_not_equal(child_run(touch_plain_given_back, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "use-after-poison"));
	assert_int_not_equal(child_run(touch_message_given_back, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "use-after-poison"));
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_faults, open_pool, close_pool),
#ifdef POISON_WORKS
	cmocka_unit_test_setup_teardown(test_use_after_give, open_pool, close_pool),
#endif
};

TEST_MAIN(tests, NULL, NULL)
