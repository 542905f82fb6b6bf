/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture: its ports, and the packets that it writes for their MADs. */
#ifndef MADRING_CAPTURE_CAPTURE_H
#define MADRING_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/capture.h>
#include <madring/ca.h>
#include <madring/mad.h>

struct capture;

/*
 * Opens a capture as madring_capture_open() does. @real_ns is the difference between real time
 * and driver_clock(). Returns 0 or an error of madring_capture_open().
 */
int capture_open(struct capture **capture, const char *path,
		 const struct madring_capture_config *config, uint64_t real_ns);
/* Closes a capture. Returns 0 or the error that has ended it. */
int capture_close(struct capture *capture);

/*
 * Closes a capture without writing its buffer. In a child of fork(2) the buffer is a copy, and
 * the parent writes its own.
 */
void capture_discard(struct capture *capture);

/*
 * Adds a port as an interface, and takes @port over, which is one block of malloc(3). Returns the
 * interface's number or -ENOMEM.
 */
int capture_add_port(struct capture *capture, struct madring_ca_port *port);

/* Adds a MAD that a port has sent or received at @now, by driver_clock(). */
void capture_mad(struct capture *capture, unsigned int interface, bool sent,
		 const struct ib_user_mad *umad, size_t bytes, uint64_t now);

void capture_state(const struct capture *capture, struct madring_capture_state *state);

#endif
