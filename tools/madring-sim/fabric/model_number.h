/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of the fabric's model, and its profiles, by their names. */
#ifndef SIM_MODEL_NUMBER_H
#define SIM_MODEL_NUMBER_H

#include <stddef.h>

#include "fabric/fabric.h"

enum model_kind { MODEL_DURATION, MODEL_PROBABILITY, MODEL_QUEUE };

struct model_number {
	const char *name;
	enum model_kind kind;
	size_t offset;
};

#define MODEL_NUMBERS 12
extern const struct model_number model_numbers[MODEL_NUMBERS];

/* In ns where it is a duration; a double holds all of them exactly. */
double model_get(const struct fabric_model *model, const struct model_number *number);
void model_set(struct fabric_model *model, const struct model_number *number, double value);

/* NULL: no number, or profile, has this name. */
const struct model_number *model_number_find(const char *name);
const struct fabric_model *model_profile_find(const char *name);

#endif
