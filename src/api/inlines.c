/* SPDX-License-Identifier: BSD-2-Clause */
/* Exports the inline functions of the public headers, for languages that cannot compile them. */

/* A definition of a header has no prototype before it. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define MADRING_INLINE __attribute__((visibility("default")))
#include <madring.h>
