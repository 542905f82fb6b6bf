/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets structs grow: a function whose caller allocates a struct is told the size of that struct.
 *
 * Each such function exists twice. The one with `_sized` in its name is in the library, and takes
 * the sizes. The one without is an inline function of the header, which passes sizeof. Programs in
 * C and C++ call the latter. The library has no symbol of it, because that would know the size of
 * the library's struct only. Other languages call the one with `_sized`, and pass the size of the
 * struct as they declare it.
 *
 * Later versions add members at the end of a struct. A program that was compiled before is not told
 * about them:
 * - A struct that the library reads: what the caller's lacks is zero, which selects the default.
 *   If the caller's is longer than the library's, -E2BIG is returned unless the rest is zero.
 * - A struct that the library fills: it is filled as far as both have it. What only the caller's
 *   has is set to zero.
 *
 * Structs that the library allocates, such as those that callbacks receive, also grow at the end.
 * Never copy one by its size, and never index an array of them. A program that reads a member of a
 * later version there checks madring_version_number() first. What the IBA or libibumad lays out,
 * such as struct madring_mad_hdr and struct madring_gid, never grows; nor does struct
 * madring_records.
 */
#ifndef MADRING_SIZED_H
#define MADRING_SIZED_H

#include <stddef.h>

/* Begins the definition of a function that passes the sizes of its caller's structs. */
#define MADRING_SIZED static inline

#endif
