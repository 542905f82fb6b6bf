/* SPDX-License-Identifier: BSD-2-Clause */
/* What was opened, closed or refused, told to who wants to read of it. */
#ifndef MADRING_API_EVENTS_H
#define MADRING_API_EVENTS_H

#include "api/handles.h"

/* @ring: NULL when it was refused. */
void event_ring_opened(const struct madring *ring, int error);
void event_ring_closes(const struct madring *ring);

/* @ca_name, @portnum: as they were asked for. */
void event_port_opened(const char *ca_name, int portnum, const struct madring_port *port,
		       int error);
void event_port_closes(const struct madring_port *port);

void event_agent_opened(const struct madring_port *port, const struct madring_agent_config *config,
			int error);
void event_agent_closes(const struct madring_agent *agent);

void event_capture_opened(const char *path, int error);

#endif
