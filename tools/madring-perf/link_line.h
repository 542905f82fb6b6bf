/* SPDX-License-Identifier: BSD-2-Clause */
/* What is at the other end of a port's cable, and how fast it is: --report-port. */
#ifndef PERF_LINK_LINE_H
#define PERF_LINK_LINE_H

#include <stdio.h>

#include "discovery/names.h"

/* As ibqueryerrors(8) writes it. @names may be NULL. */
void link_line_print(FILE *out, const struct port *port, const struct names *names);

#endif
