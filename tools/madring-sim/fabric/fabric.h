/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric: a pure model in virtual time of nodes that answer MADs and links that carry
 * them. It reads no clock, makes no system call, and knows neither sockets nor devices:
 * packets go in at an endpoint (a port that a program is attached to), packets come out at
 * endpoints, and time is an argument in ns that never goes back. The same calls with the same
 * seed give the same answers.
 */
#ifndef SIM_FABRIC_H
#define SIM_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

#define FABRIC_MAD_BYTES 256
#define FABRIC_GRH_BYTES 40
#define FABRIC_NEVER	 UINT64_MAX
#define FABRIC_AS_MODEL	 UINT64_MAX

struct fabric;

/* How links and agents behave. These are a model: no number was measured on any one device. */
struct fabric_model {
	uint64_t hop;	     /* ns over a link and into the node behind it */
	uint64_t transit;    /* ns of a switch's SMI for a directed-route SMP that goes on */
	uint64_t service[4]; /* ns of a node's agent for one MAD, by enum node_type */
	uint32_t queue;	     /* MADs at one port, waiting or being served; 0: no limit */
	/* Probabilities, 0 to 1, drawn once for a request's way and once for its answer's. */
	double loss;
	double duplicate;
	double reorder; /* to come later by a random part of reorder_delay */
	double corrupt; /* to have one bit of the MAD turned */
	uint64_t reorder_delay;
	uint64_t training; /* ns from a cable put in to a link in Init */
};

/* No delay, no limit, no chance; and the defaults of a plausible fabric. */
extern const struct fabric_model fabric_ideal, fabric_real;

struct fabric_config {
	uint64_t seed;
	struct fabric_model model;
};

/* A MAD and its addressing, as it is on the wire. */
struct fabric_packet {
	uint16_t slid, dlid; /* host order; 0xffff permissive */
	uint32_t sqp, dqp;
	uint8_t sl;
	bool has_grh;
	_Alignas(8) uint8_t mad[FABRIC_MAD_BYTES]; /* libibmad reads whole words */
	uint8_t grh[FABRIC_GRH_BYTES];		   /* IBA 8.3, when it has one */
};

/* Turns the packet's addresses round, for an answer. */
void fabric_turn(struct fabric_packet *packet);

/* Takes the topology over when it succeeds. 0, -EINVAL (no node, bad model) or -ENOMEM. */
int fabric_open(struct fabric **fabric, struct topology *topology,
		const struct fabric_config *config);
void fabric_close(struct fabric *fabric);
const struct topology *fabric_topology(const struct fabric *fabric);

/* Makes a port an endpoint; packets to it that its own agents do not answer (replies, traps,
   requests for registered classes) come out there. A switch's is its port 0. Returns its
   number, the same for the same port; -EINVAL (no such port) or -ENOMEM. */
int fabric_attach(struct fabric *fabric, struct topology_node *node, unsigned int port);

/* What the attached port looks like now: LID, state, SM LID... for sysfs. */
struct fabric_port_state {
	uint16_t lid, sm_lid;
	uint8_t lmc, sm_sl, state, phys_state, width, speed, speed_ext;
	uint32_t capability_mask;
	uint64_t gid_prefix, guid;
	uint32_t pkey_sets; /* how often its P_Key table has been set */
};
void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state);

/* The attached port's P_Keys, in host order and with the membership bit, of which 0 is none.
   Returns how many the table has room for; @pkeys must have room for FABRIC_PKEYS. */
#define FABRIC_PKEYS 64
unsigned int fabric_pkeys(const struct fabric *fabric, int endpoint, uint16_t *pkeys);

/* Whether a subnet manager runs at the attached port: PortInfo's IsSM. The master SM that the
   port knows gets a trap when it changes. */
void fabric_set_is_sm(struct fabric *fabric, int endpoint, bool on);
/* The same of any bits of the CapabilityMask: those of @which become as in @bits. */
void fabric_set_capabilities(struct fabric *fabric, int endpoint, uint32_t which, uint32_t bits);

/* The NodeDescription of the node; it is still found by its first. */
#define FABRIC_DESCRIPTION_BYTES 64
void fabric_set_description(struct fabric *fabric, int endpoint,
			    const uint8_t description[FABRIC_DESCRIPTION_BYTES]);

/*
 * Asks the attached port's own agents, as a driver asks its firmware: over no link, and whatever
 * the addresses are, but the destination QP has to fit the class. The outcome is as of @now; an
 * answer, which is then in @packet, leaves the agent at *@ready. With @any_mkey, whatever the M_Key
 * is, too.
 */
enum fabric_outcome {
	FABRIC_OUTCOME_ANSWERED,
	FABRIC_OUTCOME_TAKEN,  /* there is nothing to answer */
	FABRIC_OUTCOME_PASSED, /* for a manager at this port */
	FABRIC_OUTCOME_DROPPED,
};
enum fabric_outcome fabric_ask(struct fabric *fabric, int endpoint, struct fabric_packet *packet,
			       bool any_mkey, uint64_t now, uint64_t *ready);

