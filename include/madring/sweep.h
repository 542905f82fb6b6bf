/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Discovers a fabric from the local port: asks each node once for NodeInfo, NodeDescription,
 * SwitchInfo and PortInfo of its ports (IBA 14.2.5), with as many SMPs in flight as the fabric
 * answers without long queues. A node that does not answer is a problem of the fabric: see
 * madring_fabric_problem(). These functions are in the library madring-fabric; madring.h does not
 * include this header.
 */
#ifndef MADRING_SWEEP_H
#define MADRING_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/batch.h>
#include <madring/fabric.h>
#include <madring/subnet.h>
#include <madring/sized.h>

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
	uint8_t port; /* the number of the port through which the request reached the node */
	/* The directed route of the request, as in struct madring_node. */
	uint8_t hops;
	const uint8_t *path;
	bool is_new; /* this is the first reply of the node; others come over other routes */
};

/* Names the node that a request goes to, for .get_mkey. */
struct madring_sweep_target {
	/* The NodeGUID of the local node, as the kernel knows it; or of a node that an update asks
	   where the earlier fabric had it. 0: the node is not known yet. */
	uint64_t guid;
	/* For an unknown node: the NodeGUID of the node before it, and the port of that node that
	   leads to it. */
	uint64_t via_guid;
	uint8_t via_port;
	/* How many M_Keys were tried at the unknown node without a reply. */
	unsigned int attempt;
};

/* Holds how far a sweep is, or how it ended. */
struct madring_sweep_state {
	bool done;	       /* nothing is in flight, and nothing more will be sent */
	bool canceled;	       /* madring_sweep_cancel() or .is_canceled ended it */
	bool deadline_reached; /* .deadline_ms ended it */
	int error;	       /* the -errno that ended it, such as -ENODEV; 0: none */
	size_t nodes;	       /* nodes found so far */
	size_t answered;       /* requests that have an outcome */
	size_t to_go;	       /* requests that wait or are in flight */
	size_t unanswered;     /* requests that were given up because the sweep ended early */
	/* The members below count the requests by LID of a sweep that is .lid_routed. */
	size_t lid_requests; /* requests by LID that have an outcome */
	size_t lid_nodes;    /* nodes that answered by their LID */
	size_t lid_refused;  /* nodes that did not, or have no LID of their own */
	size_t lid_repeated; /* requests by LID that were repeated by a directed route */
	/* The members below are those of a sweep with an .earlier fabric. */
	size_t recalled; /* requests that were answered from it, and not sent */
	/* The replies contradict what was recalled: discover the whole fabric. */
	bool doubtful;
};

/*
 * Describes a sweep. Zeroed fields select the defaults, which the comments give after a colon. Any
 * callback may be NULL. The callbacks run while the ring runs, and must not end the sweep. The
 * nodes, ports and problems that they receive stay valid during the sweep, and fill up as it goes
 * on; a struct madring_sweep_seen or madring_sweep_state is valid during the call.
 */
struct madring_sweep_config {
	void *user; /* passed to each callback */
	/* Called for each valid reply to a request for NodeInfo. The ports of a new node are not
	   known yet. */
	void (*on_node)(void *user, const struct madring_sweep_seen *seen);
	/* Called for each PortInfo that arrives, which may be twice for a port with extended
	   speeds. The LID of a switch is that of port 0, whose PortInfo may arrive after that of
	   the other ports. */
	void (*on_port)(void *user, const struct madring_node_port *port);
	/* Called once for each link, when the sweep finds that @from leads to @to. The sweep checks
	   all links at its end. When two nodes have the same GUID, it may drop links that it has
	   reported. */
	void (*on_link)(void *user, const struct madring_node_port *from,
			const struct madring_node_port *to);
	/* Called for each problem. NodeInfo with MADRING_PROBLEM_NO_REPLY means that no node
	   answers at that place. */
	void (*on_problem)(void *user, const struct madring_problem *problem);
	/* Called each .progress_ms while the sweep runs. */
	void (*on_progress)(void *user, const struct madring_sweep_state *state);
	/* Called after each turn of the ring that called back, was woken or was interrupted by a
	   signal, and at least each 100 ms. The sweep is canceled when it returns true. */
	bool (*is_canceled)(void *user);
	/* Called once, when the sweep is done. After it has returned, madring_sweep_end() may be
	   called. */
	void (*on_done)(void *user, struct madring_discovery *sweep);
	/*
	 * Stores the M_Key of the first request to a node (IBA 14.2.4), in host byte order, and
	 * returns true. If it returns false, the request has .m_key. When an unknown node does not
	 * reply, it is called again with the next .attempt. The node is asked with each further
	 * key, until it returns false. All later requests have the M_Key that the node has
	 * answered, whatever GUID it has told: any node can claim the GUID of another.
	 */
	bool (*get_mkey)(void *user, const struct madring_sweep_target *target, uint64_t *mkey);
	uint64_t m_key;	      /* the M_Key of all requests, in host byte order: 0 */
	int64_t deadline_ms;  /* how long the sweep may take: no limit */
	uint32_t progress_ms; /* the time between two calls of .on_progress: 100 */
	uint32_t max_nodes;   /* the most nodes to be found: MADRING_SWEEP_MAX_NODES */
	/* Sends SMPs by LID where the fabric routes them, to all but unknown nodes. */
	bool lid_routed;
	/* Applies the agents' retries to all requests. Otherwise, a request that the sweep can
	   repeat in another way has 3 retries. */
	bool keep_retries;
	/*
	 * Looks at some nodes of an earlier fabric again, and takes all others from it. The fabric
	 * and the array must stay as they are until the sweep has ended: see
	 * madring_fabric_update(). .look_at: NULL: all switches.
	 */
	const struct madring_fabric *earlier;
	const struct madring_node *const *look_at;
	size_t look_at_count;
	/* Called when a node has answered all that the sweep asks it for: NodeDescription,
	   SwitchInfo, and PortInfo of the ports that were found. It is called again when another of
	   its ports was found, and has answered. It is never called for a node of which a request
	   had no valid reply. */
	void (*on_node_known)(void *user, const struct madring_node *node);
};

