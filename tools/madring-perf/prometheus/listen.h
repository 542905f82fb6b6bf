/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket to listen on, by ADDRESS:PORT. */
#ifndef PROMETHEUS_LISTEN_H
#define PROMETHEUS_LISTEN_H

#include <stddef.h>

/*
 * Listens on @where: "ADDRESS:PORT", with an IPv6 address in brackets, or ":PORT" or "PORT" for
 * 127.0.0.1. Port 0 chooses a free one. Returns the socket, or -1 with a message written.
 */
int listen_on(const char *where);

/* Writes the address of a listening socket, as listen_on() takes it. */
void listen_text(int fd, char *text, size_t room);

#endif
