/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice on errors of the local port, as far as this machine tells what to do. */
#ifndef COMMON_ADVICE_H
#define COMMON_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

/* A path and some words. */
#define ADVICE_BYTES 4608

/* The ways to raise a limit. */
#define ADVICE_MEMLOCK                                                                             \
	"raise it by ulimit -l, by memlock in /etc/security/limits.conf, or by LimitMEMLOCK= of "  \
	"the systemd unit"
#define ADVICE_NOFILE "raise it by ulimit -n, or by LimitNOFILE= of the systemd unit"

/*
 * Finds the umad file of a port, which has the number of the issm file that the library names.
 * Returns 0, or an error of madring_ca_issm_path().
 */
int advice_find_file(const char *ca_name, int port, char *path, size_t room);

/* Says how a user gets permission to open a umad file. Returns false if there is no such file. */
bool advice_on_permission(const char *path, char *text, size_t room);

/* Says what forbids io_uring to this process. */
void advice_on_io_uring(char *text, size_t room);

/*
 * Writes advice on @error, which kept a program from using port @port of device @ca_name, as
 * madring_port_open() takes them, to standard error. Writes nothing when there is none to give.
 */
void advice_print(const char *ca_name, int port, int error);

#endif
