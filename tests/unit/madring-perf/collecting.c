/* SPDX-License-Identifier: BSD-2-Clause */
/* The collector: the requests that it makes, and its results when answers are spoilt. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <madring.h>

#include "fabric/graph.h"
#include "perf_answers.h"

#define CAP_FULL { PMA_CAP_EXTENDED | PMA_CAP_XMIT_WAIT, PMA_CAP2_ADDITIONAL_EXTENDED }
#define PORTS	 (SWITCH_PORTS + HOST_PORTS)

/* An answer that is spoilt, and the result that is expected. */
struct spoilt {
	uint16_t lid;
	uint8_t port;
	enum pma_attribute attribute;
	void (*how)(struct answer *answer);
	enum reading_state state;
};

static bool is_it(const struct spoilt *spoilt, const struct request *request)
{
	return request->port && request_lid(request) == spoilt->lid &&
	       request->port->number == spoilt->port && request->attribute == spoilt->attribute;
}

static void spoil_one(struct agents *agents, const struct request *request, struct answer *answer)
{
	const struct spoilt *spoilt = agents->context;

	if (is_it(spoilt, request))
		spoilt->how(answer);
}

static struct madring_mad_hdr *header_of(struct answer *answer)
{
	return (struct madring_mad_hdr *)answer->mad;
}

static void of_another_port(struct answer *answer)
{
	pma_set_port_select(answer->mad + MADRING_PMA_DATA, 3);
}

static void of_another_attribute(struct answer *answer)
{
	header_of(answer)->attr_id = htobe16(IB_GSI_PORT_SAMPLES_RESULT);
}

static void with_a_modifier(struct answer *answer)
{
	header_of(answer)->attr_mod = htobe32(1);
}

static void of_another_class(struct answer *answer)
{
	header_of(answer)->mgmt_class = IB_SMI_CLASS;
}

static void not_an_answer(struct answer *answer)
{
	header_of(answer)->method = MADRING_GET;
}

static void from_another_node(struct answer *answer)
{
	answer->outcome.source_lid = 2;
}

static void truncated(struct answer *answer)
{
	answer->outcome.length = ANSWER_BYTES - 1;
}

static void empty(struct answer *answer)
{
	answer->outcome.length = 0;
}

static void with_an_error(struct answer *answer)
{
	header_of(answer)->status = htobe16(7 << 2);
}

static void busy(struct answer *answer)
{
	header_of(answer)->status = htobe16(1);
}

static void not_supported(struct answer *answer)
{
	header_of(answer)->status = htobe16(3 << 2);
}

static void method_not_supported(struct answer *answer)
{
	header_of(answer)->status = htobe16(2 << 2);
}

static void none(struct answer *answer)
{
	answer->outcome.error = -ETIMEDOUT;
	answer->outcome.mad = NULL;
	answer->outcome.attempts = 6;
}

static void not_sent(struct answer *answer)
{
	answer->outcome.error = -EIO;
	answer->outcome.mad = NULL;
	answer->outcome.attempts = 0;
}

static struct agents full_agents(void)
{
	return (struct agents){ .switch_capabilities = CAP_FULL, .host_capabilities = CAP_FULL };
}

/* Checks that every field of a reading is as the agent sent it. */
static void check_values(const struct port_counters *port, enum pma_attribute attribute)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);
	const uint8_t *data = port_data(port, attribute);

	assert_non_null(data);
	for (unsigned int field = info->first; field < info->last; field++)
		if (field != IB_PC_COUNTER_SELECT2_F)
			assert_int_equal(pma_field(field, data),
					 answers_value(port_counters_lid(port), port->number,
						       attribute, field));
}

static void check_port(const struct port_counters *port, uint32_t attributes,
		       const struct spoilt *spoilt)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++) {
		if (!(attributes & PMA_SET(a)))
			assert_null(port->reading[a]);
		else if (spoilt && port_counters_lid(port) == spoilt->lid &&
			 port->number == spoilt->port && spoilt->attribute == a)
			assert_int_equal(port->reading[a]->state, spoilt->state);
		else
			check_values(port, a);
	}
}

