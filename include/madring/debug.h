/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes on, told on standard error. */
#ifndef MADRING_DEBUG_H
#define MADRING_DEBUG_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets how much of what goes on is told on standard error, by all rings of this process: 0
 * nothing, 1 what is opened, closed, refused and lost, 2 every MAD besides, and what libibumad
 * has to say (umad_debug). A negative level changes nothing. Before the first call it is what
 * the environment variable MADRING_DEBUG says, or else 0; a set-user-ID program begins with 0. Any
 * thread may call it.
 * At 0 and 1, MADs pay nothing for it.
 * Returns the level.
 */
int madring_debug(int level);

#ifdef __cplusplus
}
#endif
#endif
