/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a program for which something has failed: a line on stderr, behind the program's name.
 * There are two of it: madring's clients have the library's words for an error (fail_madring.c),
 * programs without madring those of libc (fail_plain.c).
 */
#ifndef VM_FAIL_H
#define VM_FAIL_H

/* Ends the program because @what has failed. @error: an errno, negative. */
_Noreturn void fail(const char *what, int error);

#endif
