/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what a sweep tells of the MADs that switches dropped against what they have counted. */
#ifndef MODEL_CHECK_DROPS_H
#define MODEL_CHECK_DROPS_H

struct drops;
struct truth;

/* Checks that each switch had its counts between the times of @before and @after. */
void check_drops_are_real(const struct drops *drops, const struct truth *before,
			  const struct truth *after);

/* Checks that each switch was read, or has a reason why not. */
void check_drops_are_explained(const struct drops *drops);

#endif
