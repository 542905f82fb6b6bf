/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers ibping, and madring-ping of kind ibping, as ibping -S does. */
#ifndef PING_SERVER_H
#define PING_SERVER_H

#include "options.h"

/* Serves until a signal comes. Returns the exit status, with a message written when it is not 0. */
int server_run(const struct options *options);

#endif
