/* SPDX-License-Identifier: BSD-2-Clause */
/* The control socket, by which commands change the fabric while a loop runs. */
#ifndef SIM_CTL_SOCKET_H
#define SIM_CTL_SOCKET_H

#include "loop/loop.h"

struct ctl_socket;

struct ctl_config {
	const char *path; /* NULL: in the loop's folder */
	/* Obeys a command. Writes an answer, or a reason, to @out; returns a CTL_ status. */
	int (*obey)(void *user, const char *const *words, size_t count, bool json, FILE *out);
	void *user;
};

/*
 * ctl_open listens for commands, in the loop. Returns 0, or -errno with the reason in @why. The
 * socket must be closed in any case.
 */
int ctl_open(struct ctl_socket **ctl, struct loop *loop, const struct ctl_config *config, char *why,
	     size_t size);

/* ctl_close removes the socket. The loop must be closed already. */
void ctl_close(struct ctl_socket *ctl);

#endif
