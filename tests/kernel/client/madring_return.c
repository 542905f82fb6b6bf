/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HCA comes back, a hundred times: its port is opened again in the same ring, and nothing is
 * left of those that went. It may go while it is being opened.
 */
#include "removable.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabrics.h"

#define GUID	    0x0002c90300001000u
#define ROUND_TRIPS 1000u
#define REMOVALS    100u
#define SETTLED	    10u /* removals after which caches are filled */
#define LEAST_BLOCK 32u /* that malloc has */
#define OPENINGS    30u
#define IDLE_RUNS   3u
#define IDLE_MS	    50
#define MOST_US	    60000u
#define SAMPLES	    5u
#define SAMPLE_US   20000u

static void remove_it(const struct fabric *fabric)
{
	fabric_kill(fabric);
	fabric_reap(fabric);
}

static void test_the_port_is_opened_again(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	removable_open(&removable, ring, fabric.ca_name);
	removable_fly(&removable, IN_FLIGHT, MADRING_FOREVER, &outcomes);
	remove_it(&fabric);
	removable_wait(ring, &outcomes, IN_FLIGHT);
	assert_int_equal(madring_port_close(removable.port), 0);
	assert_int_equal(removable_try(&removable, ring, fabric.ca_name), -ENODEV);
	fabric_start(&fabric, GUID, false);
	removable_open(&removable, ring, fabric.ca_name);
	removable_works(&removable, ROUND_TRIPS);
	assert_int_equal(madring_close(ring), 0);
	remove_it(&fabric);
}

/* The old port need not be closed before the new one is opened, nor be run. */
static void test_the_old_port_may_stay_open(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable old, new;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	removable_open(&old, ring, fabric.ca_name);
	removable_fly(&old, IN_FLIGHT, MADRING_FOREVER, &outcomes);
	remove_it(&fabric);
	fabric_start(&fabric, GUID, false);
	removable_open(&new, ring, fabric.ca_name);
	removable_works(&new, ROUND_TRIPS);
	removable_wait(ring, &outcomes, IN_FLIGHT);
	assert_int_equal(outcomes.gone, IN_FLIGHT);
	removable_is_gone(&old);
	assert_int_equal(madring_port_close(old.port), 0);
	removable_works(&new, ROUND_TRIPS);
	assert_int_equal(madring_close(ring), 0);
	remove_it(&fabric);
}

struct resources {
	unsigned int files;
	size_t heap;
	uint64_t in_use; /* buffers of the pool */
	uint32_t outstanding;
};

/*
 * Returns the bytes that are allocated. Now and then the thread that looks for workers has some for
 * a moment.
 */
static size_t heap_now(void)
{
	size_t least = SIZE_MAX;

	for (unsigned int i = 0; i < SAMPLES; i++) {
		size_t heap = mallinfo2().uordblks;

		if (heap < least)
			least = heap;
		usleep(SAMPLE_US);
	}
	return least;
}

static struct resources resources_now(struct madring *ring)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	return (struct resources){
		.files = open_files(),
		.heap = heap_now(),
		.in_use = stats.pool_plain_in_use,
		.outstanding = madring_outstanding(ring),
	};
}

static void come_and_go(struct madring *ring)
{
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	removable_open(&removable, ring, fabric.ca_name);
	removable_fly(&removable, IN_FLIGHT / 10, MADRING_FOREVER, &outcomes);
	fabric_kill(&fabric);
	removable_wait(ring, &outcomes, IN_FLIGHT / 10);
	assert_int_equal(outcomes.gone, IN_FLIGHT / 10);
	assert_int_equal(madring_port_close(removable.port), 0);
	fabric_reap(&fabric);
}

/* Has the ring wait without a MAD, for which it opens a descriptor of its own before Linux 6.15. */
static void wait_idly(struct madring *ring)
{
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;

	fabric_start(&fabric, GUID, true);
	removable_open(&removable, ring, fabric.ca_name);
	removable_fly(&removable, 1, MADRING_FOREVER, &outcomes);
	for (unsigned int i = 0; i < IDLE_RUNS; i++)
		assert_true(madring_run(ring, IDLE_MS) >= 0);
	assert_int_equal(madring_port_close(removable.port), 0);
	removable_wait(ring, &outcomes, 1);
	remove_it(&fabric);
}

static void test_a_hundred_removals_leave_nothing(void **state)
{
	struct madring *ring = removable_ring();
	struct resources before, after;

	wait_idly(ring);
	for (unsigned int i = 0; i < SETTLED; i++)
		come_and_go(ring);
	before = resources_now(ring);
	for (unsigned int i = SETTLED; i < REMOVALS; i++)
		come_and_go(ring);
	after = resources_now(ring);
	assert_int_equal(after.files, before.files);
	/* The heap has grown by less than a block for each removal. */
	assert_true(after.heap < before.heap + (REMOVALS - SETTLED) * LEAST_BLOCK);
	assert_int_equal(after.in_use, before.in_use);
	assert_int_equal(after.outstanding, 0);
	assert_int_equal(madring_close(ring), 0);
}

/* Kills the fabric from beside, after a while. */
static pid_t kill_later(const struct fabric *fabric, unsigned int us)
{
	pid_t killer = fork();

	assert_true(killer >= 0);
	if (killer)
		return killer;
	usleep(us);
	kill(fabric->pid, SIGKILL);
	_exit(0);
}

/* Opens its port, and closes it again, until that fails. */
static int open_until_it_fails(struct madring *ring, const char *ca_name)
{
	for (;;) {
		struct outcomes outcomes = { 0 };
		struct removable removable;
		int error = removable_try(&removable, ring, ca_name);

		if (error)
			return error;
		removable_send(&removable, 1, MADRING_FOREVER, &outcomes);
		removable_wait(ring, &outcomes, 1);
		assert_int_equal(madring_port_close(removable.port), 0);
	}
}

static void test_device_goes_while_its_port_is_opened(void **state)
{
	struct madring *ring = removable_ring();
	struct fabric fabric;
	unsigned int files;

	wait_idly(ring);
	files = open_files();
	for (unsigned int i = 0; i < OPENINGS; i++) {
		pid_t killer;
		int error;

		fabric_start(&fabric, GUID, false);
		killer = kill_later(&fabric, i * 7919 % MOST_US);
		error = open_until_it_fails(ring, fabric.ca_name);
		if (error != -ENODEV)
			fail_msg("%d: %s", error, madring_error_text(error));
		assert_int_equal(waitpid(killer, NULL, 0), killer);
		fabric_reap(&fabric);
		assert_int_equal(open_files(), files);
	}
	assert_int_equal(madring_close(ring), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_port_is_opened_again),
		cmocka_unit_test(test_the_old_port_may_stay_open),
		cmocka_unit_test(test_a_hundred_removals_leave_nothing),
		cmocka_unit_test(test_device_goes_while_its_port_is_opened),
	};

	removable_options(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
