/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madring/structs.h>

#include "common/clock.h"
#include "common/complain.h"
#include "common/interrupt.h"
#include "common/discover.h"
#include "common/mkeys.h"
#include "common/plural.h"
#include "common/progress.h"
#include "resolve.h"

#define ROCE_HOP_LIMIT		       64
#define PATH_BY_GIDS		       (1u << 2 | 1u << 3) /* components of PathRecord (IBA 15.2.5.16) */
#define PATH_BYTES		       64
#define SA_TIMEOUT_MS		       1000
#define SA_RETRIES		       2
#define HAS_PASSED_A_ROUTER(hop_limit) ((hop_limit) > 1) /* IBA 8.3.6 */

#define NO_LID "it has no LID, as no subnet manager has set it up: start one, or use --kind smp"

struct resolver {
	const struct local *local;
	const struct options *options;
	struct madring_ca_port *port;
	struct madring_agent *sa; /* NULL: there is none */
	struct madring_agent *routes;
	struct madring_fabric *fabric; /* NULL until it has been discovered */
	bool deadline_reached;	       /* the deadline has ended the fabric's discovery */
};

static int refuse_target(const struct target *target, const char *why)
{
	complain("%s: %s", target->name, why);
	return -EADDRNOTAVAIL;
}

static int open_routes(struct resolver *resolver)
{
	return local_smp_agent(resolver->local, MADRING_CLASS_SMP_DIRECTED, &resolver->routes);
}

static int open_sa(struct resolver *resolver)
{
	const struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_SA,
		.class_version = 2,
		.timeout_ms = SA_TIMEOUT_MS,
		.retries = SA_RETRIES,
	};

	if (resolver->sa || !resolver->port->sm_lid)
		return 0;
	return local_agent_open(resolver->local, &config, "subnet administration", &resolver->sa);
}

/*
 * Sends a request and waits for its reply, whose bytes behind @offset it copies to @attribute.
 * Returns 0, or -errno; -EPROTO means a reply with an error status, or of another attribute.
 */
static int ask_attribute(const struct resolver *resolver, struct madring_agent *agent,
			 struct madring_mad *mad, size_t offset, void *attribute, size_t bytes)
{
	struct madring_completion completion;
	uint16_t wanted = madring_mad_header(mad)->attr_id;
	int error;

	madring_call(agent, mad, NULL, &completion);
	error = completion.status;
	if (!error && (completion.length < offset + bytes || madring_mad_status(completion.mad) ||
		       madring_mad_header(completion.mad)->attr_id != wanted))
		error = -EPROTO;
	if (!error)
		memcpy(attribute, (const uint8_t *)madring_mad_data(completion.mad) + offset,
		       bytes);
	local_put_back(resolver->local, &completion);
	return error;
}

static uint64_t guid_of_gid(const uint8_t gid[16])
{
	uint64_t guid;

	memcpy(&guid, gid + 8, sizeof(guid));
	return be64toh(guid);
}

/* Asks the SA for a path to a GID. Returns 0, or -errno, without a message. */
static int ask_path(struct resolver *resolver, struct target *target, const uint8_t gid[16])
{
	struct madring_mad *mad = madring_mad_alloc(resolver->sa);
	struct madring_path_record asked = { 0 }, path;
	uint8_t record[PATH_BYTES];
	int error;

	if (!mad)
		return -ENOBUFS;
	madring_sa_prepare(mad, (uint16_t)resolver->port->sm_lid, resolver->port->sm_sl,
			   MADRING_GET, MADRING_ATTR_PATH_RECORD, 0, PATH_BY_GIDS);
	madring_mad_set_pkey_index(mad, resolver->local->pkey_index);
	memcpy(asked.dgid.raw, gid, sizeof(asked.dgid.raw));
	memcpy(asked.sgid.raw, resolver->port->gid, sizeof(asked.sgid.raw));
	madring_path_record_encode((uint8_t *)madring_mad_data(mad) + MADRING_SA_DATA, &asked);
	error = ask_attribute(resolver, resolver->sa, mad, MADRING_SA_DATA, record, sizeof(record));
	if (error)
		return error;
	madring_path_record_decode(&path, record);
	target->lid = path.dlid;
	/* The GUID of a port is often that of its node, and the SA says where that is. */
	if (resolver->options->mkeys)
		target->m_key = mkeys_of_node(resolver->options->mkeys, guid_of_gid(gid));
	target->sl = path.sl;
	target->hop_limit = path.hop_limit;
	target->global = HAS_PASSED_A_ROUTER(target->hop_limit);
	memcpy(target->gid, gid, sizeof(target->gid));
	return target->lid ? 0 : -EPROTO;
}

