/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a caller's struct, which an older or a newer version of its header may have laid out, to
 * or from one of the library's (madring/sized.h).
 */
#ifndef SIZED_H
#define SIZED_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No struct is so large: such a size is a mistake, and the memory is not read. */
#define SIZED_MOST 4096u

/* Returns whether all bytes of a caller's struct beyond those of the library's are zero. */
static inline int sized_rest_is_zero(const void *theirs, size_t their_size, size_t own_size)
{
	const uint8_t *bytes = theirs;

	for (size_t i = own_size; i < their_size; i++)
		if (bytes[i])
			return 0;
	return 1;
}

/*
 * Fills @own with the caller's struct, and with zeros where that is shorter, or NULL.
 * Returns 0, or -E2BIG when the caller's has a member that the library does not know.
 */
static inline int sized_take(void *own, size_t own_size, const void *theirs, size_t their_size)
{
	memset(own, 0, own_size);
	if (!theirs)
		return 0;
	if (their_size > SIZED_MOST || !sized_rest_is_zero(theirs, their_size, own_size))
		return -E2BIG;
	memcpy(own, theirs, their_size < own_size ? their_size : own_size);
	return 0;
}

/* Fills the caller's struct with @own as far as it goes, and with zeros beyond. */
static inline void sized_give(void *theirs, size_t their_size, const void *own, size_t own_size)
{
	if (their_size > own_size)
		memset((uint8_t *)theirs + own_size, 0, their_size - own_size);
	memcpy(theirs, own, their_size < own_size ? their_size : own_size);
}

#endif
