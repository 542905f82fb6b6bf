/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of --report-port: the other end of the cable of a port, and how fast the link is. */
#ifndef PERF_LINK_LINE_H
#define PERF_LINK_LINE_H

#include <stdio.h>

#include "common/names.h"

/* Writes a line as ibqueryerrors(8) does. @names may be NULL. */
void link_line_print(FILE *out, const struct madring_node_port *port, const struct names *names);

#endif