static bool is_silent_node(const struct madring_problem *problem)
{
	return problem->kind == MADRING_PROBLEM_NO_REPLY &&
	       problem->attribute == MADRING_ATTR_NODE_INFO;
}

/*
 * Names what the discovery has not found. A node that never answered has no name: its neighbor has
 * one.
 */
static void name_missing(const struct madring_problem *problem)
{
	char text[MADRING_PROBLEM_TEXT_BYTES], path[MADRING_ROUTE_TEXT_BYTES];

	madring_route_text(problem->path, problem->hops, path);
	if (is_silent_node(problem) && problem->via && problem->exit)
		complain("DR path %s: the node behind port %u of %s does not answer", path,
			 problem->exit, problem->via->description);
	else
		complain("DR path %s: %s", path, discover_problem_text(problem, text));
}

/* Says what the discovery has not found; with --all, each by name, because it is not asked. */
static void tell_missing(const struct resolver *resolver)
{
	const struct madring_fabric *fabric = resolver->fabric;
	size_t silent = 0, count = madring_fabric_problem_count(fabric);
	bool is_named = resolver->options->all;
	const char *hint =
		is_named ? "nothing more is asked there" : "run madring-sweep to see which";

	for (size_t i = 0; i < count; i++) {
		const struct madring_problem *problem = madring_fabric_problem(fabric, i);

		silent += is_silent_node(problem);
		if (is_named)
			name_missing(problem);
	}
	if (silent == count)
		complain("%zu node%s did not answer; %s", silent, plural(silent), hint);
	else
		complain("%zu part%s of the fabric could not be discovered; %s", count,
			 plural(count), hint);
}

/* Discovers the fabric, because a target can only be found in it. Returns 0 or a negative errno. */
static int discover_fabric(struct resolver *resolver)
{
	const struct options *options = resolver->options;
	struct progress progress;
	struct madring_sweep_state state;
	const struct discover means = {
		.local = resolver->local,
		.mkeys = options->mkeys,
		.max_nodes = options->max_nodes,
		.deadline_ns = clock_ns() + options->deadline_ns,
		.progress = &progress,
	};
	int error;

	progress_start(&progress, true);
	error = discover(&means, &resolver->fabric);
	progress_end(&progress);
	if (!resolver->fabric)
		return error;
	madring_fabric_get_sweep_state(resolver->fabric, &state);
	resolver->deadline_reached = state.deadline_reached;
	if (!error && interrupted())
		error = -EINTR;
	if (!error && state.deadline_reached)
		complain("the deadline ended the discovery: what was found until then is used; "
			 "--deadline allows more time");
	else if (!error && !madring_fabric_is_complete(resolver->fabric))
		tell_missing(resolver);
	return error;
}

/* Returns whether SMPs need a directed route, because the fabric need not route them by LID. */
static bool needs_route(const struct resolver *resolver)
{
	return resolver->options->kind == KIND_SMP && local_is_split(resolver->local);
}

/* Sets the target's address to a port. Returns whether the port has an address for the kind. */
static bool use_port(const struct resolver *resolver, struct target *target,
		     const struct madring_node_port *port, bool directed)
{
	target->lid = port->lid;
	target->m_key = port->node->m_key;
	target->route.hops = port->node->hops;
	memcpy(target->route.port, port->node->path, sizeof(target->route.port));
	target->by_route = resolver->options->kind == KIND_SMP &&
			   (directed || target->lid == 0 || needs_route(resolver));
	return target->by_route || target->lid;
}

