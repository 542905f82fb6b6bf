/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol of the control socket, a stream. A client sends the format of the answer and the
 * words of one command, each with a NUL behind it; then it shuts down its side. The server sends a
 * digit, which is the status, and the answer or the reason, and closes.
 */
#ifndef SIM_CTL_PROTOCOL_H
#define SIM_CTL_PROTOCOL_H

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIM_ENVIRONMENT "MADRING_SIM" /* names the folder below to all that the command starts */
#define SIM_CONTROL	"control"     /* the socket, or a symbolic link to it */

#define CTL_AS_TEXT "text"
#define CTL_AS_JSON "json"

#define CTL_REQUEST_BYTES 16384
#define CTL_REQUEST_WORDS 128

#define CTL_DONE    0
#define CTL_REFUSED 1
#define CTL_NO	    2 /* the answer is no: walk has found unreachable nodes */

/* A simulator and madring-sim ctl talk only to processes of their own user, and of root. */
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
