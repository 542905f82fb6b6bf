/* SPDX-License-Identifier: BSD-2-Clause */
/* Whom a simulator and madring-sim ctl talk to: processes of their own user, and of root. */
#ifndef SIM_TRUST_H
#define SIM_TRUST_H

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

static inline bool user_is_trusted(uid_t user)
{
	return user == geteuid() || !user;
}

/* Whether the process at the other end of a Unix socket is one of those. */
static inline bool peer_is_trusted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && user_is_trusted(peer.uid);
}

#endif