/*
 * Starts a sweep from the port of @subnet that SMPs go through, by the subnet's agents. The sweep
 * goes on while the program runs the ring: madring_run(), or madring_step() in an event loop.
 * Several sweeps may run on a subnet at once.
 * @config: copied; may be NULL. @sweep: set on success. The caller ends it by madring_sweep_end()
 * before it closes the subnet.
 * Returns 0, or
 *   -EINVAL  a field of @config is out of range, .look_at has a node
 *            that is not of .earlier, or .earlier is set with .lid_routed or not with .look_at
 *   -ENOMEM  out of memory
 *   other    an error of madring_subnet_agent() or madring_batch_start()
 */
int madring_sweep_start_sized(struct madring_subnet *subnet,
			      const struct madring_sweep_config *config, size_t config_size,
			      struct madring_discovery **sweep);
MADRING_SIZED int madring_sweep_start(struct madring_subnet *subnet,
				      const struct madring_sweep_config *config,
				      struct madring_discovery **sweep)
{
	return madring_sweep_start_sized(subnet, config, sizeof(*config), sweep);
}

/* Stores in @state how far the sweep is. */
void madring_sweep_get_state_sized(const struct madring_discovery *sweep,
				   struct madring_sweep_state *state, size_t state_size);
MADRING_SIZED void madring_sweep_get_state(const struct madring_discovery *sweep,
					   struct madring_sweep_state *state)
{
	madring_sweep_get_state_sized(sweep, state, sizeof(*state));
}

/* Ends a sweep early: sends nothing more, and cancels its requests in flight. The sweep is done
   once these have ended. */
void madring_sweep_cancel(struct madring_discovery *sweep);

/*
 * Runs the ring until the sweep is done. A sweep that was canceled or reached its deadline is no
 * error.
 * Returns 0, or
 *   -EINTR  a signal arrived; the sweep goes on when the function is called again
 *   -EBUSY  called from a callback
 *   other   an error of madring_batch_run() that ended the sweep, such as -ENODEV or -ENOMEM
 */
int madring_sweep_run(struct madring_discovery *sweep);

/*
 * Ends a sweep, and frees it; a sweep that is not done is given up.
 * @fabric: where to store what the sweep found, or NULL. The caller frees the fabric by
 * madring_fabric_free(). If the sweep ended early, the fabric is not complete: see
 * madring_fabric_is_complete().
 * Returns the .error of the sweep's state; or -ENOMEM, with which it stores NULL; or -EBUSY, when
 * called from a callback of the sweep, or while madring_sweep_run() runs it. Then it does nothing
 * but store NULL.
 */
int madring_sweep_end(struct madring_discovery *sweep, struct madring_fabric **fabric);

/*
 * Discovers the fabric: starts a sweep, runs it, and ends it. A signal does not end it: see
 * .is_canceled.
 * @fabric: set as by madring_sweep_end(), or to NULL if the sweep could not start.
 * Returns 0, also when the sweep was canceled or reached its deadline; or an error of the
 * functions above.
 */
int madring_sweep_sized(struct madring_subnet *subnet, const struct madring_sweep_config *config,
			size_t config_size, struct madring_fabric **fabric);
MADRING_SIZED int madring_sweep(struct madring_subnet *subnet,
				const struct madring_sweep_config *config,
				struct madring_fabric **fabric)
{
	return madring_sweep_sized(subnet, config, sizeof(*config), fabric);
}

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
 * madring_fabric_get_sweep_state() has .recalled of 0 if the whole fabric was discovered.
 * Returns as madring_sweep(), and -EINVAL if @earlier is NULL.
 */