static void check_all(const struct collection *collection, uint32_t attributes,
		      const struct spoilt *spoilt)
{
	assert_int_equal(collection->port_count, PORTS);
	for (size_t i = 0; i < collection->node_count; i++)
		for (size_t p = 0; p < collection->nodes[i].port_count; p++)
			check_port(&collection->nodes[i].ports[p], attributes, spoilt);
}

static void test_spoilt_answer_spoils_no_other(void **state)
{
	static const struct {
		void (*how)(struct answer *answer);
		enum reading_state state;
	} ways[] = {
		{ of_another_port, READING_MALFORMED },
		{ of_another_attribute, READING_MALFORMED },
		{ with_a_modifier, READING_MALFORMED },
		{ of_another_class, READING_MALFORMED },
		{ not_an_answer, READING_MALFORMED },
		{ from_another_node, READING_MALFORMED },
		{ truncated, READING_MALFORMED },
		{ empty, READING_MALFORMED },
		{ with_an_error, READING_STATUS },
		{ busy, READING_STATUS },
		{ not_supported, READING_UNSUPPORTED },
		{ method_not_supported, READING_UNSUPPORTED },
		{ none, READING_NO_REPLY },
		{ not_sent, READING_NO_REPLY },
	};
	struct plan plan = { .attributes = PMA_SET_BASE | PMA_SET_DETAILS };
	struct madring_fabric *fabric = answers_fabric();

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct spoilt spoilt = { 1, 2, PMA_EXTENDED, ways[i].how, ways[i].state };
		struct agents agents = full_agents();
		struct collection *collection;

		agents.spoil = spoil_one;
		agents.context = &spoilt;
		agents.seed = i + 1;
		collection = answers_collect(&agents, fabric, &plan);
		check_all(collection, plan.attributes, &spoilt);
		assert_int_equal(collection->unreachable_count, 0);
		assert_int_equal(collection_complete(collection),
				 spoilt.state == READING_UNSUPPORTED);
		assert_int_equal(collection->stats.replies, 2 + 4 * PORTS - 1);
		assert_int_equal(collection->stats.requests, 2 + 4 * PORTS);
		collection_free(collection);
	}
	fabric_free(fabric);
}

static void test_ports_are_asked_for_their_attributes(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = { .switch_capabilities = { PMA_CAP_EXTENDED_NOIETF, 0 } };
	struct collection *collection = answers_collect(&agents, fabric, &plan);

	assert_true(collection_complete(collection));
	for (unsigned int p = 1; p <= SWITCH_PORTS; p++)
		check_port(answers_port(collection, SWITCH_GUID, p), PMA_SET_BASE, NULL);
	for (unsigned int p = 1; p <= HOST_PORTS; p++)
		check_port(answers_port(collection, HOST_GUID, p), PMA_SET(PMA_COUNTERS), NULL);
	assert_int_equal(agents.gets, 2 + 2 * SWITCH_PORTS + HOST_PORTS);
	assert_int_equal(agents.sets, 0);
	assert_int_equal(collection->stats.rtt_count, agents.gets);
	assert_int_equal(collection->stats.rtt_bucket[1], agents.gets); /* 100 to 250 us */
	collection_free(collection);
	fabric_free(fabric);
}

static void test_enhanced_port_0_counts(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = full_agents();
	struct collection *collection;

	fabric_find(fabric, SWITCH_GUID)->public.enhanced_port0 = true;
	fabric_settle(fabric);
	collection = answers_collect(&agents, fabric, &plan);
	assert_int_equal(collection->port_count, PORTS + 1);
	check_port(answers_port(collection, SWITCH_GUID, 0), PMA_SET_BASE, NULL);
	collection_free(collection);
	fabric_free(fabric);
}

static void silent_lid(struct agents *agents, const struct request *request, struct answer *answer)
{
	if (request_lid(request) == *(const uint16_t *)agents->context)
		none(answer);
}

