/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet's GRH, IBA 8.3, from and to what a program's umad address says of it. */
#ifndef SIM_GRH_H
#define SIM_GRH_H

#include <infiniband/umad.h>

#include "fabric/fabric.h"

/* From the port's one GID. Without a GRH in the address the packet has none. */
void grh_from_address(const struct ib_mad_addr *address, const struct fabric_port_state *port,
		      struct fabric_packet *packet);
/* As ib_umad shows it: the GID is the sender's. */
void grh_to_address(const struct fabric_packet *packet, struct ib_mad_addr *address);

/* Whether the reply has a GRH if the request had one, and comes to the GID that asked. */
bool grh_fits(const struct fabric_packet *request, const struct fabric_packet *reply);

#endif
