/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of nodes by GUID: the node name map of the InfiniBand diagnostics. */
#ifndef COMMON_NAMES_H
#define COMMON_NAMES_H

#include <stdint.h>
#include <stdio.h>

#include <madring/fabric.h>

struct names;

/*
 * Reads a map: lines of a GUID and a quoted name, and comments behind a #. NULL for @path
 * reads the diagnostics' own file, if there is one.
 * Returns 0, or -1 with a message written: the file cannot be read, or a line of it is wrong.
 */
int names_read(struct names **names, const char *path);
void names_free(struct names *names);

/*
 * Returns the node's name in the map, or else its description. @names may be NULL. The name has
 * printable characters only: see json/utf8.h.
 */
const char *node_name(const struct names *names, const struct madring_node *node);

/*
 * Writes a name between two of @quote, which is a double or a single quote. ibnetdiscover's format
 * has no way to write that quote within a name, so the other one stands for it.
 */
void name_print(FILE *out, const char *name, char quote);

/*
 * Writes a node's name as ibnetdiscover and ibqueryerrors do, for the formats that equal theirs:
 * the name in the map as it is, or else the description with a space for each byte that is not
 * ASCII.
 */
void node_name_print(FILE *out, const struct names *names, const struct madring_node *node,
		     char quote);

#endif
