/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces on standard error. */
#ifndef MADRING_DEBUG_H
#define MADRING_DEBUG_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets how much all rings of this process trace on standard error: 0 nothing; 1 what is opened,
 * closed, refused and lost; 2 also every MAD, and the messages of libibumad (umad_debug). A
 * negative level changes nothing. Before the first call, the environment variable MADRING_DEBUG
 * sets the level, except in set-user-ID programs; the default is 0. Any thread may call it.
 * Levels 0 and 1 cost no time per MAD.
 * Returns the new level.
 */
int madring_debug(int level);

#ifdef __cplusplus
}
#endif
#endif
