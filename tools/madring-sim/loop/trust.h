/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulator and madring-sim ctl talk only to processes of their own user, and of root. */
#ifndef SIM_TRUST_H
#define SIM_TRUST_H

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

static inline bool user_is_trusted(uid_t user)
{
	return user == geteuid() || !user;
}

/* Returns whether the process at the other end of a Unix socket is this user's, or root's. */
static inline bool peer_is_trusted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && user_is_trusted(peer.uid);
}

#endif
