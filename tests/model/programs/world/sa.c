/* SPDX-License-Identifier: BSD-2-Clause */
#include "sa.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>

#include "fail.h"
#include "kernel_state.h"
#include "model/common/memory.h"
#include "network.h"

#define METHOD	  3
#define PATH_DLID (MADRING_SA_DATA + 40) /* of a PathRecord (IBA 15.2.5.16) */

/* A reply that waits for its time. */
struct reply {
	struct reply *next;
	struct fabric_packet packet;
};

static struct {
	int endpoint;
	uint64_t query_ns, free_at;
	unsigned int unanswered;
	struct reply *first, **last;
} sa;

static bool is_answered(const struct fabric_packet *query)
{
	uint16_t lid;

	memcpy(&lid, query->mad + PATH_DLID, sizeof(lid));
	/* 19 spreads the LIDs that are never answered over all others. */
	return be16toh(lid) * 19u % 100 >= sa.unanswered;
}

static void send_first(struct fabric *fabric, void *user)
{
	struct reply *reply = sa.first;

	(void)user;
	sa.first = reply->next;
	if (!sa.first)
		sa.last = &sa.first;
	fabric_send(fabric, sa.endpoint, &reply->packet, fabric_now(fabric));
	free(reply);
}

static void take(const struct fabric_packet *packet)
{
	struct reply *reply;

	if (packet->mad[1] != CLASS_SA || is_response(packet->mad) || !is_answered(packet))
		return;
	reply = must_alloc(sizeof(*reply));
	reply->next = NULL;
	reply->packet = *packet;
	fabric_turn(&reply->packet);
	reply->packet.mad[METHOD] |= RESPONSE_BIT;
	*sa.last = reply;
	sa.last = &reply->next;
	if (sa.free_at < virtual_now())
		sa.free_at = virtual_now();
	sa.free_at += sa.query_ns;
	expect(!fabric_at(network_fabric(), sa.free_at, send_first, NULL), "no timer");
}

uint16_t sa_open(const char *host, uint64_t query_ns, unsigned int unanswered)
{
	struct fabric *fabric = network_fabric();
	const struct topology_node *node = topology_find(fabric_topology(fabric), host);
	struct fabric_port_state state;

	expect(node, "no host is named %s", host);
	sa.endpoint = network_attach(node, take);
	sa.query_ns = query_ns;
	sa.unanswered = unanswered;
	sa.free_at = 0;
	sa.last = &sa.first;
	fabric_port_state(fabric, sa.endpoint, &state);
	return state.lid;
}

void sa_close(void)
{
	while (sa.first) {
		struct reply *next = sa.first->next;

		free(sa.first);
		sa.first = next;
	}
}
