/* SPDX-License-Identifier: BSD-2-Clause */
/* --capture: a file of all MADs that a program sends and receives. */
#ifndef COMMON_CAPTURE_H
#define COMMON_CAPTURE_H

#include <madring.h>

/* Nothing when @path is NULL. Returns 0, or -1 with a message written. */
int capture_start(struct madring *ring, const char *path);

/* A capture that is not whole is told on standard error; what it does is none the worse for it. */
void capture_end(struct madring *ring, const char *path);

#endif
