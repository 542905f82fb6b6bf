/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs' command lines have in common. */
#ifndef COMMON_ARGUMENTS_H
#define COMMON_ARGUMENTS_H

#include <stdint.h>

/* The exit status of a wrong use, and of what could not be done at all; 0 is well. */
#define EXIT_UNABLE 2

/* Ends the program: it cannot do with @what, and here is @why. */
void argument_refuse(const char *what, const char *why) __attribute__((noreturn));

/* The number in @text, decimal or with 0x; ends the program when it is none, or out of bounds. */
uint64_t argument_number(const char *option, const char *text, uint64_t least, uint64_t most);

/* Returns the seconds in @text, 0.001 to 1000000, in ns. Ends the program when @text is anything
   else. */
uint64_t argument_seconds(const char *option, const char *text);

/* Attempts after the first, 0 to 254, as madring_agent_config has them. */
int argument_retries(const char *text);

/*
 * Ends the program for --help and --version, and for what getopt_long(3), whose short options begin
 * with a colon, did not know: '?', ':'. Otherwise nothing. @word: of the command line, where it is.
 */
void argument_usual(int option, const char *word, const char *help);

#endif
