/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include <infiniband/umad_sm.h>

#include "vhca/record.h"
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

/* end_route puts a directed route in an answer at its end. */
static void end_route(uint8_t *mad)
{
	if (mad[offsetof(struct umad_smp, mgmt_class)] == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		mad[offsetof(struct umad_smp, hop_ptr)] = 0;
}

enum vhca_result upcall_ask(struct fabric *fabric, int endpoint,
			    const struct vhca_upcall_record *upcall, struct vhca_answer *answer,
			    uint64_t now, uint64_t *ready)
{
	enum fabric_outcome outcome = FABRIC_OUTCOME_DROPPED;
	struct fabric_packet packet;

	*answer = (struct vhca_answer){
		.head = record_head(VHCA_ANSWER, sizeof(*answer), 0),
		.id = upcall->id,
	};
	*ready = now;
	fill_packet(upcall, &packet);
	if (endpoint >= 0)
		outcome = fabric_ask(fabric, endpoint, &packet, upcall->checks & VHCA_NO_MKEY_CHECK,
				     now, ready);
	answer->result = result_of(outcome);
	end_route(packet.mad);
	memcpy(answer->mad, packet.mad, sizeof(answer->mad));
	return answer->result;
}

bool late_answers_keep(struct late_answers *late, const struct vhca_answer *answer, uint64_t due)
{
	if (late->count == LATE_ANSWERS)
		return false;
	late->of[late->count++] = (struct late_answer){ .due = due, .answer = *answer };
	return true;
}

uint64_t late_answers_next(const struct late_answers *late)
{
	uint64_t next = FABRIC_NEVER;

	for (unsigned int i = 0; i < late->count; i++) {
		if (late->of[i].due < next)
			next = late->of[i].due;
	}
	return next;
}

bool late_answers_take(struct late_answers *late, uint64_t now, struct vhca_answer *answer)
{
	for (unsigned int i = 0; i < late->count; i++) {
		if (late->of[i].due > now)
			continue;
		*answer = late->of[i].answer;
		late->count--;
		memmove(&late->of[i], &late->of[i + 1], (late->count - i) * sizeof(late->of[0]));
		return true;
	}
	return false;
}
