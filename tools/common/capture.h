/* SPDX-License-Identifier: BSD-2-Clause */
/* --capture: a file of all MADs that a program sends and receives. */
#ifndef COMMON_CAPTURE_H
#define COMMON_CAPTURE_H

#include <madring.h>

/*
 * Captures all MADs of @ring to a new file; does nothing when @path is NULL. Returns 0, or -1 with
 * a message written.
 */
int capture_start(struct madring *ring, const char *path);

/*
 * Ends the capture, if @path is not NULL and the capture is open. Returns 0; or -1, with a message
 * written, when MADs are missing in it.
 */
int capture_end(struct madring *ring, const char *path);

#endif
