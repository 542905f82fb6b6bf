/* SPDX-License-Identifier: BSD-2-Clause */
#include "model_sa.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>

#include "model_fail.h"
#include "kernel_state.h"
#include "model/common/must_alloc.h"
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
	struct sa_service service;
	uint64_t free_at;
	struct reply *waiting;
} sa;

static uint16_t lid_of(const struct fabric_packet *query)
{
	uint16_t lid;

	memcpy(&lid, query->mad + PATH_DLID, sizeof(lid));
	return be16toh(lid);
}

static bool is_answered(uint16_t lid)
{
	/* 19 spreads the LIDs that are never answered over all others. */
	return lid * 19u % 100 >= sa.service.unanswered;
}

static bool is_quick(uint16_t lid)
{
	const struct sa_service *service = &sa.service;

	return lid <= service->quick_first ||
	       (service->quick_every && lid % service->quick_every == 0);
}

/* Returns when the answer to a query that comes now is ready. */
static uint64_t ready_at(uint16_t lid)
{
	const struct sa_service *service = &sa.service;

	if (service->is_parallel)
		return virtual_now() + (is_quick(lid) ? service->quick_ns : service->query_ns);
	if (sa.free_at < virtual_now())
		sa.free_at = virtual_now();
	sa.free_at += service->query_ns;
	return sa.free_at;
}

static void send_reply(struct fabric *fabric, void *user)
{
	struct reply *reply = user, **link = &sa.waiting;

	while (*link != reply)
		link = &(*link)->next;
	*link = reply->next;
	fabric_send(fabric, sa.endpoint, &reply->packet, fabric_now(fabric));
	free(reply);
}

static void take(const struct fabric_packet *packet)
{
	struct reply *reply;

	if (packet->mad[1] != CLASS_SA || is_response(packet->mad) || !is_answered(lid_of(packet)))
		return;
	reply = must_alloc(sizeof(*reply));
	reply->next = sa.waiting;
	reply->packet = *packet;
	fabric_turn(&reply->packet);
	reply->packet.mad[METHOD] |= RESPONSE_BIT;
	sa.waiting = reply;
	expect(!fabric_at(network_fabric(), ready_at(lid_of(packet)), send_reply, reply),
	       "no timer");
}

uint16_t sa_open(const char *host, const struct sa_service *service)
{
	struct fabric *fabric = network_fabric();
	const struct topology_node *node = topology_find(fabric_topology(fabric), host);
	struct fabric_port_state state;

	expect(node, "no host is named %s", host);
	sa.endpoint = network_attach(node, take);
	sa.service = *service;
	sa.free_at = 0;
	fabric_port_state(fabric, sa.endpoint, &state);
	return state.lid;
}

void sa_close(void)
{
	while (sa.waiting) {
		struct reply *next = sa.waiting->next;

		free(sa.waiting);
		sa.waiting = next;
	}
}
