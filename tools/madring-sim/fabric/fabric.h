/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of an InfiniBand fabric in virtual time: nodes that answer MADs, and links that carry
 * them. The model is pure. It reads no clock, makes no system call, has no global state, and draws
 * all that is random from one seed: the same calls with the same seed give the same packets at the
 * same times. It knows neither sockets nor devices; one process may have any number of fabrics.
 *
 *	struct fabric_config config = { .seed = 1, .model = fabric_modelled };
 *
 *	topology_generate(&topology, "fat-tree:leafs=30,spines=30,hosts=30", &error);
 *	fabric_open(&fabric, topology, &config);
 *	endpoint = fabric_attach(fabric, topology->nodes[0], 1);
 *	fabric_send(fabric, endpoint, &request, now);
 *	while ((now = fabric_next_event(fabric)) < deadline)
 *		while (fabric_receive(fabric, now, &endpoint, &reply))
 *			take(&reply);
 *
 * Time is an argument, in ns, and never goes back. fabric_run(), fabric_send(), fabric_ask() and
 * fabric_receive() first play all that is due by their time. Every other function works at the time
 * last played to. So a change at a time is a call of fabric_run() with that time and then the
 * change, or a function that fabric_at() calls then.
 *
 * Packets go in and come out at endpoints, which are ports that a program is attached to. The
 * nodes' own agents answer for all other ports, and for an endpoint those requests that are for its
 * SMA or PMA.
 *
 * Functions that return an int return 0 or an error, -ENOMEM among them, unless they say otherwise;
 * after an error nothing has changed. A MAD that the fabric has no memory for is dropped, and
 * counted as FABRIC_DROP_NO_MEMORY.
 *
 * model.h has the delays and losses, stats.h what is counted, packet.h the packets, routing.h a
 * subnet manager's work, traffic.h the counters of ports, and walk.h a check of the routes.
 */
#ifndef SIM_FABRIC_H
#define SIM_FABRIC_H

#include "fabric/model.h"
#include "fabric/packet.h"
#include "fabric/stats.h"
#include "topology/topology.h"

struct fabric;

struct fabric_config {
	uint64_t seed;
	struct fabric_model model;
};

/*
 * fabric_open makes a fabric of a topology, which it frees in fabric_close(). Nodes are well, and
 * links with a cable are up, in Init. Returns 0; -EINVAL: no node, or an invalid model; -ENOMEM.
 * After an error the topology is still the caller's.
 */
int fabric_open(struct fabric **fabric, struct topology *topology,
		const struct fabric_config *config);
void fabric_close(struct fabric *fabric);
const struct topology *fabric_topology(const struct fabric *fabric);

/* ---- Time ---- */

/* fabric_run plays all that is due by @now. */
void fabric_run(struct fabric *fabric, uint64_t now);

/* fabric_now returns the time last played to. */
uint64_t fabric_now(const struct fabric *fabric);

/*
 * fabric_next_event returns when fabric_run() or fabric_receive() may next have something to do:
 * now, if a packet waits to be received; FABRIC_NEVER, if nothing is due.
 */
uint64_t fabric_next_event(const struct fabric *fabric);

/* fabric_at has a function called at a time, from fabric_run(). Returns 0 or -ENOMEM. */
int fabric_at(struct fabric *fabric, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	      void *user);

/* ---- Packets ---- */

/*
 * fabric_attach makes a port an endpoint; a switch has one at its port 0. Packets to the port that
 * its own agents do not answer come out there: replies, traps, and requests for other classes.
 * Returns the endpoint's number, from 0 on and the same for the same port; -EINVAL: no such port;
 * or -ENOMEM.
 */
int fabric_attach(struct fabric *fabric, struct topology_node *node, unsigned int port);

/*
 * fabric_send sends a packet from an endpoint at @now. A source LID of 0 is filled in. The port
 * does its SMI's part: a directed-route request starts with hop pointer 0, and its reply comes out
 * with 0. A request that comes out, for a manager there, has hop count + 1, and so has the reply
 * that the manager sends.
 */
void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now);

/*
 * fabric_receive takes the next packet that has come out by @now. False: there is none. A packet
 * comes out when the kernel of the host has taken it: see endpoint.h.
 */
bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet);

enum fabric_outcome {
	FABRIC_OUTCOME_ANSWERED,
	FABRIC_OUTCOME_TAKEN,  /* obeyed, and there is no reply */
	FABRIC_OUTCOME_PASSED, /* for a manager at this port */
	FABRIC_OUTCOME_DROPPED,
};

/*
 * fabric_ask asks the agents of an attached port, as a driver asks its firmware: over no link, and
 * whatever the packet's LIDs are; but its destination QP has to fit the class. The agents work at
 * @now. A reply is in @packet, and leaves them at *@ready. With @any_mkey, any M_Key is right.
 */
enum fabric_outcome fabric_ask(struct fabric *fabric, int endpoint, struct fabric_packet *packet,
			       bool any_mkey, uint64_t now, uint64_t *ready);