/* Returns the port with a GUID, or the port of the node with it. */
static const struct madring_node_port *find_guid(const struct resolver *resolver, uint64_t guid)
{
	const struct madring_node *node = madring_fabric_node_by_guid(resolver->fabric, guid);

	return node ? madring_node_end_port(node)
		    : madring_fabric_port_by_guid(resolver->fabric, guid);
}

/* Returns the port that the target names by LID, or else by @guid. */
static const struct madring_node_port *find_port(const struct resolver *resolver,
						 const struct target *target, uint64_t guid)
{
	if (target->type == TARGET_LID)
		return madring_fabric_port_by_lid(resolver->fabric, target->lid);
	return find_guid(resolver, guid);
}

static int find_in_fabric(struct resolver *resolver, struct target *target, uint64_t guid)
{
	const struct madring_node_port *port;
	int error = resolver->fabric ? 0 : discover_fabric(resolver);

	if (error)
		return error;
	port = find_port(resolver, target, guid);
	if (!port && resolver->deadline_reached)
		return refuse_target(target,
				     guid ? "no port that was found before the deadline has this "
					    "GUID"
					  : "no port that was found before the deadline has this "
					    "LID");
	if (!port)
		return refuse_target(target, guid ? "no port of the fabric has this GUID"
						  : "no port of the fabric has this LID");
	if (!use_port(resolver, target, port, false))
		return refuse_target(target, NO_LID);
	return 0;
}

static void gid_of_guid(uint8_t gid[16], const struct madring_ca_port *port, uint64_t guid)
{
	uint64_t both[2] = { htobe64(port->gid_prefix), htobe64(guid) };

	memcpy(gid, both, sizeof(both));
}

/*
 * Finds the way to a target that is named by GUID or GID: asks the SA, or else discovers the
 * fabric.
 */
static int find_gid(struct resolver *resolver, struct target *target)
{
	uint8_t gid[16];
	int error;

	if (target->type == TARGET_GUID)
		gid_of_guid(gid, resolver->port, target->guid);
	else
		memcpy(gid, target->gid, sizeof(gid));
	if (needs_route(resolver))
		return find_in_fabric(resolver, target, guid_of_gid(gid));
	error = open_sa(resolver);
	if (error)
		return error;
	error = resolver->sa ? ask_path(resolver, target, gid) : -ENOENT;
	if (!error || error == -EINTR || error == -ENODEV)
		return error;
	if (error == -ETIMEDOUT) {
		complain("the subnet administration at LID %u does not reply: the fabric is "
			 "discovered instead",
			 (unsigned int)resolver->port->sm_lid);
		/* The other targets would not get a reply either. */
		resolver->port->sm_lid = 0;
		madring_agent_close(resolver->sa);
		resolver->sa = NULL;
	}
	return find_in_fabric(resolver, target, guid_of_gid(gid));
}

/* Finds the LID at the end of a directed route. */
static int find_lid(struct resolver *resolver, struct target *target)
{
	uint8_t info[MADRING_SMP_DATA_BYTES];
	struct madring_port_info port;
	struct madring_mad *mad;
	int error = open_routes(resolver);

	if (error)
		return error;
	mad = madring_mad_alloc(resolver->routes);
	if (!mad)
		return -ENOBUFS;
	madring_smp_dr_prepare(mad, target->route.port, target->route.hops, MADRING_GET,
			       MADRING_ATTR_PORT_INFO, 0);
	if (resolver->options->mkeys)
		madring_smp_set_mkey(mad, mkeys_of_node(resolver->options->mkeys, 0));
	error = ask_attribute(resolver, resolver->routes, mad, MADRING_SMP_DATA, info,
			      sizeof(info));
	if (error) {
		complain("%s: its LID cannot be read: %s", target->name, madring_error_text(error));
		return error;
	}
	madring_port_info_decode(&port, info);
	target->lid = port.lid;
	return target->lid ? 0 : refuse_target(target, NO_LID);
}

