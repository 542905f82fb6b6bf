/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel asks the HCA's own agents, such as directed-route SMPs of no hops. */
#ifndef SIM_VHCA_UPCALL_H
#define SIM_VHCA_UPCALL_H

#include <stdint.h>

#include "vhca/vhca_abi.h"

#define LATE_ANSWERS 64 /* as many upcalls as the kernel has at once */

struct loop;
struct vhca_hca;

/* Answers that their agents are not through with yet. */
struct late_answers {
	struct late_answer {
		uint64_t due;
		struct vhca_answer answer;
	} of[LATE_ANSWERS];
	unsigned int count;
};

void upcall_take(struct loop *loop, struct vhca_hca *hca, const struct vhca_upcall_record *upcall);

/* When the next answer is due; FABRIC_NEVER. */
uint64_t upcall_next(const struct late_answers *late);
/* Gives those that are. */
void upcall_expire(struct loop *loop, struct vhca_hca *hca);

#endif