/* ---- The host of an endpoint, as it describes itself ---- */

/* fabric_set_capabilities sets those bits of the CapabilityMask that are in @which as in @bits. */
void fabric_set_capabilities(struct fabric *fabric, int endpoint, uint32_t which, uint32_t bits);

/*
 * fabric_set_is_sm sets the capability IsSM: a subnet manager runs at the port. As with every
 * capability, a trap tells the master SM, if the port knows it.
 */
void fabric_set_is_sm(struct fabric *fabric, int endpoint, bool on);

/* fabric_set_description sets the NodeDescription. The topology keeps the first one. */
#define FABRIC_DESCRIPTION_BYTES 64
void fabric_set_description(struct fabric *fabric, int endpoint,
			    const uint8_t description[FABRIC_DESCRIPTION_BYTES]);

/* ---- Changes ---- */

/*
 * fabric_set_model replaces the model. A packet that is on its way keeps what was drawn for it.
 * Returns 0 or -EINVAL.
 */
int fabric_set_model(struct fabric *fabric, const struct fabric_model *model);
const struct fabric_model *fabric_model(const struct fabric *fabric);

void fabric_set_health(struct fabric *fabric, const struct topology_node *node,
		       enum fabric_health health);

/* fabric_set_service sets one node's service time, or FABRIC_AS_MODEL. */
void fabric_set_service(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/* fabric_set_lateness delays one node's replies, without keeping its agent busy. */
void fabric_set_lateness(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/*
 * fabric_stall stops one node's agent and its SMI for a time. Requests, and SMPs to be passed on,
 * wait, or find the queue full.
 */
void fabric_stall(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/*
 * fabric_pause has the kernel of an attached node take no MAD for a time. MADs wait for it, or find
 * no room. A node that is not attached has no kernel.
 */
void fabric_pause(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/*
 * fabric_set_mkey sets the M_Key of a node's ports and its protection bits, 0 to 3 (IBA 14.2.4).
 * Key 0 is none.
 */
void fabric_set_mkey(struct fabric *fabric, const struct topology_node *node, uint64_t key,
		     uint32_t protection);

/*
 * fabric_set_pkey sets an entry of the P_Key tables of a node's ports; 0 empties it. -EINVAL: the
 * tables are shorter.
 */
int fabric_set_pkey(struct fabric *fabric, const struct topology_node *node, unsigned int index,
		    uint16_t key);

/* fabric_set_cable plugs or unplugs the cable of a port. -EINVAL: no such port, or no cable. */
int fabric_set_cable(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		     bool in);

/* ---- The state of a fabric, its nodes and ports ---- */

const struct fabric_stats *fabric_stats(const struct fabric *fabric);

/*
 * The work of a node's agent, of its SMI, and of the kernel of an attached node: on how many MADs
 * they have worked, and how long. Each port's MADs are taken by a worker of their own; kernel_busy
 * is that of the busiest.
 */
struct fabric_work {
	uint64_t served, agent_busy;	  /* MADs, ns */
	uint64_t passed_on, transit_busy; /* SMPs, ns */
	uint64_t taken, kernel_busy;	  /* MADs that have waited, ns */
};
void fabric_work(const struct fabric *fabric, const struct topology_node *node,
		 struct fabric_work *work);

/*
 * fabric_dropped returns how many MADs were dropped at a node: those that it had received, and
 * those that it was about to send or had sent to a link that lost them.
 */
uint64_t fabric_dropped(const struct fabric *fabric, const struct topology_node *node,
			enum fabric_drop cause);

struct fabric_node_view {
	enum fabric_health health;
	uint64_t service, lateness; /* ns */
};
void fabric_view_node(const struct fabric *fabric, const struct topology_node *node,
		      struct fabric_node_view *view);

/* The state of a port as its PortInfo shows it. */
struct fabric_port_state {
	uint16_t lid, sm_lid;
	uint8_t lmc, sm_sl, state, phys_state, width, speed, speed_ext;
	uint32_t capability_mask;
	uint64_t gid_prefix, guid;
	uint32_t pkey_sets; /* how often its P_Key table has been set */
};

/*
 * fabric_view_port fills in the state of a port, which must exist; fabric_port_state, that of an
 * endpoint's port.
 */
void fabric_view_port(const struct fabric *fabric, const struct topology_node *node,
		      unsigned int port, struct fabric_port_state *state);
void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state);

/*
 * fabric_pkeys copies the P_Keys of an attached port, in host order and with the membership bit; 0
 * is none. Returns the length of the table. @pkeys has room for FABRIC_PKEYS.
 */
#define FABRIC_PKEYS 64
unsigned int fabric_pkeys(const struct fabric *fabric, int endpoint, uint16_t *pkeys);

/* The functions below return the name of a value as PortInfo has it, and "?" for any other. */
const char *fabric_port_state_name(uint8_t state);
const char *fabric_phys_state_name(uint8_t state);
const char *fabric_health_name(enum fabric_health health);

#endif
