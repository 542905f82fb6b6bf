/* SPDX-License-Identifier: BSD-2-Clause */
/* Topologies for tests: from files, from text, and generated. */
#ifndef TESTS_TOPOLOGIES_H
#define TESTS_TOPOLOGIES_H

#include "cmocka_all.h"

#include "topology/topology.h"

/* Reads a netlist of tests/unit/madring-sim/topology/data. */
struct topology *read_data(const char *name);

/* Reads a text as a file: what topology_read() returns. */
int read_text(struct topology **topology, const char *text, size_t length,
	      struct topology_error *error);

/* Generates the topology of a spec, which must be right. */
struct topology *generate(const char *spec);

#endif
