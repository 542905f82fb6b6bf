/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include <infiniband/umad_sm.h>

#include "vhca/hca.h"
#include "vhca/upcall.h"

#define PERMISSIVE 0xffff

static enum vhca_result result_of(enum fabric_outcome outcome)
{
	switch (outcome) {
	case FABRIC_OUTCOME_ANSWERED:
		return VHCA_REPLY;
	case FABRIC_OUTCOME_TAKEN:
		return VHCA_CONSUMED;
	case FABRIC_OUTCOME_PASSED:
		return VHCA_PASS;
	default:
		return VHCA_FAILED;
	}
}

static bool is_smp(const uint8_t *mad)
{
	uint8_t mgmt_class = mad[offsetof(struct umad_hdr, mgmt_class)];

	return mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE ||
	       mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED;
}

static void fill_packet(const struct vhca_upcall_record *upcall, struct fabric_packet *packet)
{
	const uint32_t qp = is_smp(upcall->mad) ? 0 : 1;

	*packet = (struct fabric_packet){
		.slid = upcall->slid ? upcall->slid : PERMISSIVE,
		.dlid = PERMISSIVE,
		.sqp = qp,
		.dqp = qp,
	};
	memcpy(packet->mad, upcall->mad, sizeof(packet->mad));
}

/* Whoever reads it finds a directed route at its end. */
static void end_route(uint8_t *mad)
{
	if (mad[offsetof(struct umad_smp, mgmt_class)] == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		mad[offsetof(struct umad_smp, hop_ptr)] = 0;
}

static bool keep(struct late_answers *late, const struct vhca_answer *answer, uint64_t due)
{
	if (late->count == LATE_ANSWERS)
		return false;
	late->of[late->count++] = (struct late_answer){ .due = due, .answer = *answer };
	return true;
}

void upcall_take(struct loop *loop, struct vhca_hca *hca, const struct vhca_upcall_record *upcall)
{
	const struct hca_port *port = &hca->port[upcall->head.port];
	enum fabric_outcome outcome = FABRIC_OUTCOME_DROPPED;
	struct vhca_answer answer = {
		.head = record_head(VHCA_ANSWER, sizeof(answer), 0),
		.id = upcall->id,
	};
	struct fabric_packet packet;
	uint64_t ready = loop->now;

	hca->counts.upcalls++;
	fill_packet(upcall, &packet);
	if (port->endpoint >= 0)
		outcome = fabric_ask(loop->fabric, port->endpoint, &packet,
				     upcall->checks & VHCA_NO_MKEY_CHECK, loop->now, &ready);
	if (outcome == FABRIC_OUTCOME_DROPPED)
		hca->counts.upcalls_failed++;
	answer.result = result_of(outcome);
	end_route(packet.mad);
	memcpy(answer.mad, packet.mad, sizeof(answer.mad));
	if (ready <= loop->now || !keep(&hca->late, &answer, ready))
		vhca_hca_answer(loop, hca, &answer);
}

uint64_t upcall_next(const struct late_answers *late)
{
	uint64_t next = FABRIC_NEVER;

	for (unsigned int i = 0; i < late->count; i++) {
		if (late->of[i].due < next)
			next = late->of[i].due;
	}
	return next;
}

void upcall_expire(struct loop *loop, struct vhca_hca *hca)
{
	struct late_answers *late = &hca->late;
	unsigned int i = 0, kept = 0;

	for (; i < late->count; i++) {
		if (late->of[i].due <= loop->now)
			vhca_hca_answer(loop, hca, &late->of[i].answer);
		else
			late->of[kept++] = late->of[i];
	}
	late->count = kept;
}
