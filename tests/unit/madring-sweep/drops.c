/* SPDX-License-Identifier: BSD-2-Clause */
/* The counting of drops: what switches are asked for, and what is made of their answers. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <madring.h>

#include "fabric/graph.h"
#include "pma/drops.h"

#define PORTS 4u
#define LID   7u
#define FULL  0xffffu
/* The status of an attribute with a field that is out of range. */
#define NO_SUCH_PORT 0x001c
#define MAD_BYTES    256u

/* A switch that answers in memory. */
struct agent {
	struct madring_fabric *fabric;
	struct node *node;
	uint16_t mask;
	uint32_t mask2;
	uint64_t dropped[PORTS + 1]; /* each port's VL15Dropped */
	uint64_t all;		     /* what it tells as the sum */
	unsigned int asked, asked_all;
	unsigned int first_port; /* the lowest that was asked by itself */
	uint16_t status;	 /* of replies, in host order */
	int error;		 /* of outcomes */
	uint16_t fault_in;	 /* the attribute that .status and .error are for; 0: all */
	bool always_sums;	 /* it answers for the sum, whatever its ClassPortInfo says */
};

static void open_agent(struct agent *agent, struct drops *drops)
{
	const struct madring_node_info info = { .type = MADRING_NODE_SWITCH,
						.port_count = PORTS,
						.node_guid = 0x10,
						.port_guid = 0x10 };

	*agent = (struct agent){ .fabric = fabric_new(), .first_port = PORTS + 1 };
	agent->node = fabric_add(agent->fabric, &info, &(struct route){ 0 });
	agent->node->port[0].info.lid = LID;
	fabric_settle(agent->fabric);
	drops_start(drops);
}

static void close_agent(struct agent *agent, struct drops *drops)
{
	drops_end(drops);
	fabric_free(agent->fabric);
}

/* Returns whether a request is for a sum that the switch does not have. */
static bool is_refused(const struct agent *agent, const struct switch_drops *from)
{
	return drops_attribute(from) != PMA_CLASS_PORT_INFO && from->port == PMA_ALL_PORTS &&
	       !(agent->mask & PMA_CAP_ALL_PORT_SELECT) && !agent->always_sums;
}

static uint64_t value_of(struct agent *agent, uint8_t port)
{
	if (port == PMA_ALL_PORTS) {
		agent->asked_all++;
		return agent->all;
	}
	assert_true(port <= PORTS);
	if (port < agent->first_port)
		agent->first_port = port;
	return agent->dropped[port];
}

static void fill_data(struct agent *agent, const struct switch_drops *from, uint8_t *data)
{
	uint16_t id = drops_attribute(from);

	drops_data(from, data);
	if (id == PMA_CLASS_PORT_INFO) {
		mad_set_field(data, 0, IB_CPI_CAPMASK_F, agent->mask);
		mad_set_field(data, 0, IB_CPI_CAPMASK2_F, agent->mask2);
	} else if (id == IB_GSI_PORT_COUNTERS_EXT) {
		mad_set_field64(data, 0, IB_PC_EXT_VL15_DROPPED_F,
				value_of(agent, pma_port_select(data)));
	} else {
		assert_int_equal(id, IB_GSI_PORT_COUNTERS);
		mad_set_field(data, 0, IB_PC_VL15_DROPPED_F,
			      (uint32_t)value_of(agent, pma_port_select(data)));
	}
}

static void answer(struct agent *agent, struct drops *drops, struct switch_drops *from)
{
	_Alignas(8) uint8_t mad[MAD_BYTES] = { 0 };
	uint16_t id = drops_attribute(from);
	bool is_faulty = !agent->fault_in || agent->fault_in == id;
	struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = IB_PERFORMANCE_CLASS,
		.class_version = 1,
		.method = MADRING_GET_RESP,
		.status = htobe16(is_refused(agent, from) ? NO_SUCH_PORT
				  : is_faulty		  ? agent->status
							  : 0),
		.attr_id = htobe16(id),
	};
	struct outcome outcome = {
		.error = is_faulty ? agent->error : 0,
		.mad = mad,
		.length = sizeof(mad),
		.asked_lid = from->lid,
		.source_lid = from->lid,
		.attempts = 1,
	};

	agent->asked++;
	memcpy(mad, &header, sizeof(header));
	fill_data(agent, from, mad + MADRING_PMA_DATA);
	drops_outcome(drops, from, &outcome);
}

static void answer_all(struct agent *agent, struct drops *drops)
{
	struct switch_drops *from;

	while ((from = drops_take(drops)))
		answer(agent, drops, from);
	assert_int_equal(drops->waiting, 0);
}

static const struct drops_total *total_of(const struct drops *drops)
{
	static struct drops_total total;

	drops_add_up(drops, &total);
	return &total;
}

static const char *text_of(const struct drops *drops)
{
	static char text[READING_TEXT_BYTES];

	assert_int_equal(total_of(drops)->unread, 1);
	return switch_drops_text(drops->switches[0], text);
}

