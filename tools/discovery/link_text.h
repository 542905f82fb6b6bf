/* SPDX-License-Identifier: BSD-2-Clause */
/* Widths, speeds and kinds of nodes in the words of the diagnostics. */
#ifndef DISCOVERY_LINK_TEXT_H
#define DISCOVERY_LINK_TEXT_H

#include "fabric.h"

/* "4x"; "??" for what is no width. */
const char *link_width_text(uint8_t width);

/* "SDR" to "NDR"; "???" for what is no speed, as of a port of whom nothing is known. */
const char *link_speed_text(const struct port *port);

/* "S", "H", "R": how the topology file's names of nodes begin. */
char node_type_letter(enum node_type type);

/* "SW", "CA", "RT". */
const char *node_type_short(enum node_type type);

/* "switch", "ca", "router". */
const char *node_type_word(enum node_type type);

#endif
