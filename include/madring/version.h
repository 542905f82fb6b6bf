/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns the version, and explains errors. */
#ifndef MADRING_VERSION_H
#define MADRING_VERSION_H

#define MADRING_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the loaded library, as "major.minor.patch"; a constant string. */
const char *madring_version(void);

/*
 * Explains an error of this library, and what to do about it, in one line; never returns NULL.
 * @error: the value that a function returned or the status of a completion, of either sign. The
 * string is constant, except for errors without a special meaning here: strerror(3) explains those,
 * in a buffer of the calling thread.
 */
const char *madring_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