static void test_drops_of_a_sum(void **state)
{
	struct drops drops;
	struct agent agent;

	open_agent(&agent, &drops);
	agent.mask = PMA_CAP_ALL_PORT_SELECT;
	agent.all = 100;
	drops_add(&drops, &agent.node->public);
	answer(&agent, &drops, drops_take(&drops));
	assert_int_equal(agent.asked_all, 1);
	agent.all = 110;
	answer_all(&agent, &drops);
	assert_int_equal(agent.asked, 2);
	agent.all = 123;
	drops_finish(&drops);
	answer_all(&agent, &drops);
	assert_int_equal(agent.asked, 3);
	assert_int_equal(agent.asked_all, 2);
	assert_int_equal(drops.mads, 3);
	assert_int_equal(drops.switches[0]->before, 100);
	assert_int_equal(drops.switches[0]->after, 123);
	assert_int_equal(total_of(&drops)->dropped, 23);
	assert_int_equal(total_of(&drops)->read, 1);
	assert_int_equal(total_of(&drops)->dropping, 1);
	assert_int_equal(total_of(&drops)->saturated, 0);
	close_agent(&agent, &drops);
}

/* An enhanced port 0 counts like any other. */
static void test_ports_one_by_one(void **state)
{
	for (unsigned int i = 0; i < 4; i++) {
		bool enhanced = i & 1;
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.node->public.enhanced_port0 = enhanced;
		/* A sum that the switch does not claim to have is not believed. */
		agent.always_sums = i & 2;
		agent.all = 77;
		drops_add(&drops, &agent.node->public);
		answer_all(&agent, &drops);
		assert_int_equal(agent.asked, 2 + PORTS + enhanced);
		/* It is known too late that the port 0 is an enhanced one. */
		agent.node->public.enhanced_port0 = true;
		for (unsigned int p = 0; p <= PORTS; p++)
			agent.dropped[p] = 1u << p;
		drops_finish(&drops);
		answer_all(&agent, &drops);
		assert_int_equal(agent.asked_all, 1);
		assert_int_equal(agent.first_port, enhanced ? 0 : 1);
		assert_int_equal(total_of(&drops)->dropped, enhanced ? 31 : 30);
		close_agent(&agent, &drops);
	}
}

/* A full sum tells nothing; the ports do, as long as they are not full, too. */
static void test_full_sum_needs_its_ports(void **state)
{
	for (unsigned int full = 0; full < 2; full++) {
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.mask = PMA_CAP_ALL_PORT_SELECT;
		agent.all = FULL;
		agent.dropped[1] = FULL - 1;
		agent.dropped[2] = full ? FULL : FULL - 1;
		drops_add(&drops, &agent.node->public);
		answer_all(&agent, &drops);
		agent.dropped[3] = 5;
		drops_finish(&drops);
		answer_all(&agent, &drops);
		assert_int_equal(agent.asked_all, 3);
		assert_int_equal(total_of(&drops)->dropped, 5);
		assert_int_equal(total_of(&drops)->saturated, full);
		close_agent(&agent, &drops);
	}
}

static void test_counters_of_64_bits(void **state)
{
	struct drops drops;
	struct agent agent;

	open_agent(&agent, &drops);
	agent.mask = PMA_CAP_ALL_PORT_SELECT | PMA_CAP_EXTENDED;
	agent.mask2 = PMA_CAP2_ADDITIONAL_EXTENDED;
	agent.all = FULL;
	drops_add(&drops, &agent.node->public);
	answer_all(&agent, &drops);
	assert_int_equal(agent.asked, 3);
	agent.all = UINT64_C(1) << 40;
	drops_finish(&drops);
	answer_all(&agent, &drops);
	assert_int_equal(agent.asked, 4);
	assert_int_equal(total_of(&drops)->dropped, (UINT64_C(1) << 40) - FULL);
	assert_int_equal(total_of(&drops)->saturated, 0);
	close_agent(&agent, &drops);
}

static void test_counter_that_was_cleared(void **state)
{
	struct drops drops;
	struct agent agent;

	open_agent(&agent, &drops);
	agent.mask = PMA_CAP_ALL_PORT_SELECT;
	agent.all = 1000;
	drops_add(&drops, &agent.node->public);
	answer_all(&agent, &drops);
	agent.all = 3;
	drops_finish(&drops);
	answer_all(&agent, &drops);
	assert_int_equal(total_of(&drops)->dropped, 3);
	close_agent(&agent, &drops);
}

static void test_no_lid(void **state)
{
	static const uint16_t none[] = { 0, 0xc000, 0xffff };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.node->port[0].info.lid = none[i];
		fabric_settle(agent.fabric);
		drops_add(&drops, &agent.node->public);
		drops_finish(&drops);
		assert_null(drops_take(&drops));
		assert_string_equal(text_of(&drops), "the port has no LID");
		assert_int_equal(total_of(&drops)->without_lid, 1);
		close_agent(&agent, &drops);
	}
}

