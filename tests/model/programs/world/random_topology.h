/* SPDX-License-Identifier: BSD-2-Clause */
/* A topology that no generator makes: any graph of switches, hosts with several ports, routers. */
#ifndef MODEL_RANDOM_TOPOLOGY_H
#define MODEL_RANDOM_TOPOLOGY_H

struct prng;
struct topology;

/* Makes a connected graph of @nodes nodes, at least two. */
struct topology *random_topology(struct prng *prng, unsigned int nodes);

#endif
