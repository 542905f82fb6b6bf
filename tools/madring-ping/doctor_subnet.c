/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "doctor_parts.h"
#include "kind.h"
#include "target.h"

#define NAME	   "subnet manager"
#define ATTEMPT_MS 500
#define RETRIES	   3

enum { STATE_ARMED = 3, STATE_ACTIVE };

/* Returns why the subnet administration cannot be asked, or NULL. */
static const char *why_not_asked(const struct doctor *doctor)
{
	const struct madring_ca_port *port = doctor->port;

	if (doctor->ring_error)
		return "there is no ring";
	if (!doctor->local.port)
		return "MADs cannot be sent to it";
	if (port->state != STATE_ARMED && port->state != STATE_ACTIVE)
		return "the port is not active";
	if (!port->lid || !port->sm_lid)
		return "the port has no LIDs";
	return NULL;
}

/*
 * Asks for the ClassPortInfo of the subnet administration. Stores the status of its reply. Returns
 * 0, or -errno; -EPROTO: the reply is wrong.
 */
static int ask(const struct doctor *doctor, struct madring_agent *agent, uint16_t *status)
{
	const struct target target = { .lid = (uint16_t)doctor->port->sm_lid,
				       .sl = (uint8_t)doctor->port->sm_sl };
	struct madring_completion completion = { 0 };
	struct madring_mad *mad = madring_mad_alloc(agent);
	int error;

	if (!mad)
		return -ENOBUFS;
	kind_prepare(KIND_SA, mad, &target, 0, 0);
	madring_mad_set_pkey_index(mad, doctor->options->pkey_index);
	madring_call(agent, mad, NULL, &completion);
	error = completion.status;
	if (!error) {
		*status = madring_mad_status(completion.mad);
		if (kind_check(KIND_SA, completion.mad, completion.length, false))
			error = -EPROTO;
	}
	local_put_back(&doctor->local, &completion);
	return error;
}

/*
 * Reports how the subnet administration has answered: @error of the query, or @status of the
 * reply.
 */
static void find_answer(struct doctor *doctor, int error, uint16_t status)
{
	struct findings *findings = &doctor->findings;
	uint16_t lid = (uint16_t)doctor->port->sm_lid;

	if (error)
		finding_add(findings, NAME, "its subnet administration at LID %u: %s", lid,
			    madring_error_text(error));
	else if (status)
		finding_add(findings, NAME,
			    "its subnet administration at LID %u refuses: %s (status 0x%04x)", lid,
			    kind_refusal(KIND_SA, status), status);
	else
		finding_add(findings, NAME, "its subnet administration at LID %u answers", lid);
	if (error == -ETIMEDOUT)
		finding_advise(findings,
			       "the host with this LID is down or cannot be reached, or its subnet "
			       "manager hangs: " START_ONE);
	else if (error == -EINTR)
		finding_advise(findings, "run this again, and do not interrupt it");
	else if (error)
		finding_advise(findings,
			       "MADs cannot be sent to it, or come back wrong: see dmesg");
	else if (status)
		finding_advise(findings, START_ONE);
}

void doctor_subnet(struct doctor *doctor)
{
	const struct madring_agent_config config = {
		.mgmt_class = kind_class(KIND_SA, false),
		.class_version = kind_class_version(KIND_SA),
		.timeout_ms = ATTEMPT_MS,
		.retries = RETRIES,
	};
	const char *why = doctor->port ? why_not_asked(doctor) : "there is no port";
	struct madring_agent *agent;
	uint16_t status = 0;
	int error;

	if (why) {
		doctor_not_asked(doctor, NAME, why);
		return;
	}
	error = madring_agent_open(doctor->local.port, &config, &agent);
	doctor_check_memory(error);
	if (!error) {
		error = ask(doctor, agent, &status);
		madring_agent_close(agent);
	}
	find_answer(doctor, error, status);
}
