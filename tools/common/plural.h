/* SPDX-License-Identifier: BSD-2-Clause */
/* Counted nouns in messages: "1 node", "2 nodes". */
#ifndef COMMON_PLURAL_H
#define COMMON_PLURAL_H

#include <stdint.h>

/* Returns the ending of a regular noun behind @count. */
static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
