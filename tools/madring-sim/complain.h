/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_COMPLAIN_H
#define SIM_COMPLAIN_H

#define PROGRAM		 "madring-sim"
#define EXIT_NOT_STARTED 2

/* "madring-sim: WHAT: WHY" on standard error. Returns EXIT_NOT_STARTED. */
int complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
