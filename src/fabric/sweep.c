/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madring/subnet.h>

#include "public.h"
#include "discovery_run.h"
#include "order.h"
#include "sized/sized.h"

struct madring_discovery {
	struct discovery discovery;
	struct discovery_run *run;
	struct madring_sweep_config config;
};

static void see_node(void *context, const struct query *query, const struct node *node,
		     uint8_t port, bool is_new)
{
	const struct madring_discovery *sweep = context;
	struct route route;

	query_route(query, &route);
	sweep->config.on_node(sweep->config.user, &(struct madring_sweep_seen){
							  .node = &node->public,
							  .port = port,
							  .hops = route.hops,
							  .path = route.port,
							  .is_new = is_new,
						  });
}

static void see_port(void *context, const struct port *port)
{
	const struct madring_discovery *sweep = context;

	sweep->config.on_port(sweep->config.user, &port->public);
}

static void see_link(void *context, const struct port *from, const struct port *to)
{
	const struct madring_discovery *sweep = context;

	sweep->config.on_link(sweep->config.user, &from->public, &to->public);
}

static void see_problem(void *context, const struct problem *problem)
{
	const struct madring_discovery *sweep = context;

	sweep->config.on_problem(sweep->config.user, &problem->public);
}

static void see_known(void *context, const struct node *node)
{
	const struct madring_discovery *sweep = context;

	sweep->config.on_node_known(sweep->config.user, &node->public);
}

static bool is_valid(const struct madring_sweep_config *config)
{
	if (config->earlier ? config->lid_routed : config->look_at || config->look_at_count)
		return false;
	if (config->look_at_count && !config->look_at)
		return false;
	return config->max_nodes <= MADRING_SWEEP_MAX_NODES && config->deadline_ms >= 0;
}

/*
 * Begins the discovery that a sweep runs, with the callbacks of its program. Returns 0 or -ENOMEM.
 */
static int begin_discovery(struct madring_discovery *sweep)
{
	const struct madring_sweep_config *config = &sweep->config;
	struct discovery *discovery = &sweep->discovery;
	struct madring_fabric *fabric = fabric_new();

	if (!fabric)
		return -ENOMEM;
	discovery_start(discovery, fabric);
	if (config->max_nodes)
		discovery->max_nodes = config->max_nodes;
	discovery->seen = config->on_node ? see_node : NULL;
	discovery->port_seen = config->on_port ? see_port : NULL;
	discovery->link_seen = config->on_link ? see_link : NULL;
	discovery->problem_seen = config->on_problem ? see_problem : NULL;
	discovery->node_known = config->on_node_known ? see_known : NULL;
	discovery->seen_context = sweep;
	discovery->port_context = sweep;
	if (discovery->error || !config->earlier)
		return discovery->error;
	return earlier_open(&discovery->earlier, config->earlier, config->look_at,
			    config->look_at_count);
}

static int start_run(struct madring_discovery *sweep, struct madring_subnet *subnet)
{
	struct discovery_means means = { .config = sweep->config, .sweep = sweep };
	int error = madring_subnet_agent(subnet, MADRING_CLASS_SMP_DIRECTED, &means.agent);

	if (!error && sweep->config.lid_routed)
		error = madring_subnet_agent(subnet, MADRING_CLASS_SMP, &means.lid_agent);
	if (sweep->config.get_mkey)
		means.local_guid = madring_subnet_node_guid(subnet);
	return error ? error : discovery_run_start(&sweep->discovery, &means, &sweep->run);
}

static void free_sweep(struct madring_discovery *sweep)
{
	struct madring_fabric *fabric = sweep->discovery.fabric;

	if (fabric)
		discovery_end(&sweep->discovery);
	fabric_free(fabric);
	free(sweep);
}

int madring_sweep_start_sized(struct madring_subnet *subnet,
			      const struct madring_sweep_config *config, size_t config_size,
			      struct madring_discovery **started)
{
	struct madring_sweep_config filled;
	struct madring_discovery *sweep;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (error)
		return error;
	if (!is_valid(&filled))
		return -EINVAL;
	sweep = calloc(1, sizeof(*sweep));
	if (!sweep)
		return -ENOMEM;
	sweep->config = filled;
	error = begin_discovery(sweep);
	if (!error)
		error = start_run(sweep, subnet);
	if (error)
		free_sweep(sweep);
	else
		*started = sweep;
	return error;
}

void madring_sweep_get_state_sized(const struct madring_discovery *sweep,
				   struct madring_sweep_state *state, size_t state_size)
{
	struct madring_sweep_state own;

	discovery_run_get_state(sweep->run, &own);
	sized_give(state, state_size, &own, sizeof(own));
}

void madring_sweep_cancel(struct madring_discovery *sweep)
{
	discovery_run_cancel(sweep->run);
}

int madring_sweep_run(struct madring_discovery *sweep)
{
	return discovery_run_on(sweep->run);
}

/* Takes the fabric out of a sweep that has ended. Returns 0, or -ENOMEM. */
static int take_fabric(struct madring_discovery *sweep, const struct madring_sweep_state *state,
		       struct madring_fabric **taken)
{
	struct discovery *discovery = &sweep->discovery;
	struct madring_fabric *fabric = discovery->fabric;

	if (order_nodes(fabric))
		return -ENOMEM;
	problems_order(&discovery->problems);
	fabric->is_complete = !state->error && discovery_complete(discovery);
	fabric->state = *state;
	fabric->problems = discovery->problems;
	discovery->problems = (struct problems){ 0 };
	fabric_settle(fabric);
	discovery_end(discovery);
	discovery->fabric = NULL;
	*taken = fabric;
	return 0;
}

int madring_sweep_end(struct madring_discovery *sweep, struct madring_fabric **fabric)
{
	struct madring_sweep_state state;

	if (fabric)
		*fabric = NULL;
	if (discovery_run_end(sweep->run, &state))
		return -EBUSY;
	if (fabric && state.error != -ENOMEM && take_fabric(sweep, &state, fabric))
		state.error = -ENOMEM;
	free_sweep(sweep);
	return state.error;
}

int madring_sweep_sized(struct madring_subnet *subnet, const struct madring_sweep_config *config,
			size_t config_size, struct madring_fabric **fabric)
{
	struct madring_discovery *sweep;
	int error, ended;

	*fabric = NULL;
	error = madring_sweep_start_sized(subnet, config, config_size, &sweep);
	if (error)
		return error;
	while ((error = madring_sweep_run(sweep)) == -EINTR)
		;
	if (error) {
		/* The ring has failed. What can be canceled now ends now. */
		madring_sweep_cancel(sweep);
		madring_dispatch(madring_subnet_ring(subnet), 0);
	}
	ended = madring_sweep_end(sweep, fabric);
	return error ? error : ended;
}
