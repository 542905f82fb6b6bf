/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the fabric that a discovery has found with the one that there is. */
#ifndef MODEL_CHECK_GRAPH_H
#define MODEL_CHECK_GRAPH_H

struct discovery;
struct truth;

/* Checks that each node and each cable that was found is there. */
void check_graph_is_real(const struct discovery *discovery, const struct truth *truth);

/*
 * Checks, of a static fabric, that what was found is right, and that a problem tells of each thing
 * that is missing.
 */
void check_graph_is_explained(const struct discovery *discovery, const struct truth *truth);

/*
 * Checks that all that can be reached was found, and that all problems are nodes that are silent.
 */
void check_graph_is_whole(const struct discovery *discovery, const struct truth *truth);

#endif
