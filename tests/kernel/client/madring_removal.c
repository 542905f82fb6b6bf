/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HCA is removed while madring is at work on it. Requests that would wait for ever end as
 * those of a device that is gone, each once; nothing but the removal itself tells of it. What is
 * left of the ring goes on.
 */
#include "../common/kernel_clock.h"
#include "removable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <infiniband/umad.h>

#include "fabrics.h"

#define ADOPTED_IN_FLIGHT 64 /* of one registration; the kernel takes 128 SMPs at once */
#define GUID		  0x0002c90300001000u
#define OTHER_GUID	  0x0002c90300008000u
#define SIXTY_S		  60000
#define ROUND_TRIPS	  2000u
#define AT_ONCE		  64u

/* Requires that nothing was tried again, and that no notice or timeout was needed. */
static void check_that_all_were_told(struct madring *ring, uint32_t gone)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	assert_int_equal(stats.device_gone, gone);
	assert_int_equal(stats.sent, gone);
	assert_int_equal(stats.retried, 0);
	assert_int_equal(stats.timed_out, 0);
	assert_int_equal(stats.notices, 0);
	assert_int_equal(stats.in_flight, 0);
}

/* Requires that the port and agent of a removed device refuse new work, and can be closed. */
static void check_that_it_is_gone(struct removable *removable)
{
	const struct madring_agent_config config = { .mgmt_class = 0x03, .class_version = 2 };
	struct madring_agent *agent;

	removable_is_gone(removable);
	assert_int_equal(madring_agent_open(removable->port, &config, &agent), -ENODEV);
	assert_int_equal(madring_agent_close(removable->agent), 0);
	assert_int_equal(madring_port_close(removable->port), 0);
}

static void remove_with_all_in_flight(int timeout_ms, const char *how)
{
	unsigned int files = open_files();
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;
	uint64_t start;

	fabric_start(&fabric, GUID, true);
	removable_open(&removable, ring, fabric.ca_name);
	removable_fly(&removable, IN_FLIGHT, timeout_ms, &outcomes);
	start = clock_ns();
	fabric_kill(&fabric);
	removable_wait(ring, &outcomes, IN_FLIGHT);
	printf("figure: %u in flight end after removal, %s, %s: %.1f ms\n", IN_FLIGHT, how,
	       removable_manner(), (double)(clock_ns() - start) * 1e-6);
	assert_int_equal(outcomes.gone, IN_FLIGHT);
	check_that_all_were_told(ring, IN_FLIGHT);
	check_that_it_is_gone(&removable);
	assert_int_equal(madring_close(ring), 0);
	fabric_reap(&fabric);
	assert_int_equal(open_files(), files);
}

static void test_requests_that_wait_for_ever_end(void **state)
{
	remove_with_all_in_flight(MADRING_FOREVER, "infinite timeouts");
}

static void test_requests_that_wait_long_end(void **state)
{
	remove_with_all_in_flight(SIXTY_S, "60 s timeouts");
}

static int event_loop_open(struct madring *ring)
{
	struct epoll_event event = { .events = EPOLLIN };
	int loop = epoll_create1(0);
	int fd = madring_fd(ring);

	assert_true(loop >= 0 && fd >= 0);
	assert_int_equal(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event), 0);
	assert_true(madring_step(ring) >= 0);
	return loop;
}

/* Waits without end for the ring to be ready, and has it do what it can. */
static void event_loop_turn(int loop, struct madring *ring)
{
	struct epoll_event event;

	assert_int_equal(epoll_wait(loop, &event, 1, -1), 1);
	assert_true(madring_step(ring) >= 0);
}

static void test_event_loop_learns_of_removal(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;
	uint64_t start;
	int loop;

	fabric_start(&fabric, GUID, true);
	removable_open(&removable, ring, fabric.ca_name);
	removable_fly(&removable, IN_FLIGHT, MADRING_FOREVER, &outcomes);
	loop = event_loop_open(ring);
	start = clock_ns();
	fabric_kill(&fabric);
	while (outcomes_count(&outcomes) < IN_FLIGHT)
		event_loop_turn(loop, ring);
	printf("figure: %u in flight end after removal, by epoll, %s: %.1f ms\n", IN_FLIGHT,
	       removable_manner(), (double)(clock_ns() - start) * 1e-6);
	assert_int_equal(outcomes.gone, IN_FLIGHT);
	check_that_all_were_told(ring, IN_FLIGHT);
	check_that_it_is_gone(&removable);
	close(loop);
	assert_int_equal(madring_close(ring), 0);
	fabric_reap(&fabric);
}

