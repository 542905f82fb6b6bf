/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice on errors of the local port, as far as this machine tells what to do. */
#ifndef COMMON_ADVICE_H
#define COMMON_ADVICE_H

/* Writes it to standard error, if there is anything to say: @error kept a program from
   using port @port of device @ca_name, as madring_port_open() takes them. */
void advice_print(const char *ca_name, int port, int error);

#endif
