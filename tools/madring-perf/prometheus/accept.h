/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the format by the Accept header of a client (RFC 9110, 12.5.1). */
#ifndef PROMETHEUS_ACCEPT_H
#define PROMETHEUS_ACCEPT_H

#include "exposition.h"

/*
 * Chooses OpenMetrics where the header names it, in version 1.0.0 or in none, and prefers it to the
 * text format; else the text format. @accept is NULL when the client sends no such header.
 */
enum exposition_format accept_format(const char *accept);

#endif
