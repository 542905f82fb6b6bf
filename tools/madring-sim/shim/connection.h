/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to the server, and what each starts with: see protocol.h. */
#ifndef SIM_CONNECTION_H
#define SIM_CONNECTION_H

#include "server/protocol.h"

/* A descriptor, or -1 with errno. */
int connection_open(void);

/* Sends the request and receives the reply to it. 0, or an errno: the reply's, or of the
 * connection. */
int connection_exchange(int fd, struct sim_request *request, struct sim_reply *reply);

#endif
