/* SPDX-License-Identifier: BSD-2-Clause */
/* Upcalls: what the kernel asks an HCA's own agents, such as directed-route SMPs of no hops. */
#ifndef SIM_VHCA_UPCALL_H
#define SIM_VHCA_UPCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "vhca/vhca_abi.h"

#define LATE_ANSWERS 64 /* as many upcalls as the kernel has at once */

/*
 * upcall_ask asks the agents of an endpoint (-1: there is none) at @now. The answer leaves them at
 * *@ready. Returns answer->result.
 */
enum vhca_result upcall_ask(struct fabric *fabric, int endpoint,
			    const struct vhca_upcall_record *upcall, struct vhca_answer *answer,
			    uint64_t now, uint64_t *ready);

/* The answers that have not left their agents yet. */
struct late_answers {
	struct late_answer {
		uint64_t due;
		struct vhca_answer answer;
	} of[LATE_ANSWERS];
	unsigned int count;
};

/* late_answers_keep keeps an answer until it is due. Returns false if there is no room. */
bool late_answers_keep(struct late_answers *late, const struct vhca_answer *answer, uint64_t due);

/* late_answers_next returns when the next answer is due, or FABRIC_NEVER. */
uint64_t late_answers_next(const struct late_answers *late);

/* late_answers_take takes the first answer that is due by @now. Returns false if there is none. */
bool late_answers_take(struct late_answers *late, uint64_t now, struct vhca_answer *answer);

#endif
