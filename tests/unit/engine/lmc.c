/* SPDX-License-Identifier: BSD-2-Clause */
/* A port with an LMC has several LIDs, and may reply from another one than was asked. */
#include "cmocka_all.h"

#include "engine/engine_state.h"
#include "engine_fixture.h"

#define LID 0x48

struct scene {
	struct engine *engine;
	struct buffer request, reply;
};

/* Sends a request to LID by an agent whose port has @lmc, and makes its reply. */
static struct scene ask(uint8_t lmc)
{
	struct scene scene = { .engine = fixture_open(16, MS, 0) };
	struct engine_agent_config config = fixture_agent();
	unsigned int agent;

	config.lmc = lmc;
	agent = (unsigned int)engine_agent_open(scene.engine, &config);
	fixture_request(&scene.request, LID, 0x12);
	fixture_send(scene.engine, agent, &scene.request);
	fixture_reply(&scene.reply, fixture_write(scene.engine, 0).umad);
	return scene;
}

/* Checks what becomes of a reply from @lid. */
static void expect(uint8_t lmc, uint16_t lid, enum engine_receive what)
{
	struct scene scene = ask(lmc);

	scene.reply.umad.addr.lid = htobe16(lid);
	assert_int_equal(fixture_receive(scene.engine, &scene.reply, MS), what);
	assert_int_equal(engine_stats(scene.engine)->unmatched, what == ENGINE_UNMATCHED);
	engine_close(scene.engine);
}

static void test_reply_must_come_from_the_asked_lid(void **state)
{
	expect(0, LID, ENGINE_REPLY);
	expect(0, LID + 1, ENGINE_UNMATCHED);
	expect(0, LID + 0x100, ENGINE_UNMATCHED);
}

static void test_any_lid_of_the_port(void **state)
{
	for (uint16_t i = 0; i < 8; i++)
		expect(3, LID + i, ENGINE_REPLY);
	expect(3, LID - 1, ENGINE_UNMATCHED);
	expect(3, LID + 8, ENGINE_UNMATCHED);
	expect(3, LID + 0x100, ENGINE_UNMATCHED);
	expect(7, LID + 0x37, ENGINE_REPLY);
	expect(7, LID + 0x38, ENGINE_UNMATCHED);
}

/* All else is still compared. */
static void test_reply_to_another_request_is_unmatched(void **state)
{
	struct scene scene = ask(3);

	scene.reply.umad.addr.lid = htobe16(LID + 1);
	((struct madring_mad_hdr *)scene.reply.mad)->attr_mod ^= 1;
	assert_int_equal(fixture_receive(scene.engine, &scene.reply, MS), ENGINE_UNMATCHED);
	engine_close(scene.engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_reply_must_come_from_the_asked_lid),
	cmocka_unit_test(test_any_lid_of_the_port),
	cmocka_unit_test(test_reply_to_another_request_is_unmatched),
};

TEST_MAIN(tests, NULL, NULL)
