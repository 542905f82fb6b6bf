/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug messages about things that are opened, closed or refused. */
#ifndef MADRING_API_EVENTS_H
#define MADRING_API_EVENTS_H

#include "api/handles.h"

/* @ring is not used if @error is not 0. */
void event_ring_opened(const struct madring *ring, int error);
void event_ring_closes(const struct madring *ring);

/* @ca_name and @portnum are what the caller asked for. */
void event_port_opened(const char *ca_name, int portnum, const struct madring_port *port,
		       int error);
void event_port_closes(const struct madring_port *port);

void event_agent_opened(const struct madring_port *port, const struct madring_agent_config *config,
			int error);
void event_agent_closes(const struct madring_agent *agent);

void event_capture_opened(const char *path, int error);

#endif