/*
 * Sends a packet from an endpoint. A source LID of 0 is filled in. The endpoint's port does its
 * SMI's part: a directed-route request starts with hop pointer 0, and its answer comes out with
 * 0. A request that comes out, for a manager there, has hop count + 1, and so has the answer
 * that the manager sends.
 */
void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now);

/* When fabric_run() or fabric_receive() may next have something to do; FABRIC_NEVER. */
uint64_t fabric_next_event(const struct fabric *fabric);

/* Plays all that is due by @now. What is called below happens at the time last played to. */
void fabric_run(struct fabric *fabric, uint64_t now);

/* The time last played to. */
uint64_t fabric_now(const struct fabric *fabric);

/* The next packet that has come out by @now, at *@endpoint. False: none. */
bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet);

/* Calls @fire at a time, from fabric_run(). 0 or -ENOMEM. */
int fabric_at(struct fabric *fabric, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	      void *user);

/* 0 or -EINVAL (a probability out of range). What is on its way is not changed. */
int fabric_set_model(struct fabric *fabric, const struct fabric_model *model);
const struct fabric_model *fabric_model(const struct fabric *fabric);

/*
 * A dead node neither answers nor lets anything through, though its links stay up; a hung one
 * only does not answer. One that is off has no link; when it is well again it starts without
 * LIDs, with its links in training.
 */
enum fabric_health { FABRIC_WELL, FABRIC_HUNG, FABRIC_DEAD, FABRIC_OFF };
void fabric_set_health(struct fabric *fabric, const struct topology_node *node,
		       enum fabric_health health);

/* One node's service time; FABRIC_AS_MODEL. */
void fabric_set_service(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/* One node's answers leave so much later, without its agent being busy. */
void fabric_set_lateness(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/* One node's agent does nothing for so long; what comes waits, or finds the queue full. */
void fabric_stall(struct fabric *fabric, const struct topology_node *node, uint64_t ns);

/* Takes the cable of a port out, or puts it in. 0 or -EINVAL (no such port, no cable). */
int fabric_set_cable(struct fabric *fabric, const struct topology_node *node, unsigned int port,
		     bool in);

/* Why packets did not arrive. */
enum fabric_drop {
	FABRIC_DROP_LOST,      /* by chance */
	FABRIC_DROP_NO_LINK,   /* the way leads to a port that is down, or absent */
	FABRIC_DROP_INACTIVE,  /* a GMP at a port that is not active */
	FABRIC_DROP_NO_ROUTE,  /* no forwarding entry, or an HCA that the LID is not one of */
	FABRIC_DROP_LOOP,      /* forwarded too often */
	FABRIC_DROP_DEAD,      /* a node that is dead or hung */
	FABRIC_DROP_FULL,      /* the queue of a port */
	FABRIC_DROP_INVALID,   /* a directed route, a class or a version that is none */
	FABRIC_DROP_KEY,       /* an M_Key that does not fit */
	FABRIC_DROP_UNCLAIMED, /* for a manager where there is none */
	FABRIC_DROP_NO_MEMORY,
	FABRIC_DROP_CAUSES
};

/* What became of requests to agents, by class, method and attribute. */
struct fabric_kind {
	uint8_t mgmt_class, method;
	uint16_t attribute;
	uint64_t sent;	   /* by endpoints; traps by the agents */
	uint64_t answered; /* by the agents */
};

#define FABRIC_KINDS 256

struct fabric_stats {
	uint64_t sent;	    /* by endpoints */
	uint64_t delivered; /* taken by fabric_receive() */
	uint64_t answered;  /* by the nodes' agents */
	uint64_t traps;	    /* sent by the nodes' agents */
	uint64_t duplicated, reordered, corrupted;
	uint64_t dropped[FABRIC_DROP_CAUSES];
	struct fabric_kind kind[FABRIC_KINDS + 1]; /* the last: all that found no place */
	unsigned int kind_count;		   /* without that one */
	/*
	 * The longest chain of round trips of which each needed the one before: an SMP by directed
	 * route needs an answer of the node before its last hop, if that one was ever asked. A
	 * round trip is counted without any waiting in queues.
	 */
	uint64_t chain; /* ns */
	uint32_t chain_trips;
};
const struct fabric_stats *fabric_stats(const struct fabric *fabric);

/* How long a node's agent and its SMI have worked, and for how many MADs. */
struct fabric_work {
	uint64_t served, agent_busy;	  /* ns */
	uint64_t passed_on, transit_busy; /* ns */
};
void fabric_work(const struct fabric *fabric, const struct topology_node *node,
		 struct fabric_work *work);

#endif
