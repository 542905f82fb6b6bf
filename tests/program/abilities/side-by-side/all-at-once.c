/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: all-at-once LIDS
 *
 * Names the nodes of the LIDs from 1 on, with what their first ports have sent, by madring: all
 * requests at once. one-after-another does the same by libibumad.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>

#define NODE_DESCRIPTION 0x0010
#define COUNTERS	 0x001d /* PortCountersExtended */
#define TRANSMITTED	 8	/* where it has PortXmitData */
#define TIMEOUT_MS	 250
#define RETRIES		 3

struct node {
	char name[65];
	bool counted;
	uint64_t transmitted;
};

static struct madring *ring;
static struct madring_agent *smi, *pma;

static void check(const char *what, int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, madring_error_text(result));
	exit(EXIT_FAILURE);
}

static const uint8_t *attribute_of(const struct madring_completion *c)
{
	if (c->status || madring_mad_status(c->mad))
		return NULL;
	return (const uint8_t *)madring_mad_data(c->mad) + MADRING_SMP_DATA;
}

static void on_name(const struct madring_completion *c)
{
	const uint8_t *attribute = attribute_of(c);
	struct node *node = c->user;

	if (attribute)
		memcpy(node->name, attribute, sizeof(node->name) - 1);
}

static void on_counters(const struct madring_completion *c)
{
	const uint8_t *attribute = attribute_of(c);
	struct node *node = c->user;

	if (!attribute)
		return;
	memcpy(&node->transmitted, attribute + TRANSMITTED, sizeof(node->transmitted));
	node->counted = true;
}

static void ask(unsigned int lid, struct node *node)
{
	struct madring_mad *mad = madring_mad_alloc(smi);

	madring_smp_prepare(mad, (uint16_t)lid, MADRING_GET, NODE_DESCRIPTION, 0);
	check("sending",
	      madring_send(smi, mad,
			   &(struct madring_send_options){ .callback = on_name, .user = node }));
	mad = madring_mad_alloc(pma);
	madring_gmp_prepare(mad, (uint16_t)lid, MADRING_GET, COUNTERS, 0);
	((uint8_t *)madring_mad_data(mad))[MADRING_PMA_DATA + 1] = 1;
	check("sending", madring_send(pma, mad,
				      &(struct madring_send_options){ .callback = on_counters,
								      .user = node }));
}

static void show(unsigned int lid, const struct node *node)
{
	if (!*node->name || !node->counted)
		printf("LID %u: no answer\n", lid);
	else
		printf("LID %u: %s has sent %" PRIu64 "\n", lid, node->name,
		       be64toh(node->transmitted));
}

int main(int argc, char *argv[])
{
	unsigned int lids = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	struct madring_agent_config agent = {
		.mgmt_class = 0x01,
		.class_version = 1,
		.timeout_ms = TIMEOUT_MS,
		.retries = RETRIES,
	};
	static struct node nodes[0xc000];
	struct madring_port *port;

	if (!lids || lids >= 0xc000)
		return EXIT_FAILURE;
	/* The ring has as many buffers, too, as there are requests. */
	check("the ring",
	      madring_open(&ring, &(struct madring_config){ .transactions = 2 * lids }));
	check("the port", madring_port_open(ring, NULL, 0, NULL, &port));
	check("SMPs", madring_agent_open(port, &agent, &smi));
	agent.mgmt_class = 0x04;
	check("counters", madring_agent_open(port, &agent, &pma));
	for (unsigned int lid = 1; lid <= lids; lid++)
		ask(lid, &nodes[lid]);
	while (madring_outstanding(ring))
		check("running", madring_run(ring, -1));
	for (unsigned int lid = 1; lid <= lids; lid++)
		show(lid, &nodes[lid]);
	madring_close(ring);
	return EXIT_SUCCESS;
}
