/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --doctor: says what this host can carry, what madring therefore does, and how to repair what is
 * wrong.
 */
#ifndef PING_DOCTOR_H
#define PING_DOCTOR_H

#include "options.h"

/*
 * Writes what it finds to standard output. Returns the exit status: EXIT_HEALTHY or
 * EXIT_PROBLEMS.
 */
int doctor_run(const struct options *options);

#endif
