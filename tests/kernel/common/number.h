/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a command line. */
#ifndef VM_NUMBER_H
#define VM_NUMBER_H

#include <argp.h>

/*
 * Returns the number that @text is; an argp error, which ends the program, when it is none or
 * beyond.
 */
unsigned long number(const char *text, unsigned long least, unsigned long most,
		     struct argp_state *state);

#endif
