/* SPDX-License-Identifier: BSD-2-Clause */
#include "abilities_local.h"

#include <stdlib.h>
#include <string.h>

#define SA_VERSION 2

void local_open(struct local *local)
{
	const struct madring_config config = { .transactions = 1024, .reads = 256 };

	assert_int_equal(madring_open(&local->ring, &config), 0);
	assert_int_equal(madring_port_open(local->ring, NULL, 0, NULL, &local->port), 0);
}

void local_close(struct local *local)
{
	assert_int_equal(madring_close(local->ring), 0);
}

struct madring_agent *local_agent(struct local *local, uint8_t mgmt_class)
{
	const struct madring_agent_config config = {
		.mgmt_class = mgmt_class,
		.class_version = mgmt_class == CLASS_SA ? SA_VERSION : 1,
		/* A busy machine is no reason for a MAD to be late. */
		.timeout_ms = 5000,
	};
	struct madring_agent *agent;

	assert_int_equal(madring_agent_open(local->port, &config, &agent), 0);
	return agent;
}

struct madring_mad *local_mad(struct madring_agent *agent)
{
	struct madring_mad *mad = madring_mad_alloc(agent);

	assert_non_null(mad);
	return mad;
}

void local_ask(struct local *local, struct madring_agent *agent, struct madring_mad *mad,
	       size_t offset, void *data, size_t bytes)
{
	struct madring_completion completion;

	assert_int_equal(madring_call(agent, mad, NULL, &completion), 0);
	assert_int_equal(completion.status, 0);
	assert_int_equal(madring_mad_status(completion.mad), 0);
	assert_true(completion.length >= offset + bytes);
	memcpy(data, (const uint8_t *)madring_mad_data(completion.mad) + offset, bytes);
	madring_mad_free(local->ring, completion.mad);
	madring_mad_free(local->ring, completion.request);
}

void local_ask_in_vain(struct local *local, struct madring_agent *agent, struct madring_mad *mad,
		       int status)
{
	const struct madring_send_options send = { .timeout_ms = 50,
						   .retries = MADRING_NO_RETRIES };
	struct madring_completion completion;

	assert_int_equal(madring_call(agent, mad, &send, &completion), 0);
	assert_int_equal(completion.status, status);
	assert_null(completion.mad);
	madring_mad_free(local->ring, completion.request);
}

bool local_has_driver(void)
{
	const char *driver = getenv("MADRING_TEST_DRIVER");

	return driver && !strcmp(driver, "real");
}
