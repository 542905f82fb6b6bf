/* SPDX-License-Identifier: BSD-2-Clause */
/* Vendor classes 0x30 to 0x4f: an agent of each OUI receives what bears its OUI. */
#include "abilities_local.h"

#include <errno.h>
#include <string.h>

#define CLASS_VENDOR 0x32
#define OUI_OFFSET   37 /* behind the RMPP header and a reserved byte */
#define REQUESTS     50

/* The OUIs of the agents, which differ in one byte each. */
static const uint32_t ouis[] = { 0x001405, 0x001406, 0x001505, 0x011405 };
#define OUIS  (sizeof(ouis) / sizeof(ouis[0]))
#define OTHER 0x00ffff

static struct local local;
static unsigned int received[OUIS];

static uint32_t oui_of(const struct madring_mad *mad)
{
	const uint8_t *oui = (const uint8_t *)madring_mad_const_data(mad) + OUI_OFFSET;

	return (uint32_t)oui[0] << 16 | (uint32_t)oui[1] << 8 | oui[2];
}

static void on_request(const struct madring_received *request)
{
	const struct madring_send_options send = { .no_reply = true };
	const uint32_t *oui = request->user;

	assert_int_equal(request->status, 0);
	assert_int_equal(oui_of(request->mad), *oui);
	received[oui - ouis]++;
	assert_int_equal(madring_mad_keep(local.ring, request->mad), 0);
	madring_response_prepare(request->mad, request->mad);
	assert_int_equal(madring_send(request->agent, request->mad, &send), 0);
}

static struct madring_agent_config replier(const uint32_t *oui)
{
	return (struct madring_agent_config){
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.oui = *oui,
		.method_mask = { 1 << MADRING_GET },
		.receive = on_request,
		.receive_user = (void *)(uintptr_t)oui,
	};
}

struct outcomes {
	unsigned int answered, refused;
};

static void on_answer(const struct madring_completion *completion)
{
	struct outcomes *outcomes = completion->user;

	assert_int_equal(completion->status, 0);
	assert_int_equal(oui_of(completion->mad), oui_of(completion->request));
	if (madring_mad_status(completion->mad))
		outcomes->refused++;
	else
		outcomes->answered++;
}

/* The request has the OUI of @client. */
static void ask(struct madring_agent *client, uint16_t lid, struct outcomes *outcomes)
{
	const struct madring_send_options send = { .callback = on_answer, .user = outcomes };
	struct madring_mad *mad = local_mad(client);

	madring_gmp_prepare(mad, lid, MADRING_GET, 0x20, 0);
	assert_int_equal(madring_send(client, mad, &send), 0);
}

static void test_agents_get_requests_of_their_oui(void **state)
{
	struct madring_agent_config config = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.oui = OTHER,
		.timeout_ms = 5000,
	};
	struct outcomes outcomes = { 0 };
	struct madring_agent *agent, *client, *clients[OUIS];
	struct madring_ca_port *port;

	local_open(&local);
	assert_int_equal(madring_ca_port_get(NULL, 0, &port), 0);
	assert_int_equal(madring_agent_open(local.port, &config, &client), 0);
	for (unsigned int i = 0; i < OUIS; i++) {
		config.oui = ouis[i];
		assert_int_equal(madring_agent_open(local.port, &config, &clients[i]), 0);
	}
	for (unsigned int i = 0; i < OUIS; i++) {
		config = replier(&ouis[i]);
		assert_int_equal(madring_agent_open(local.port, &config, &agent), 0);
	}
	for (unsigned int i = 0; i < REQUESTS * OUIS; i++)
		ask(clients[i % OUIS], (uint16_t)port->lid, &outcomes);
	/* No agent has this OUI, and the kernel says so. */
	ask(client, (uint16_t)port->lid, &outcomes);
	while (outcomes.answered + outcomes.refused < REQUESTS * OUIS + 1)
		assert_true(madring_run(local.ring, -1) > 0);
	assert_int_equal(outcomes.refused, 1);
	/* A busy machine may have had some of them asked again. */
	for (unsigned int i = 0; i < OUIS; i++)
		assert_true(received[i] >= REQUESTS);
	madring_ca_port_release(port);
	local_close(&local);
}

static void test_oui_has_three_bytes(void **state)
{
	static const uint32_t bad[] = { 0, 0x1000000, UINT32_MAX };
	static const uint8_t classes[] = { 0x30, CLASS_VENDOR, 0x4f };
	struct madring_agent *agent;

	local_open(&local);
	for (unsigned int i = 0; i < sizeof(classes); i++) {
		struct madring_agent_config config = {
			.mgmt_class = classes[i],
			.class_version = 1,
			.oui = ouis[0],
		};

		assert_int_equal(madring_agent_open(local.port, &config, &agent), 0);
		for (unsigned int j = 0; j < 3; j++) {
			config.oui = bad[j];
			assert_int_equal(madring_agent_open(local.port, &config, &agent), -EINVAL);
		}
	}
	local_close(&local);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_agents_get_requests_of_their_oui),
	cmocka_unit_test(test_oui_has_three_bytes),
};

TEST_MAIN(tests, NULL, NULL)