/*
 * Finds the address of one target. Returns 0, or -errno with a message written, but for a few
 * errors that resolve() reports.
 */
static int resolve_one(struct resolver *resolver, struct target *target)
{
	bool is_smp = resolver->options->kind == KIND_SMP;

	if (resolver->options->mkeys)
		target->m_key = mkeys_of_node(resolver->options->mkeys, 0);
	if (!strcmp(resolver->port->link_layer, "Ethernet")) {
		if (is_smp)
			return refuse_target(target,
					     "a RoCE port carries no SMPs: choose another --kind");
		if (target->type != TARGET_GID)
			return refuse_target(target, "on a RoCE port only GIDs are addresses");
		target->global = true;
		target->hop_limit = ROCE_HOP_LIMIT;
		return 0;
	}
	switch (target->type) {
	case TARGET_LID:
		return needs_route(resolver) ? find_in_fabric(resolver, target, 0) : 0;
	case TARGET_ROUTE:
		target->by_route = is_smp;
		return is_smp ? 0 : find_lid(resolver, target);
	case TARGET_GUID:
	case TARGET_GID:
		return find_gid(resolver, target);
	}
	return -EINVAL;
}

static int add_node(const struct resolver *resolver, struct targets *targets,
		    const struct madring_node *node)
{
	struct target target = { .type = TARGET_GUID, .guid = node->guid };

	snprintf(target.name, sizeof(target.name), "%s", node->description);
	if (!node->description[0])
		snprintf(target.name, sizeof(target.name), "0x%016" PRIx64, node->guid);
	if (!use_port(resolver, &target, madring_node_end_port(node), resolver->options->directed))
		return refuse_target(&target, NO_LID);
	targets_add(targets, &target);
	return 0;
}

static int add_all(struct resolver *resolver, struct targets *targets)
{
	int error = discover_fabric(resolver);

	for (size_t i = 0; !error && i < madring_fabric_node_count(resolver->fabric); i++)
		error = add_node(resolver, targets, madring_fabric_node(resolver->fabric, i));
	if (!error && !targets->count) {
		complain("the fabric has no node that answers");
		return -EADDRNOTAVAIL;
	}
	return error;
}

/* Adds the subnet administration itself as the target of kind sa. */
static int add_sa(const struct resolver *resolver, struct targets *targets)
{
	struct target target = {
		.type = TARGET_LID,
		.name = "SA",
		.lid = (uint16_t)resolver->port->sm_lid,
		.sl = resolver->port->sm_sl,
	};

	if (!target.lid)
		return refuse_target(&target, "the port knows of no subnet manager");
	targets_add(targets, &target);
	return 0;
}

static int resolve_all(struct resolver *resolver, struct targets *targets)
{
	if (resolver->options->all)
		return add_all(resolver, targets);
	if (!targets->count)
		return add_sa(resolver, targets);
	for (size_t i = 0; i < targets->count; i++) {
		int error = resolve_one(resolver, &targets->list[i]);

		if (error)
			return error;
	}
	return 0;
}

int resolve(const struct local *local, const struct options *options, struct targets *targets,
	    bool *deadline_reached, bool *is_partial)
{
	struct resolver resolver = { .local = local, .options = options };
	int error = madring_ca_port_get(madring_port_ca_name(local->port),
					madring_port_number(local->port), &resolver.port);

	if (error) {
		complain("the local port: %s", madring_error_text(error));
		return error;
	}
	if (options->sm_lid)
		resolver.port->sm_lid = options->sm_lid;
	error = resolve_all(&resolver, targets);
	*deadline_reached = resolver.deadline_reached;
	*is_partial =
		options->all && resolver.fabric && !madring_fabric_is_complete(resolver.fabric);
	if (error == -EINTR || error == -ENODEV || error == -ENOBUFS)
		complain("not all addresses could be found: %s", madring_error_text(error));
	madring_fabric_free(resolver.fabric);
	if (resolver.sa)
		madring_agent_close(resolver.sa);
	madring_ca_port_release(resolver.port);
	return error;
}
