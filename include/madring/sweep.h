/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Discovers a fabric from the local port: asks each node once for NodeInfo, NodeDescription,
 * SwitchInfo and PortInfo of its ports (IBA 14.2.5), with as many SMPs in flight as the fabric
 * carries without loss. A node that does not answer costs one timeout, and is a problem of the
 * fabric: see madring_fabric_problem(). These functions are in the library madring-fabric;
 * madring.h does not include this header.
 */
#ifndef MADRING_SWEEP_H
#define MADRING_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/batch.h>
#include <madring/fabric.h>
#include <madring/subnet.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_discovery;

/* The most nodes and ports that a sweep may find: more than twice those of the largest subnet. */
#define MADRING_SWEEP_MAX_NODES 131072
#define MADRING_SWEEP_MAX_PORTS 2097152

/* Describes a reply to a request for NodeInfo. */
struct madring_sweep_seen {
	const struct madring_node *node;
	uint8_t port; /* the number of the port by which the request came in */
	/* The directed route of the request, as in struct madring_node. */
	uint8_t hops;
	const uint8_t *path;
	bool is_new; /* the node has not answered on another route before */
};

/* Tells to which node a request goes, for its M_Key. */
struct madring_sweep_target {
	uint64_t guid;	   /* the node's; 0: the node is not known yet, and is behind a port: */
	uint64_t via_guid; /* the GUID of the node before it */
	uint8_t via_port;  /* and the port of that node which leads to it */
	/* How many M_Keys the unknown node was asked with before, without a reply. */
	unsigned int attempt;
};

/* Holds how far a sweep is, or how it has ended. */
struct madring_sweep_state {
	bool done;	       /* nothing is outstanding, and nothing is sent any more */
	bool cancelled;	       /* madring_sweep_cancel() has ended it */
	bool deadline_reached; /* .deadline_ms has ended it */
	int error;	       /* the -errno that ended it, such as -ENODEV; 0: none */
	size_t nodes;	       /* found */
	size_t answered;       /* requests that have an outcome */
	size_t to_go;	       /* requests that wait or are in flight */
	size_t unanswered;     /* requests that were left out because the sweep ended early */
	/* The members below count the requests by LID of a sweep that is .lid_routed. */
	size_t lid_requests;
	size_t lid_nodes;    /* that answered by their LID */
	size_t lid_refused;  /* nodes that are asked by directed routes only */
	size_t lid_repeated; /* requests that had to be repeated by a directed route */
	/* The members below are those of a sweep with an .earlier fabric. */
	size_t recalled; /* requests that were answered from it, and not sent */
	/* What was found contradicts what was recalled: discover the whole fabric. */
	bool doubtful;
};

/*
 * Describes a sweep. Zeroed fields select the defaults, which the comments give after a colon. Any
 * callback may be NULL. The callbacks run within madring_run(), and must not end the sweep. During
 * the sweep, the pointers that they are given are valid, but what they point to still grows.
 */
struct madring_sweep_config {
	void *user; /* handed to each callback */
	/* Called for each valid reply to a request for NodeInfo. The ports of a new node are not
	   known yet. */
	void (*on_node)(void *user, const struct madring_sweep_seen *seen);
	/* Called for each PortInfo. The LID of a switch comes with port 0, its first one. */
	void (*on_port)(void *user, const struct madring_node_port *port);
	/* Called once for each link, when @from is seen to lead to @to. The sweep checks all links
	   at its end: when two nodes have one GUID, links of this call may be missing then. */
	void (*on_link)(void *user, const struct madring_node_port *from,
			const struct madring_node_port *to);
	/* Called for each problem. NodeInfo with MADRING_PROBLEM_NO_REPLY: nothing answers there.
	 */
	void (*on_problem)(void *user, const struct madring_problem *problem);
	/* Called each .progress_ms while the sweep runs. */
	void (*on_progress)(void *user, const struct madring_sweep_state *state);
	/* Called each time the ring was run. The sweep is cancelled when it returns true, such as
	   after a signal. */
	bool (*is_cancelled)(void *user);
	/* Called once when the sweep is done. madring_sweep_end() is allowed after it returns. */
	void (*on_done)(void *user, struct madring_discovery *sweep);
	/*
	 * Stores the M_Key of a request (IBA 14.2.4), in host byte order. When an unknown node does
	 * not reply, it is called again with a higher .attempt, and the node is asked again, until
	 * it returns false. For .attempt 0, false means .m_key.
	 */
	bool (*get_mkey)(void *user, const struct madring_sweep_target *target, uint64_t *mkey);
	uint64_t m_key;	      /* of all requests, without .get_mkey; in host byte order: 0 */
	int64_t deadline_ms;  /* of the whole sweep: none */
	uint32_t progress_ms; /* 100 */
	uint32_t max_nodes;   /* MADRING_SWEEP_MAX_NODES */
	/* Sends SMPs by LID where the fabric routes them, to all but unknown nodes. */
	bool lid_routed;
	/* Keeps the agents' retries for all requests: else a request that is repeated in another
	   way when it fails has 3. */
	bool keep_retries;
	/*
	 * Looks at some nodes of an earlier fabric again, and takes all others from it. The fabric
	 * and the array must stay as they are until the sweep has ended: see
	 * madring_fabric_update(). .look_at: NULL: all switches.
	 */
	const struct madring_fabric *earlier;
	const struct madring_node *const *look_at;
	size_t look_at_count;
	/* Must be zero. */
	uint64_t reserved[4];
};