static void test_silent_switch_is_asked_once(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = full_agents();
	struct collection *collection;
	uint16_t lid = 1;

	agents.spoil = silent_lid;
	agents.context = &lid;
	collection = answers_collect(&agents, fabric, &plan);
	assert_int_equal(collection->unreachable_count, 1);
	assert_true(collection->nodes[0].unreachable);
	assert_false(collection_complete(collection));
	assert_int_equal(agents.gets, 1 + 1 + 2 * HOST_PORTS);
	assert_null(answers_port(collection, SWITCH_GUID, 1)->reading[PMA_COUNTERS]);
	check_port(answers_port(collection, HOST_GUID, 1), PMA_SET_BASE, NULL);
	assert_int_equal(collection->stats.timed_out, 1);
	assert_int_equal(collection->stats.retries, 5);
	collection_free(collection);
	fabric_free(fabric);
}

static void test_host_is_asked_through_its_other_port(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = full_agents();
	struct collection *collection;
	uint16_t lid = 2;

	agents.spoil = silent_lid;
	agents.context = &lid;
	collection = answers_collect(&agents, fabric, &plan);
	assert_int_equal(collection->unreachable_count, 0);
	check_port(answers_port(collection, HOST_GUID, 2), PMA_SET_BASE, NULL);
	assert_int_equal(answers_port(collection, HOST_GUID, 1)->reading[PMA_COUNTERS]->state,
			 READING_NO_REPLY);
	assert_false(collection_complete(collection));
	collection_free(collection);
	fabric_free(fabric);
}

static void test_node_without_lid_is_not_asked(void **state)
{
	static const uint16_t lids[] = { 0, 0xc000, 0xffff };
	struct plan plan = { .attributes = PMA_SET_BASE };

	for (size_t i = 0; i < sizeof(lids) / sizeof(lids[0]); i++) {
		struct madring_fabric *fabric = answers_fabric();
		struct agents agents = full_agents();
		struct collection *collection;

		fabric_find(fabric, SWITCH_GUID)->port[0].info.lid = lids[i];
		fabric_find(fabric, HOST_GUID)->port[1].info.lid = lids[i];
		fabric_settle(fabric);
		collection = answers_collect(&agents, fabric, &plan);
		assert_int_equal(collection->unreachable_count, 1);
		assert_int_equal(agents.gets, 1 + 2);
		check_port(answers_port(collection, HOST_GUID, 2), PMA_SET_BASE, NULL);
		assert_int_equal(
			answers_port(collection, HOST_GUID, 1)->reading[PMA_COUNTERS]->error,
			-EDESTADDRREQ);
		collection_free(collection);
		fabric_free(fabric);
	}
}

static void refuse_class_port_info(struct agents *agents, const struct request *request,
				   struct answer *answer)
{
	if (!request->port)
		with_an_error(answer);
}

static void test_without_class_port_info_there_are_port_counters(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = full_agents();
	struct collection *collection;

	agents.spoil = refuse_class_port_info;
	collection = answers_collect(&agents, fabric, &plan);
	check_all(collection, PMA_SET(PMA_COUNTERS), NULL);
	assert_int_equal(collection->stats.refused, 2);
	assert_false(collection_complete(collection));
	collection_free(collection);
	fabric_free(fabric);
}

static bool look(void *context, const struct port_counters *all)
{
	assert_int_equal(all->number, PMA_ALL_PORTS);
	return *(const bool *)context;
}

static struct agents summing_agents(void)
{
	struct agents agents = full_agents();

	agents.switch_capabilities.mask |= PMA_CAP_ALL_PORT_SELECT;
	return agents;
}

static void test_sum_comes_first(void **state)
{
	struct madring_fabric *fabric = answers_fabric();

	for (int closer = 0; closer < 2; closer++) {
		bool context = closer;
		struct plan plan = { .attributes = PMA_SET_BASE,
				     .look_closer = look,
				     .context = &context };
		struct agents agents = summing_agents();
		struct collection *collection = answers_collect(&agents, fabric, &plan);
		uint32_t asked = closer ? PMA_SET_BASE : 0;

		check_port(answers_port(collection, SWITCH_GUID, PMA_ALL_PORTS), PMA_SET_BASE,
			   NULL);
		check_port(answers_port(collection, SWITCH_GUID, 3), asked, NULL);
		check_port(answers_port(collection, HOST_GUID, 1), PMA_SET_BASE, NULL);
		assert_true(collection_complete(collection));
		collection_free(collection);
	}
	fabric_free(fabric);
}

