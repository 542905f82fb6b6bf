/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "timed_support.h"

struct topology *topology;
struct fabric *fabric;
int endpoint;

const uint8_t to_host[3] = { 1, 2, 4 };

const struct fabric_model real_nodes = {
	.hop = HOP,
	.transit = 4000,
	.service = { [NODE_CA] = 12000, [NODE_SWITCH] = SWITCH, [NODE_ROUTER] = 12000 },
	.queue = 64,
	.reorder_delay = 50000,
	.training = 100 * MS,
};

void open_timed(const struct fabric_model *model)
{
	topology = read_data("two-switches.net");
	fabric = open_fabric(topology, "dual", 1, &endpoint);
	assert_int_equal(fabric_set_model(fabric, model), 0);
}

int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

const struct topology_node *named(const char *name)
{
	return topology_find(topology, name);
}

void send_at(uint64_t now, unsigned int hops)
{
	const struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, hops, to_host);

	fabric_send(fabric, endpoint, &packet, now);
}

uint64_t next_answer(struct fabric_packet *answer)
{
	uint64_t now;
	int at;

	while ((now = fabric_next_event(fabric)) != FABRIC_NEVER)
		if (fabric_receive(fabric, now, &at, answer)) {
			assert_int_equal(at, endpoint);
			return now;
		}
	return FABRIC_NEVER;
}

uint64_t dropped(enum fabric_drop cause)
{
	return fabric_stats(fabric)->dropped[cause];
}

void expect_answer_at(uint64_t time)
{
	struct fabric_packet answer;

	assert_int_equal(next_answer(&answer), time);
}

void expect_silence(void)
{
	expect_answer_at(FABRIC_NEVER);
}