/* Nothing is in flight when the HCA goes: only the reads on the lanes can report it. */
static void test_idle_event_loop_learns_of_removal(void **state)
{
	struct madring *ring = removable_ring();
	struct removable removable;
	struct fabric fabric;
	int loop;

	fabric_start(&fabric, GUID, false);
	removable_open(&removable, ring, fabric.ca_name);
	removable_works(&removable, AT_ONCE);
	loop = event_loop_open(ring);
	fabric_kill(&fabric);
	event_loop_turn(loop, ring);
	fabric_reap(&fabric);
	assert_true(madring_step(ring) >= 0);
	check_that_it_is_gone(&removable);
	close(loop);
	assert_int_equal(madring_close(ring), 0);
}

/*
 * A ring that has nothing to wait for does not enter the kernel. It learns of the removal by the
 * next request, which is refused, or ends as one to a removed device.
 */
static void test_idle_ring_learns_of_removal(void **state)
{
	struct madring *ring = removable_ring();
	struct removable removable;
	struct fabric fabric;

	fabric_start(&fabric, GUID, false);
	removable_open(&removable, ring, fabric.ca_name);
	removable_works(&removable, AT_ONCE);
	fabric_kill(&fabric);
	fabric_reap(&fabric);
	assert_int_equal(madring_run(ring, -1), 0);
	check_that_it_is_gone(&removable);
	assert_int_equal(madring_close(ring), 0);
}

/* Closing after the removal, with nothing run in between, completes all that is left. */
static void test_closing_after_removal_completes_requests(void **state)
{
	unsigned int files = open_files();
	struct madring *ring = removable_ring();
	struct outcomes first = { 0 }, second = { 0 };
	struct removable one, two;
	struct fabric fabric, other;

	fabric_start(&fabric, GUID, true);
	fabric_start(&other, OTHER_GUID, true);
	removable_open(&one, ring, fabric.ca_name);
	removable_open(&two, ring, other.ca_name);
	removable_fly(&one, IN_FLIGHT, MADRING_FOREVER, &first);
	removable_fly(&two, IN_FLIGHT, MADRING_FOREVER, &second);
	fabric_kill(&fabric);
	fabric_kill(&other);
	fabric_reap(&fabric);
	fabric_reap(&other);
	assert_int_equal(madring_port_close(one.port), 0);
	assert_int_equal(outcomes_count(&first), 0);
	assert_int_equal(madring_close(ring), 0);
	assert_int_equal(first.gone + first.canceled, IN_FLIGHT);
	assert_int_equal(second.gone + second.canceled, IN_FLIGHT);
	assert_int_equal(open_files(), files);
}

/* One HCA goes with all its requests in flight; requests to the other go on all the while. */
static void test_another_device_goes_on(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes lost = { 0 }, answered = { 0 };
	struct removable going, staying;
	struct fabric fabric, other;
	uint32_t sent = 0;
	bool killed = false;

	fabric_start(&fabric, GUID, true);
	fabric_start(&other, OTHER_GUID, false);
	removable_open(&going, ring, fabric.ca_name);
	removable_open(&staying, ring, other.ca_name);
	removable_fly(&going, IN_FLIGHT, MADRING_FOREVER, &lost);
	while (answered.answered < ROUND_TRIPS || outcomes_count(&lost) < IN_FLIGHT) {
		while (sent < ROUND_TRIPS && sent - outcomes_count(&answered) < AT_ONCE) {
			removable_send(&staying, 1, SIXTY_S, &answered);
			sent++;
		}
		assert_true(madring_run(ring, -1) >= 0);
		if (!killed && answered.answered >= ROUND_TRIPS / 2) {
			fabric_kill(&fabric);
			killed = true;
		}
	}
	assert_int_equal(lost.gone, IN_FLIGHT);
	assert_int_equal(answered.answered, ROUND_TRIPS);
	fabric_reap(&fabric);
	check_that_it_is_gone(&going);
	removable_works(&staying, AT_ONCE);
	assert_int_equal(madring_close(ring), 0);
	fabric_kill(&other);
	fabric_reap(&other);
}

