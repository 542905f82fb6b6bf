/* SPDX-License-Identifier: BSD-2-Clause */
/* The version, at compile time and at run time. */
#ifndef MADRING_VERSION_H
#define MADRING_VERSION_H

#define MADRING_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, as "major.minor.patch"; a constant string. */
const char *madring_version(void);

/*
 * What an error of this library means and what to do about it: one line, a constant
 * string, never NULL. @error: the value that a function returned or that a completion
 * holds, of either sign. Errors that have no meaning of their own here are explained
 * as strerror(3) does, in a buffer of the calling thread.
 */
const char *madring_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