static void test_ports_are_asked_when_the_node_has_no_sum(void **state)
{
	struct spoilt spoilt = { 1, PMA_ALL_PORTS, PMA_COUNTERS, with_an_error, READING_STATUS };
	bool closer = false;
	struct plan plan = { .attributes = PMA_SET_BASE, .look_closer = look, .context = &closer };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = summing_agents();
	struct collection *collection;

	agents.spoil = spoil_one;
	agents.context = &spoilt;
	collection = answers_collect(&agents, fabric, &plan);
	check_all(collection, PMA_SET_BASE, NULL);
	collection_free(collection);
	fabric_free(fabric);
}

static bool only_host(void *context, const struct madring_node *node)
{
	return node->type == MADRING_NODE_CA;
}

static void test_chosen_nodes_alone_are_asked(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE, .wanted = only_host };
	struct madring_fabric *fabric = answers_fabric();
	struct agents agents = full_agents();
	struct collection *collection = answers_collect(&agents, fabric, &plan);

	assert_int_equal(agents.gets, 1 + 2 * HOST_PORTS);
	assert_false(collection->nodes[0].wanted);
	assert_true(collection_complete(collection));
	collection_free(collection);
	fabric_free(fabric);
}

/* The counters that a Set may clear, and the Sets seen. */
struct clearing {
	unsigned int counters, extended, details, others;
	uint32_t counters_select;
	uint64_t extended_select;
	uint8_t failed_port; /* whose PortCounters could not be read */
	bool of_all;
};

static void watch_clear(struct agents *agents, const struct request *request, struct answer *answer)
{
	struct clearing *clearing = agents->context;
	_Alignas(8) uint8_t data[PMA_DATA_BYTES];

	if (request_method(request) == MADRING_GET) {
		if (request->port && request->port->number == clearing->failed_port &&
		    request_lid(request) == 1 && request->attribute == PMA_COUNTERS)
			with_an_error(answer);
		return;
	}
	request_data(request, data);
	assert_int_equal(pma_port_select(data), request->port->number);
	clearing->of_all |= request->port->number == PMA_ALL_PORTS;
	if (request->attribute == PMA_COUNTERS) {
		clearing->counters++;
		clearing->counters_select = mad_get_field(data, 0, IB_PC_COUNTER_SELECT_F) |
					    mad_get_field(data, 0, IB_PC_COUNTER_SELECT2_F) << 16;
		assert_true(request_lid(request) != 1 ||
			    request->port->number != clearing->failed_port);
		for (unsigned int field = IB_PC_ERR_LOCALINTEG_F; field < IB_PC_LAST_F; field++)
			assert_int_equal(pma_field(field, data), 0);
	} else if (request->attribute == PMA_EXTENDED) {
		clearing->extended++;
		clearing->extended_select =
			mad_get_field(data, 0, IB_PC_EXT_COUNTER_SELECT_F) |
			(uint64_t)mad_get_field(data, 0, IB_PC_EXT_COUNTER_SELECT2_F) << 16;
	} else if (PMA_SET(request->attribute) & PMA_SET_DETAILS) {
		clearing->details++;
	} else {
		clearing->others++;
	}
}

static void clear(struct plan *plan, struct agents *agents, struct clearing *clearing)
{
	struct madring_fabric *fabric = answers_fabric();

	agents->spoil = watch_clear;
	agents->context = clearing;
	collection_free(answers_collect(agents, fabric, plan));
	fabric_free(fabric);
}

static void test_read_counters_are_cleared(void **state)
{
	struct plan plan = { .attributes = PMA_SET_ALL, .clear_errors = true };
	struct clearing clearing = { .failed_port = 2 };
	struct agents agents = full_agents();

	clear(&plan, &agents, &clearing);
	assert_int_equal(clearing.counters, PORTS - 1);
	assert_int_equal(clearing.counters_select, 0x10fff);
	assert_int_equal(clearing.extended, PORTS);
	assert_int_equal(clearing.extended_select, 0x1fff0000);
	assert_int_equal(clearing.details, 2 * PORTS);
	assert_int_equal(clearing.others, 0);
	assert_false(clearing.of_all);
}

