/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counterpart that answers what comes to its file, some of it later (kernel_held.h), until
 * SIGTERM ends it. "ready", on stdout, says that it has begun.
 */
#ifndef VM_SERVE_H
#define VM_SERVE_H

#include <stddef.h>

#include <infiniband/umad.h>

#include "kernel_held.h"

struct service {
	int fd;
	struct held held;
	/* Receives what has come, and answers it, or has it held. */
	void (*receive)(void);
	void (*send)(struct ib_user_mad *umad, size_t length);
};

void serve(struct service *service);

#endif
