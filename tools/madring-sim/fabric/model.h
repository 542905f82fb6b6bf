/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of how links and nodes behave: its numbers, their names, and its two profiles. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/topology.h"

/* FABRIC_NEVER is a time that does not come. All times are in ns. */
#define FABRIC_NEVER	UINT64_MAX
#define FABRIC_AS_MODEL UINT64_MAX /* a node's service time is that of its type */

/* The numbers of the model. None of them was measured on a device. */
struct fabric_model {
	uint64_t hop;	     /* over a link and into the node behind it */
	uint64_t transit;    /* a switch's SMI passes on a directed-route SMP */
	uint64_t service[4]; /* a node's agent works on one MAD, by enum node_type */
	uint32_t queue;	     /* MADs that wait or are served at one port; 0: no limit */
	/* The host of an endpoint; see endpoint.h. 0: no limit */
	uint64_t local_service;		/* its kernel takes one MAD */
	uint32_t local_vl15;		/* bytes of its HCA's VL15 buffer */
	uint32_t local_receive_buffers; /* that its kernel has posted to each of QP0 and QP1 */
	/* Probabilities, 0 to 1, drawn once for the way of a request and once for its reply. */
	double loss;
	double duplicate;
	double reorder; /* the MAD is late by a random part of reorder_delay */
	double corrupt; /* one bit of the MAD is inverted */
	uint64_t reorder_delay;
	uint64_t training; /* from the plugging of a cable to a link in Init */
};

/* fabric_ideal has no delay, no limit and no loss; fabric_modelled has those of a plausible fabric.
 */
extern const struct fabric_model fabric_ideal, fabric_modelled;

/* model_is_valid tells whether all probabilities are between 0 and 1. */
bool model_is_valid(const struct fabric_model *model);

/*
 * A hung node forwards but does not answer. A dead node does neither, though its links stay up.
 * A node that is off has no link; when it is switched on, it starts without LIDs and trains its
 * links.
 */
enum fabric_health { FABRIC_WELL, FABRIC_HUNG, FABRIC_DEAD, FABRIC_OFF, FABRIC_HEALTHS };

/* The meaning of a health. A new health is a new row of the table in model.c. */
struct fabric_health_meaning {
	const char *name;
	bool answers;	/* the node's agents work */
	bool forwards;	/* packets get through, and the node sends some */
	bool has_links; /* its links may be up */
};
extern const struct fabric_health_meaning fabric_health_meaning[FABRIC_HEALTHS];

/* time_after returns a time so many ns later, FABRIC_NEVER if there is none so late. */
static inline uint64_t time_after(uint64_t time, uint64_t ns)
{
	return ns < FABRIC_NEVER - time ? time + ns : FABRIC_NEVER;
}

enum model_kind { MODEL_DURATION, MODEL_PROBABILITY, MODEL_COUNT };

/* A number of the model, by the name that scenarios and reports give it. */
struct model_number {
	const char *name;
	enum model_kind kind;
	size_t offset;
};

#define MODEL_NUMBERS 15
extern const struct model_number model_numbers[MODEL_NUMBERS];

/*
 * model_get and model_set get and set a number. A duration is in ns; a double holds all of them
 * exactly.
 */
double model_get(const struct fabric_model *model, const struct model_number *number);
void model_set(struct fabric_model *model, const struct model_number *number, double value);

/* The functions below return NULL if nothing has this name. */
const struct model_number *model_number_find(const char *name);
const struct fabric_model *model_profile_find(const char *name);

#endif
