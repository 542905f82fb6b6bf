/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The M_Keys of a fabric's nodes, from a file that madring-keys(5) describes. A node that is
 * protected by an M_Key answers only SMPs that have it (IBA 14.2.4).
 */
#ifndef COMMON_MKEYS_H
#define COMMON_MKEYS_H

#include <stdbool.h>
#include <stdint.h>

struct mkeys;

/*
 * Reads a file of M_Keys, which must be secret: it belongs to the user or to root, and nobody else
 * may read or write it. Returns the keys, or NULL with a message written. Ends the program, as
 * memory_end() does, when memory is exhausted. The caller keeps @path. From then on, the program
 * leaves no core file, which would have the keys.
 */
struct mkeys *mkeys_read(const char *path);

/*
 * Reads the file again. When that fails, the keys stay as they were, and a message says so. Accepts
 * NULL.
 */
void mkeys_read_again(struct mkeys *mkeys);

/* Overwrites the keys and frees them. Accepts NULL. */
void mkeys_free(struct mkeys *mkeys);

/* Returns the M_Key of the node with a GUID; that of `default` for any other, and for GUID 0. */
uint64_t mkeys_of_node(const struct mkeys *mkeys, uint64_t guid);

/*
 * Returns the M_Key for the first request to the unknown node behind port @port of the node with
 * GUID @guid.
 */
uint64_t mkeys_behind_port(const struct mkeys *mkeys, uint64_t guid, uint8_t port);

/*
 * Gives another M_Key for an unknown node that did not answer, if the file asks for a search.
 * @number: counts from 0. Returns false when there are no more.
 */
bool mkeys_search(const struct mkeys *mkeys, unsigned int number, uint64_t *mkey);

/*
 * Reads --m_key: a number, into a uint64_t. Overwrites the argument, which other users see in the
 * list of processes.
 */
void mkey_option(void *field, const char *option, const char *text);

/*
 * Reads --keys: a file, into a struct mkeys *. Ends the program when that fails. See
 * option_table.h.
 */
void mkeys_option(void *field, const char *option, const char *text);

#endif