/* Requests are sent as others complete, until the device is found gone. */
static void test_traffic_is_cut(void **state)
{
	struct madring *ring = removable_ring();
	struct outcomes outcomes = { 0 };
	struct removable removable;
	struct fabric fabric;
	uint32_t sent = 0;
	bool killed = false;
	int error = 0;

	fabric_start(&fabric, GUID, false);
	removable_open(&removable, ring, fabric.ca_name);
	while (!error) {
		while (!error && sent - outcomes_count(&outcomes) < AT_ONCE) {
			error = removable_send_one(&removable, &outcomes);
			sent += !error;
		}
		assert_true(madring_run(ring, -1) >= 0);
		if (!killed && outcomes.answered >= ROUND_TRIPS) {
			fabric_kill(&fabric);
			killed = true;
		}
	}
	assert_int_equal(error, -ENODEV);
	removable_wait(ring, &outcomes, sent);
	assert_int_equal(outcomes.answered + outcomes.gone, sent);
	assert_true(outcomes.gone > 0);
	check_that_it_is_gone(&removable);
	assert_int_equal(madring_close(ring), 0);
	fabric_reap(&fabric);
}

static void on_rest(const struct madring_received *received)
{
	unsigned int *told = received->user;

	assert_int_equal(received->status, -ENODEV);
	assert_null(received->mad);
	++*told;
}

static uint32_t smi_agent(int fd)
{
	struct umad_reg_attr attr = { .mgmt_class = 0x81, .mgmt_class_version = 1 };
	uint32_t id;

	assert_int_equal(umad_register2(fd, &attr, &id), 0);
	return id;
}

/* The program has opened the file itself, and closes it when it will. */
static void test_adopted_file_learns_of_removal(void **state)
{
	const struct madring_agent_config config = {
		.mgmt_class = 0x81,
		.class_version = 1,
		.window = ADOPTED_IN_FLIGHT,
		.pin_window = true,
		.flow_window = ADOPTED_IN_FLIGHT,
		.pin_flow_window = true,
	};
	unsigned int files = open_files(), told = 0;
	struct madring_adopt_config file = { .receive = on_rest, .receive_user = &told };
	struct outcomes outcomes = { 0 };
	struct removable removable = { .ring = removable_ring() };
	struct madring_agent *agent;
	struct fabric fabric;
	uint32_t id, other;
	int fd;

	fabric_start(&fabric, GUID, true);
	fd = umad_open_port(fabric.ca_name, 1);
	assert_true(fd >= 0);
	id = smi_agent(fd);
	other = smi_agent(fd);
	file.ca_name = fabric.ca_name;
	assert_int_equal(madring_port_adopt(removable.ring, fd, &file, &removable.port), 0);
	assert_int_equal(madring_agent_adopt(removable.port, id, &config, &removable.agent), 0);
	removable_fly(&removable, ADOPTED_IN_FLIGHT, MADRING_FOREVER, &outcomes);
	fabric_kill(&fabric);
	removable_wait(removable.ring, &outcomes, ADOPTED_IN_FLIGHT);
	assert_int_equal(outcomes.gone, ADOPTED_IN_FLIGHT);
	while (!told)
		assert_true(madring_run(removable.ring, -1) >= 0);
	assert_int_equal(madring_agent_adopt(removable.port, other, &config, &agent), -ENODEV);
	assert_int_equal(madring_port_close(removable.port), 0);
	assert_int_equal(told, 1);
	assert_int_equal(madring_close(removable.ring), 0);
	assert_int_equal(umad_close_port(fd), 0);
	fabric_reap(&fabric);
	assert_int_equal(open_files(), files);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_that_wait_for_ever_end),
		cmocka_unit_test(test_requests_that_wait_long_end),
		cmocka_unit_test(test_event_loop_learns_of_removal),
		cmocka_unit_test(test_idle_event_loop_learns_of_removal),
		cmocka_unit_test(test_idle_ring_learns_of_removal),
		cmocka_unit_test(test_closing_after_removal_completes_requests),
		cmocka_unit_test(test_another_device_goes_on),
		cmocka_unit_test(test_traffic_is_cut),
		cmocka_unit_test(test_adopted_file_learns_of_removal),
	};

	removable_options(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
