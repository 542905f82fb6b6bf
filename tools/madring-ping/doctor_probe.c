/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <madring/structs.h>

#include "common/interrupt.h"
#include "common/mkeys.h"
#include "doctor_parts.h"
#include "load.h"

#define NAME	   "first node"
#define IN_FLIGHT  64u
#define SECOND_NS  1000000000u
#define TIMEOUT_MS 500
#define RETRIES	   3

#define STATE_DOWN 1

struct first_node {
	enum madring_node_type type;
	uint64_t guid;
};

/* Reads NodeInfo. Returns whether it can be one. */
static bool read_node_info(struct first_node *node, const void *attribute)
{
	struct madring_node_info info;

	madring_node_info_decode(&info, attribute);
	node->type = (enum madring_node_type)info.type;
	node->guid = info.node_guid;
	return node->type >= MADRING_NODE_CA && node->type <= MADRING_NODE_ROUTER && node->guid;
}

/*
 * Asks the node at the end of the route who it is. Returns 0, or -errno; -EPROTO: the reply is
 * wrong.
 */
static int ask_node(const struct doctor *doctor, struct madring_agent *agent,
		    const struct target_route *route, uint64_t mkey, struct first_node *node)
{
	struct madring_completion completion = { 0 };
	struct madring_mad *mad = madring_mad_alloc(agent);
	int error;

	if (!mad)
		return -ENOBUFS;
	madring_smp_dr_prepare(mad, route->port, route->hops, MADRING_GET, MADRING_ATTR_NODE_INFO,
			       0);
	madring_smp_set_mkey(mad, mkey);
	madring_call(agent, mad, NULL, &completion);
	error = completion.status;
	if (!error && (kind_check(KIND_SMP, completion.mad, completion.length, true) ||
		       madring_mad_status(completion.mad) ||
		       !read_node_info(node, (const uint8_t *)madring_mad_data(completion.mad) +
						     MADRING_SMP_DATA)))
		error = -EPROTO;
	local_put_back(&doctor->local, &completion);
	return error;
}

/* Asks for a second, and adds the finding. */
static void measure_rate(struct doctor *doctor, struct madring_agent *agent,
			 const struct target *target, const struct first_node *node)
{
	const struct plan plan = { .in_flight = IN_FLIGHT,
				   .duration_ns = SECOND_NS,
				   .report_ns = SECOND_NS };
	struct targets targets = { 0 };
	struct load load = {
		.ring = doctor->local.ring,
		.agent = { [true] = agent },
		.targets = &targets,
		.kind = KIND_SMP,
	};
	int error;

	targets_add(&targets, target);
	load_open(&load, IN_FLIGHT);
	error = load_run(&load, &plan);
	finding_add(&doctor->findings, NAME,
		    "%s 0x%016" PRIx64 ", answers %.0f NodeInfo a second; %" PRIu64 " of %" PRIu64
		    " lost%s",
		    node->type == MADRING_NODE_SWITCH ? "switch" : "no switch, but", node->guid,
		    figures_rate(load.total), load.total->lost, load.total->sent,
		    interrupted() ? "; interrupted" : "");
	if (error)
		finding_advise(&doctor->findings, "the measurement ended early: %s; see dmesg",
			       madring_error_text(error));
	load_close(&load);
	targets_free(&targets);
}

static void advise_on_silence(struct doctor *doctor, int error)
{
	finding_add(&doctor->findings, NAME, "%s", madring_error_text(error));
	if (error == -ETIMEDOUT)
		finding_advise(
			&doctor->findings,
			"the node at the other end of the cable does not answer: restart it, "
			"or, if it wants an M_Key, name it by --keys");
	else if (error == -EINTR)
		finding_advise(&doctor->findings, "run this again, and do not interrupt it");
	else
		finding_advise(&doctor->findings,
			       "SMPs cannot be sent, or come back wrong: see dmesg");
}

void doctor_probe(struct doctor *doctor)
{
	const struct madring_agent_config config = {
		.mgmt_class = kind_class(KIND_SMP, true),
		.class_version = kind_class_version(KIND_SMP),
		.window = IN_FLIGHT,
		.pin_window = true,
		.flow_window = IN_FLIGHT,
		.pin_flow_window = true,
		.timeout_ms = TIMEOUT_MS,
		.retries = RETRIES,
	};
	const struct mkeys *mkeys = doctor->options->mkeys;
	struct madring_port *smi = doctor->local.smi;
	struct target target = { .by_route = true, .route = { .hops = 1 } };
	struct first_node node = { 0 };
	struct madring_agent *agent;
	uint64_t mkey = 0;
	int error;

	if (!smi || doctor->port->state <= STATE_DOWN) {
		const char *why = doctor->ring_error ? "there is no ring" : "SMPs cannot be sent";

		doctor_not_asked(doctor, NAME, smi ? "the link is down" : why);
		return;
	}
	error = madring_agent_open(smi, &config, &agent);
	doctor_check_memory(error);
	if (error) {
		advise_on_silence(doctor, error);
		return;
	}
	target.route.port[1] = (uint8_t)madring_port_number(smi);
	if (mkeys)
		mkey = mkeys_behind_port(mkeys, local_node_guid(&doctor->local),
					 target.route.port[1]);
	error = ask_node(doctor, agent, &target.route, mkey, &node);
	if (error) {
		advise_on_silence(doctor, error);
	} else {
		target.m_key = mkey;
		measure_rate(doctor, agent, &target, &node);
	}
	madring_agent_close(agent);
}
