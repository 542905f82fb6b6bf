/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program has to say for itself. */
#ifndef COMMON_COMPLAIN_H
#define COMMON_COMPLAIN_H

#include <stdbool.h>

/* A line on standard error, behind the name that the program was called by. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether complaints are kept back: of a program that runs on, the same ones again and again. */
void complain_keep_back(bool keep_back);

#endif