/* A silent agent costs one request. One that has no ClassPortInfo is asked for its ports. */
static void test_refusals(void **state)
{
	static const struct {
		uint16_t fault_in, status;
		int error;
		unsigned int asked;
		const char *text; /* NULL: it is read all the same */
	} refusals[] = {
		{ 0, 0, -ETIMEDOUT, 1, "no reply" },
		{ PMA_CLASS_PORT_INFO, 0x000c, 0, 2 + 2 * PORTS, NULL },
		{ PMA_CLASS_PORT_INFO, 0x001c, 0, 2 + 2 * PORTS, NULL },
		{ PMA_CLASS_PORT_INFO, 0, -ETIMEDOUT, 2, "no reply" },
		{ IB_GSI_PORT_COUNTERS, 0x000c, 0, 3, "the node does not have it" },
		{ IB_GSI_PORT_COUNTERS, 0x0020, 0, 3, "error status 0x0020" },
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.fault_in = refusals[i].fault_in;
		agent.status = refusals[i].status;
		agent.error = refusals[i].error;
		drops_add(&drops, &agent.node->public);
		answer_all(&agent, &drops);
		drops_finish(&drops);
		answer_all(&agent, &drops);
		assert_int_equal(agent.asked, refusals[i].asked);
		if (refusals[i].text)
			assert_string_equal(text_of(&drops), refusals[i].text);
		else
			assert_int_equal(total_of(&drops)->read, 1);
		close_agent(&agent, &drops);
	}
}

/* A reading that is not over when the sweep ends would tell nothing of the time before. */
static void test_reading_after_the_sweep_tells_nothing(void **state)
{
	for (unsigned int sent = 0; sent < 2; sent++) {
		struct switch_drops *from = NULL;
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		drops_add(&drops, &agent.node->public);
		if (sent)
			from = drops_take(&drops);
		drops_finish(&drops);
		if (sent)
			answer(&agent, &drops, from);
		assert_null(drops_take(&drops));
		assert_string_equal(text_of(&drops), "no reply before the sweep had ended");
		close_agent(&agent, &drops);
	}
}

/*
 * ClassPortInfo may still be answered, or be asked for again, after the sweep: the counters were
 * read before that. Ports that were not read tell nothing any more.
 */
static void test_late_class(void **state)
{
	for (unsigned int i = 0; i < 6; i++) {
		bool is_sent = i % 3 > 0, is_canceled = i % 3 > 1, has_sum = i < 3;
		struct switch_drops *from = NULL;
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.mask = has_sum ? PMA_CAP_ALL_PORT_SELECT : 0;
		drops_add(&drops, &agent.node->public);
		answer(&agent, &drops, drops_take(&drops));
		if (is_sent)
			from = drops_take(&drops);
		agent.all = 9;
		drops_finish(&drops);
		agent.error = is_canceled ? -ECANCELED : 0;
		if (is_sent)
			answer(&agent, &drops, from);
		agent.error = 0;
		answer_all(&agent, &drops);
		assert_int_equal(total_of(&drops)->read, has_sum);
		assert_int_equal(total_of(&drops)->dropped, has_sum ? 9 : 0);
		if (!has_sum)
			assert_string_equal(text_of(&drops), "no reply before the sweep had ended");
		close_agent(&agent, &drops);
	}
}

static void test_stop(void **state)
{
	for (unsigned int error = 0; error < 2; error++) {
		struct switch_drops *from;
		struct drops drops;
		struct agent agent;

		open_agent(&agent, &drops);
		agent.error = error ? -ECANCELED : 0;
		drops_add(&drops, &agent.node->public);
		from = drops_take(&drops);
		drops_stop(&drops);
		answer(&agent, &drops, from);
		assert_null(drops_take(&drops));
		drops_add(&drops, &agent.node->public);
		assert_null(drops_take(&drops));
		assert_int_equal(drops.waiting, 0);
		assert_int_equal(total_of(&drops)->unread, 2);
		for (size_t i = 0; i < 2; i++)
			assert_string_equal(switch_drops_text(drops.switches[i], NULL),
					    "the sweep ended early");
		close_agent(&agent, &drops);
	}
}

static void test_order(void **state)
{
	struct madring_node_info info = { .type = MADRING_NODE_SWITCH, .port_count = PORTS };
	struct drops drops;
	struct agent agent;

	open_agent(&agent, &drops);
	for (uint8_t i = 200; i > 0; i--) {
		info.node_guid = 0x100u + i;
		drops_add(&drops, &fabric_add(agent.fabric, &info,
					      &(struct route){ .hops = 1, .port = { 0, i } })
					   ->public);
	}
	drops_order(&drops);
	for (size_t i = 0; i < drops.count; i++)
		assert_int_equal(drops.switches[i]->node->guid, 0x101 + i);
	close_agent(&agent, &drops);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drops_of_a_sum),
	cmocka_unit_test(test_ports_one_by_one),
	cmocka_unit_test(test_full_sum_needs_its_ports),
	cmocka_unit_test(test_counters_of_64_bits),
	cmocka_unit_test(test_counter_that_was_cleared),
	cmocka_unit_test(test_no_lid),
	cmocka_unit_test(test_refusals),
	cmocka_unit_test(test_reading_after_the_sweep_tells_nothing),
	cmocka_unit_test(test_late_class),
	cmocka_unit_test(test_stop),
	cmocka_unit_test(test_order),
};

TEST_MAIN(tests, NULL, NULL)
