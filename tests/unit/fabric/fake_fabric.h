/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric for tests that answers a discovery's queries in memory. Unlike any real one it can
 * hold two nodes with one GUID, and its replies can be spoilt on their way.
 */
#ifndef TESTS_SWEEP_FAKE_FABRIC_H
#define TESTS_SWEEP_FAKE_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/discovery.h"
#include "model/common/prng.h"

#define FAKE_NODES     80
#define FAKE_PORTS     12
#define FAKE_MAD_BYTES 256

struct fake_port {
	struct fake_node *peer;
	uint8_t peer_port;
};

struct fake_node {
	struct madring_node_info info; /* .local_port is filled in as it answers */
	char description[DESCRIPTION_BYTES];
	bool dead;
	bool has_no_lid;
	bool sends_none_back; /* it drops an SMP that is to leave by the port by which it came */
	uint8_t width, speed, speed_ext;
	uint8_t speed_ext2;    /* the byte of PortInfo */
	bool hides_speed_ext2; /* unless the requester says that it knows extended speeds */
	bool fdr10;
	uint32_t capability_mask;
	uint16_t capability_mask2;
	struct fake_port port[FAKE_PORTS + 1];
};

struct fake {
	struct fake_node node[FAKE_NODES];
	unsigned int count;
	struct fake_node *local; /* and its port 1 is the local port */
	/* Spoils a reply; may be NULL. Returns the reply's length. */
	size_t (*spoil)(struct fake *fake, const struct query *query, uint8_t *mad);
	/* Tells whether a query is answered before all those that are not hasty; may be NULL. */
	bool (*is_hasty)(const struct query *query);
	struct prng prng;
	bool is_lid_routed; /* the discovery is to ask by LID */
	/*
	 * Returns the node that a query gets to by its LID, or NULL; may be NULL: that with the
	 * LID.
	 */
	struct fake_node *(*by_lid)(struct fake *fake, const struct query *query);
	/*
	 * The discovery is to look at some nodes of an earlier fabric; NULL: at the whole fabric.
	 */
	const struct madring_fabric *earlier;
	const struct madring_node *const *look_at;
	size_t look_at_count;
	discovery_node_known node_known; /* that of the discovery; may be NULL */
	void *known_context;
	size_t asked;		/* queries */
	size_t asked_by_lid;	/* those by LID */
	size_t asked_node_info; /* those for NodeInfo */
	size_t asked_back;	/* those that went over a cable and back */
};

/* Makes an empty fabric; @seed decides the order of replies. */
void fake_open(struct fake *fake, uint64_t seed);

/* Adds a node with a GUID of its own; port GUIDs are the node's and the port's number. */
struct fake_node *fake_add(struct fake *fake, enum madring_node_type type, uint8_t ports,
			   const char *description);
void fake_cable(struct fake_node *a, uint8_t a_port, struct fake_node *b, uint8_t b_port);

/* The nodes of fake_fat_tree(). */
static inline struct fake_node *fake_leaf(struct fake *fake, unsigned int leaf)
{
	return &fake->node[1 + leaf];
}

static inline struct fake_node *fake_spine(struct fake *fake, unsigned int leafs,
					   unsigned int spine)
{
	return &fake->node[1 + leafs + spine];
}

/* Opens a fat tree. Port 1 of a leaf leads to its host, and its next ones lead to the spines. */
void fake_fat_tree(struct fake *fake, uint64_t seed, unsigned int leafs, unsigned int spines);

/* Returns the LID that a node tells of. */
uint16_t fake_lid(const struct fake_node *node);

/* Makes the reply to a query. Returns false if there is none. */
bool fake_reply(struct fake *fake, const struct query *query, uint8_t mad[FAKE_MAD_BYTES],
		size_t *length);

/* Gives a query its outcome. */
void fake_answer(struct fake *fake, struct discovery *discovery, struct query *query);

/* Discovers it: all outcomes come in random order. The result is ordered. */
void fake_discover(struct fake *fake, struct discovery *discovery);

/* Does as fake_discover(), with at most @max_nodes nodes. */
void fake_discover_some(struct fake *fake, struct discovery *discovery, size_t max_nodes);
void fake_close(struct discovery *discovery);

/* Returns the topology file of the nodes found, without its head. The caller frees it. */
char *fake_topology(const struct discovery *discovery);

/* Returns the first problem of a kind, or NULL. */
const struct problem *fake_problem(const struct discovery *discovery,
				   enum madring_problem_kind kind);

/* Returns the path of a problem, as text in a static buffer. */
const char *fake_problem_path(const struct problem *problem);

#endif