/*
 * Starts a sweep from the SMI port of @subnet, by its agent for directed-route SMPs. It runs while
 * the program runs the subnet's ring: madring_run(), or madring_step() in a foreign event loop.
 * Several sweeps may run on a subnet at once. @config: may be NULL; it is copied. Stores the sweep,
 * which the caller ends by madring_sweep_end(), before the subnet is closed. Returns 0, or
 *   -EINVAL  a field of @config is out of range, a node of .look_at is not of .earlier, or
 *            .lid_routed and .earlier are both set
 *   -ENOMEM  out of memory
 *   other    an error of madring_subnet_agent()
 */
int madring_sweep_start(struct madring_subnet *subnet, const struct madring_sweep_config *config,
			struct madring_discovery **sweep);

/* Fills @state. */
void madring_sweep_get_state(const struct madring_discovery *sweep,
			     struct madring_sweep_state *state);

/* Ends a sweep early: sends nothing more, and cancels its requests in flight. The sweep is done
   once these have ended. */
void madring_sweep_cancel(struct madring_discovery *sweep);

/*
 * Runs the ring until the sweep is done. Returns 0, or the -errno that ended the sweep early, such
 * as -ENODEV or -ENOMEM; or -EINTR: a signal arrived; the sweep goes on when it is called again.
 */
int madring_sweep_run(struct madring_discovery *sweep);

/*
 * Ends a sweep, and frees it; a sweep that is not done is given up. Stores the fabric, with all
 * that was found, unless @fabric is NULL; the caller frees it by madring_fabric_free(). A fabric
 * of a sweep that ended early is not complete: see madring_fabric_is_complete(). Never call it
 * from a callback of the sweep. Returns the state's .error, and stores NULL for -ENOMEM only.
 */
int madring_sweep_end(struct madring_discovery *sweep, struct madring_fabric **fabric);

/*
 * Discovers the fabric: starts a sweep, runs it, and ends it. A signal does not end it: see
 * .is_cancelled. Stores the fabric as madring_sweep_end(), or NULL if the sweep could not start.
 * Returns 0 also when the deadline or .is_cancelled ended it; else as the functions above.
 */
int madring_sweep(struct madring_subnet *subnet, const struct madring_sweep_config *config,
		  struct madring_fabric **fabric);

/*
 * Finds out how a fabric has changed, with few requests: looks again at @nodes, at the local node,
 * and at nodes about which the earlier sweep had a problem, and takes all others from @earlier. To
 * look at a node is to ask it for everything, and to ask who is at the other end of each of its
 * links. What is new there is discovered, and what cannot be reached any more is not in the result.
 * A change elsewhere is not seen: name the nodes that notices report (madring_subscribe()).
 *
 * Each link on the way to what was asked is proved by one request. If a link leads elsewhere, or
 * what was found contradicts what was taken from @earlier, the whole fabric is discovered instead.
 *
 * @earlier: a fabric of a sweep, or from a file. It does not change, and must be valid until the
 * function returns. @nodes: @count nodes of @earlier; NULL: all switches, and @count is 0. A host
 * behind an unchanged link is asked for NodeInfo only then. @config: as for madring_sweep(), with
 * .earlier, .look_at, .look_at_count and .lid_routed zero; may be NULL. Its callbacks are also
 * called for what is taken from @earlier, and once more for everything if the whole fabric is
 * discovered in the end. Stores the new fabric as madring_sweep() does. Its
 * madring_fabric_sweep_state() has .recalled of 0 if the whole fabric was discovered.
 * Returns as madring_sweep(), and -EINVAL if @earlier is NULL.
 */
int madring_fabric_update(struct madring_subnet *subnet, const struct madring_fabric *earlier,
			  const struct madring_node *const *nodes, size_t count,
			  const struct madring_sweep_config *config,
			  struct madring_fabric **fabric);

/* Fills @state with how the sweep of a fabric has ended; zeroed, but for .done and .nodes, for a
   fabric from a file. */
void madring_fabric_sweep_state(const struct madring_fabric *fabric,
				struct madring_sweep_state *state);

/*
 * Asks each port of a fabric for an attribute, many at once, and runs the ring until all outcomes
 * are there: a Get for each port that has a LID, in the order of madring_fabric_port().
 * @mgmt_class: MADRING_CLASS_PMA, with the port's number as PortSelect; or MADRING_CLASS_SMP, with
 * the number as the attribute modifier. @attr_id: such as MADRING_PORT_COUNTERS_EXTENDED, in host
 * byte order. @done: called for each outcome, with @user; .user of the completion is the port, a
 * const struct madring_node_port *.
 * Returns 0, -EINVAL for another class, or an error of madring_subnet_agent() or
 * madring_batch_call().
 */
int madring_ask_ports(struct madring_subnet *subnet, const struct madring_fabric *fabric,
		      uint8_t mgmt_class, uint16_t attr_id, madring_batch_done done, void *user);

#ifdef __cplusplus
}
#endif
#endif
