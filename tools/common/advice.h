/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice on errors of the local port, as far as this machine tells what to do. */
#ifndef COMMON_ADVICE_H
#define COMMON_ADVICE_H

/* Writes advice on @error, which kept a program from using port @port of device @ca_name, as
   madring_port_open() takes them, to standard error. Writes nothing when there is none to give. */
void advice_print(const char *ca_name, int port, int error);

#endif
