/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture: which ports it knows, and what it writes of each MAD. */
#ifndef MADRING_CAPTURE_CAPTURE_H
#define MADRING_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/capture.h>
#include <madring/ca.h>
#include <madring/mad.h>

struct capture;

/* As madring_capture_open(). @real_ns: what to add to this machine's clock to get the time. */
int capture_open(struct capture **capture, const char *path,
		 const struct madring_capture_config *config, uint64_t real_ns);
/* 0, or what ended it before. */
int capture_close(struct capture *capture);

/*
 * `capture_discard` closes a capture without writing what is still in its buffer. In a child of
 * fork(2) that buffer is a copy, and the parent writes its own.
 */
void capture_discard(struct capture *capture);

/* A port is an interface. Returns its number, or -ENOMEM. @port: is the capture's from then on. */
int capture_add_port(struct capture *capture, struct madring_ca_port *port);

/* What was sent or received by a port, at @now by the machine's clock. */
void capture_mad(struct capture *capture, unsigned int interface, bool sent,
		 const struct ib_user_mad *umad, size_t bytes, uint64_t now);

void capture_state(const struct capture *capture, struct madring_capture_info *state);

#endif