int madring_fabric_update_sized(struct madring_subnet *subnet, const struct madring_fabric *earlier,
				const struct madring_node *const *nodes, size_t count,
				const struct madring_sweep_config *config, size_t config_size,
				struct madring_fabric **fabric);
MADRING_SIZED int madring_fabric_update(struct madring_subnet *subnet,
					const struct madring_fabric *earlier,
					const struct madring_node *const *nodes, size_t count,
					const struct madring_sweep_config *config,
					struct madring_fabric **fabric)
{
	return madring_fabric_update_sized(subnet, earlier, nodes, count, config, sizeof(*config),
					   fabric);
}

/* Stores in @state how the sweep of a fabric ended. For a fabric from a file, all but .done and
   .nodes is 0. */
void madring_fabric_get_sweep_state_sized(const struct madring_fabric *fabric,
					  struct madring_sweep_state *state, size_t state_size);
MADRING_SIZED void madring_fabric_get_sweep_state(const struct madring_fabric *fabric,
						  struct madring_sweep_state *state)
{
	madring_fabric_get_sweep_state_sized(fabric, state, sizeof(*state));
}

/*
 * Sends a Get of an attribute to each port of a fabric that has a LID, in the order of
 * madring_fabric_port(). It keeps many requests in flight, and runs the ring until all have an
 * outcome.
 * @mgmt_class: MADRING_CLASS_PMA, with the port's number as PortSelect; or MADRING_CLASS_SMP, with
 * the number as the attribute modifier. @attr_id: such as MADRING_ATTR_PORT_COUNTERS_EXTENDED, in
 * host byte order. @done: called for each outcome, with @user; .user of the completion is the port,
 * a const struct madring_node_port *. Requests of MADRING_CLASS_PMA have the P_Key index of the
 * subnet. Returns 0, -EINVAL for another class, or an error of madring_subnet_agent() or
 * madring_batch_call().
 */
int madring_ask_ports(struct madring_subnet *subnet, const struct madring_fabric *fabric,
		      uint8_t mgmt_class, uint16_t attr_id, madring_batch_done done, void *user);

/* Holds requests for attributes of the ports of a fabric, many of them in flight. */
struct madring_questions;

/* Describes what to ask the ports of a fabric for. Zeroed fields select the defaults, which the
   comments give after a colon. */
struct madring_ask_ports_config {
	uint8_t mgmt_class; /* as in madring_ask_ports() */
	/* Asks each node once for the sums over its ports: PortSelect is 255. Only nodes whose
	   PMA supports that (AllPortSelect, IBA 16.1.3) answer well. Not with MADRING_CLASS_SMP. */
	bool all_ports;
	/* The CounterSelect of requests of performance management, in the bytes 2 and 3 of an
	   attribute: 0, as in PortCounters, where only a Set reads it. */
	uint16_t counter_select;
	int timeout_ms; /* as in struct madring_send_options */
	/* The attributes, in host byte order, of which each port is asked for all. */
	const uint16_t *attributes;
	size_t attribute_count;
	int retries;	 /* as in struct madring_send_options */
	int deadline_ms; /* as in struct madring_batch_config */
	uint32_t most;	 /* the most requests in flight: what the ring has room for */
	/* Called for each outcome. .user of the completion is the port, as in madring_ask_ports();
	   the attribute is in the request, and in the reply. */
	madring_batch_done done;
	void *user; /* for .done */
};

/*
 * Starts to ask the ports of a fabric. The requests are sent when the ring runs.
 * @fabric: must be valid until madring_ask_ports_end(). @config: copied, but .attributes is not,
 * and must be valid as long. @questions: set on success; ended before the subnet is closed.
 * Returns 0, or
 *   -EINVAL  another class than in madring_ask_ports(), no attributes, no .done, or .all_ports
 *            with SMPs
 *   -ENOMEM  out of memory
 *   other    an error of madring_subnet_agent() or madring_batch_start()
 */
int madring_ask_ports_start_sized(struct madring_subnet *subnet,
				  const struct madring_fabric *fabric,
				  const struct madring_ask_ports_config *config, size_t config_size,
				  struct madring_questions **questions);
MADRING_SIZED int madring_ask_ports_start(struct madring_subnet *subnet,
					  const struct madring_fabric *fabric,
					  const struct madring_ask_ports_config *config,
					  struct madring_questions **questions)
{
	return madring_ask_ports_start_sized(subnet, fabric, config, sizeof(*config), questions);
}

/* Returns the batch of the requests: to run it, to cancel it, and to see its state. It is valid
   until madring_ask_ports_end(), which alone ends it. */
struct madring_batch *madring_ask_ports_requests(const struct madring_questions *questions);

/* Ends the questions, and frees them, as madring_batch_end() does, with the same errors. Accepts
   NULL. */
int madring_ask_ports_end(struct madring_questions *questions);

#ifdef __cplusplus
}
#endif
#endif
