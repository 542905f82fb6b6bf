/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves targets: finds the address that the requests to each go to. GUIDs and GIDs are asked of
 * the subnet administration. Those that it does not know, or all when there is none, are looked for
 * by a discovery of the whole fabric. On a RoCE port a GID is the address.
 */
#ifndef PING_RESOLVE_H
#define PING_RESOLVE_H

#include "common/local.h"
#include "options.h"

/*
 * Finds the addresses of @targets, which are options->targets or, with --all, become the nodes of
 * the fabric. Sets @deadline_reached when options->deadline_ns ended the discovery of the fabric;
 * the nodes found so far are used then. Sets @is_partial when nodes of --all were not found;
 * messages name them. Returns 0, or -errno with a message written.
 */
int resolve(const struct local *local, const struct options *options, struct targets *targets,
	    bool *deadline_reached, bool *is_partial);

#endif
