/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric of 50,000 nodes fits into 1 GiB, and answers. */
#include <sys/resource.h>

#include <infiniband/mad.h>

#include "support.h"

#define NODES 50000
#define GIB   (1024L * 1024) /* KiB */

static void fifty_thousand_nodes(void **state)
{
	struct topology *topology = generate("fat-tree:radix=58,levels=3");
	struct fabric_packet up = directed(IB_ATTR_NODE_INFO, 0, 1, (const uint8_t[]){ 1 }), answer;
	struct fabric *fabric;
	struct rusage usage;
	int endpoint;

	assert_true(topology->node_count >= NODES);
	fabric = open_fabric(topology, topology->nodes[0]->id, 1, &endpoint);
	ask_status(fabric, endpoint, &up, 0, &answer);
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < GIB);
	fabric_close(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fifty_thousand_nodes),
};

TEST_MAIN(tests, NULL, NULL)
