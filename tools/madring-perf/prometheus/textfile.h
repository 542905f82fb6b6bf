/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a page to a file, for node_exporter's textfile collector. */
#ifndef PROMETHEUS_TEXTFILE_H
#define PROMETHEUS_TEXTFILE_H

#include "exposition.h"

/*
 * Writes @page to @path in the text format. Whoever reads @path finds the old page or the new one,
 * whole: the new one is written beside it, and put in its place when it is on the disk. Returns 0,
 * or -1 with a message written; the old file is then as it was, and nothing is beside it.
 */
int textfile_write(const char *path, const struct exposition *page);

#endif
