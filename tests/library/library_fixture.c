/* SPDX-License-Identifier: BSD-2-Clause */
#include "library_fixture.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* The offset of a test's mark in a MAD: in its data. */
#define MARK 100

const struct madring_agent_config fixture_patient = { .timeout_ms = MADRING_FOREVER };
const struct madring_agent_config fixture_smps = {
	.mgmt_class = MADRING_CLASS_SMP_DIRECTED,
	.class_version = 1,
	.timeout_ms = MADRING_FOREVER,
};

enum madring_receive fixture_receive(void)
{
	const char *name = getenv("MADRING_TEST_RECEIVE");

	if (name && !strcmp(name, "multishot"))
		return MADRING_RECEIVE_MULTISHOT;
	if (name && !strcmp(name, "posted"))
		return MADRING_RECEIVE_POSTED;
	fail_msg("MADRING_TEST_RECEIVE must be multishot or posted");
	return MADRING_RECEIVE_AUTO;
}

void fixture_open(struct fixture *fixture, const struct madring_config *config,
		  const struct madring_agent_config *agent_config)
{
	struct madring_config own = { 0 };
	struct madring_agent_config own_agent = { 0 };

	if (config)
		own = *config;
	if (agent_config)
		own_agent = *agent_config;
	if (!own.transactions)
		own.transactions = 1024;
	if (!own.reads)
		own.reads = 256;
	own.receive = fixture_receive();
	own.seed = 1;
	if (!own_agent.mgmt_class) {
		own_agent.mgmt_class = CLASS_SA;
		own_agent.class_version = 2;
	}
	fake_reset(0, 0);
	assert_int_equal(madring_open(&fixture->ring, &own), 0);
	assert_int_equal(madring_port_open(fixture->ring, NULL, 0, NULL, &fixture->port), 0);
	assert_int_equal(madring_agent_open(fixture->port, &own_agent, &fixture->agent), 0);
}

void fixture_close(struct fixture *fixture)
{
	assert_int_equal(madring_close(fixture->ring), 0);
	assert_int_equal(fake_lanes(), 0);
	assert_int_equal(fake_agents(), 0);
	fake_reset(0, 0);
}

static struct fixture fixture_of_test;

int fixture_setup(void **state)
{
	*state = &fixture_of_test;
	fixture_open(&fixture_of_test, NULL, NULL);
	return 0;
}

int patient_setup(void **state)
{
	*state = &fixture_of_test;
	fixture_open(&fixture_of_test, NULL, &fixture_patient);
	return 0;
}

int smp_setup(void **state)
{
	*state = &fixture_of_test;
	fixture_open(&fixture_of_test, NULL, &fixture_smps);
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *fixture = *state;

	/* A callback could still write to variables of the test. */
	assert_int_equal(madring_outstanding(fixture->ring), 0);
	fixture_close(fixture);
	return 0;
}

struct madring_mad *fixture_request(struct fixture *fixture, uint16_t lid, uint32_t mark)
{
	struct madring_mad *mad = madring_mad_alloc(fixture->agent);

	assert_non_null(mad);
	madring_gmp_prepare(mad, lid, MADRING_GET, 0x11, 0);
	memcpy((uint8_t *)madring_mad_data(mad) + MARK, &mark, sizeof(mark));
	return mad;
}

uint32_t fixture_mark(const void *mad)
{
	uint32_t mark;

	memcpy(&mark, (const uint8_t *)mad + MARK, sizeof(mark));
	return mark;
}

void count_outcome(const struct madring_completion *completion)
{
	struct outcomes *outcomes = completion->user;

	outcomes->count++;
	outcomes->last_status = completion->status;
	outcomes->last_attempts = completion->attempts;
	if (completion->mad)
		outcomes->last_mark = fixture_mark(madring_mad_data(completion->mad));
}

void fixture_send(struct fixture *fixture, unsigned int count, struct outcomes *outcomes)
{
	const struct madring_send_options send = { .callback = count_outcome, .user = outcomes };

	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(
			madring_send(fixture->agent,
				     fixture_request(fixture, (uint16_t)(i % 40000 + 1), i), &send),
			0);
}

void fixture_finish(struct fixture *fixture)
{
	while (madring_outstanding(fixture->ring)) {
		assert_true(madring_step(fixture->ring) >= 0);
		fake_answer_all();
	}
}

void fixture_wait(struct fixture *fixture, const struct outcomes *outcomes, unsigned int count)
{
	while (outcomes->count < count)
		assert_true(madring_run(fixture->ring, 1000) >= 0);
}

void fixture_drain(struct fixture *fixture)
{
	while (madring_outstanding(fixture->ring))
		assert_true(madring_run(fixture->ring, -1) >= 0);
}

void fixture_take(struct fixture *fixture, struct fake_umad *umad)
{
	while (!fake_take(umad))
		assert_true(madring_run(fixture->ring, 1) >= 0);
}

void fixture_wait_readable(struct fixture *fixture)
{
	struct pollfd fd = { .fd = madring_fd(fixture->ring), .events = POLLIN };

	assert_int_equal(poll(&fd, 1, 20000), 1);
}

void fixture_set_rmpp(uint8_t *mad, uint8_t flags, uint32_t segment, uint32_t length)
{
	const struct madring_rmpp_hdr header = {
		.version = MADRING_RMPP_VERSION,
		.type = MADRING_RMPP_DATA,
		.flags = MADRING_RMPP_ACTIVE | flags,
		.segment = htobe32(segment),
		.length = htobe32(length),
	};

	memcpy(mad + sizeof(struct madring_mad_hdr), &header, sizeof(header));
}
