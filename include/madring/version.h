/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns the version, and explains errors. */
#ifndef MADRING_VERSION_H
#define MADRING_VERSION_H

#define MADRING_VERSION "0.1.0"

/* The version of these headers in numbers, for the preprocessor. */
#define MADRING_VERSION_MAJOR 0
#define MADRING_VERSION_MINOR 1
#define MADRING_VERSION_PATCH 0

/* A version as one number, by which versions compare. */
#define MADRING_VERSION_OF(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define MADRING_VERSION_NUMBER                                                                     \
	MADRING_VERSION_OF(MADRING_VERSION_MAJOR, MADRING_VERSION_MINOR, MADRING_VERSION_PATCH)

/* Whether these headers are of a version or a later one: #if MADRING_VERSION_CHECK(0, 2). */
#define MADRING_VERSION_CHECK(major, minor)                                                        \
	(MADRING_VERSION_NUMBER >= MADRING_VERSION_OF(major, minor, 0))

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the loaded library, as "major.minor.patch"; a constant string. */
const char *madring_version(void);

/* Returns the version of the loaded library as a number: MADRING_VERSION_NUMBER of its headers. */
int madring_version_number(void);

/*
 * Explains an error of this library, and what to do about it, in one line; never returns NULL.
 * @error: the value that a function returned or the status of a completion, of either sign. The
 * string is constant, except for errors without a special meaning here: strerror(3) explains those,
 * in a buffer of the calling thread.
 */
const char *madring_error_text(int error);

#ifdef __cplusplus
}
#endif
#endif
