/* SPDX-License-Identifier: BSD-2-Clause */
/* Widths, speeds and kinds of nodes in the words of the diagnostics. */
#ifndef FABRIC_LINK_TEXT_H
#define FABRIC_LINK_TEXT_H

#include "graph.h"

/* Returns a width such as "4x", or "??" if it is none. */
const char *link_width_text(uint8_t width);

/* Returns "SDR" to "XDR", or "???" if the speed is none, as of a port about which nothing is
   known. */
const char *link_speed_text(const struct port *port);

/* Returns "S", "H" or "R", with which the names of nodes in the topology file begin. */
char node_type_letter(enum node_type type);

/* Returns "SW", "CA" or "RT". */
const char *node_type_short(enum node_type type);

/* Returns "switch", "ca" or "router". */
const char *node_type_word(enum node_type type);

#endif