static void test_counts_are_cleared_alone(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE, .clear_counts = true };
	struct clearing clearing = { .failed_port = PMA_ALL_PORTS };
	struct agents agents = full_agents();

	clear(&plan, &agents, &clearing);
	assert_int_equal(clearing.counters, PORTS);
	assert_int_equal(clearing.counters_select, 0xf000);
	assert_int_equal(clearing.extended_select, 0xff);
}

static void test_node_with_fewer_attributes_is_cleared_of_those(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE,
			     .clear_counts = true,
			     .clear_errors = true };
	struct clearing clearing = { .failed_port = PMA_ALL_PORTS };
	struct agents agents = { .switch_capabilities = { PMA_CAP_EXTENDED_NOIETF, 0 } };

	clear(&plan, &agents, &clearing);
	assert_int_equal(clearing.counters_select, 0xffff);
	assert_int_equal(clearing.extended, SWITCH_PORTS);
	assert_int_equal(clearing.extended_select, 0xf);
}

static void test_sum_is_cleared_by_one_request(void **state)
{
	struct plan plan = { .attributes = PMA_SET_BASE,
			     .clear_errors = true,
			     .wanted = NULL,
			     .look_closer = look };
	bool closer = false;
	struct clearing clearing = { .failed_port = 77 };
	struct agents agents = summing_agents();

	plan.context = &closer;
	clear(&plan, &agents, &clearing);
	assert_true(clearing.of_all);
	assert_int_equal(clearing.counters, 1 + HOST_PORTS);
}

/* Flips bits, also in the fields that name the port and the attribute. */
static void flip_bits(struct agents *agents, const struct request *request, struct answer *answer)
{
	if (prng_below(&agents->prng, 3))
		return;
	for (unsigned int i = 1 + prng_below(&agents->prng, 8); i > 0; i--)
		answer->mad[prng_below(&agents->prng, 80)] ^= 1u << prng_below(&agents->prng, 8);
	if (!prng_below(&agents->prng, 8))
		answer->outcome.length = prng_below(&agents->prng, ANSWER_BYTES + 1);
	if (!prng_below(&agents->prng, 8))
		answer->outcome.error = -ETIMEDOUT;
}

static void test_spoilt_answers(void **state)
{
	struct madring_fabric *fabric = answers_fabric();

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		bool closer = seed & 1;
		struct plan plan = { .attributes = PMA_SET_ALL,
				     .look_closer = seed & 2 ? look : NULL,
				     .context = &closer,
				     .clear_errors = seed & 4,
				     .clear_counts = seed & 8 };
		struct agents agents = summing_agents();
		struct collection *collection;

		agents.seed = seed;
		agents.spoil = flip_bits;
		collection = answers_collect(&agents, fabric, &plan);
		assert_int_equal(collection->stats.requests, agents.gets + agents.sets);
		collection_free(collection);
	}
	fabric_free(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_spoilt_answer_spoils_no_other),
	cmocka_unit_test(test_ports_are_asked_for_their_attributes),
	cmocka_unit_test(test_enhanced_port_0_counts),
	cmocka_unit_test(test_silent_switch_is_asked_once),
	cmocka_unit_test(test_host_is_asked_through_its_other_port),
	cmocka_unit_test(test_node_without_lid_is_not_asked),
	cmocka_unit_test(test_without_class_port_info_there_are_port_counters),
	cmocka_unit_test(test_sum_comes_first),
	cmocka_unit_test(test_ports_are_asked_when_the_node_has_no_sum),
	cmocka_unit_test(test_chosen_nodes_alone_are_asked),
	cmocka_unit_test(test_read_counters_are_cleared),
	cmocka_unit_test(test_counts_are_cleared_alone),
	cmocka_unit_test(test_node_with_fewer_attributes_is_cleared_of_those),
	cmocka_unit_test(test_sum_is_cleared_by_one_request),
	cmocka_unit_test(test_spoilt_answers),
};

TEST_MAIN(tests, NULL, NULL)
