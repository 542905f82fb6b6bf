/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, which JSON has to be: a node name map is in whatever its author had. */
#ifndef SWEEP_UTF8_H
#define SWEEP_UTF8_H

/* Puts a '?' for each byte that is not of a well-formed character (RFC 3629). */
void utf8_repair(char *text);

#endif
