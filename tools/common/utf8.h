/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, which JSON has to be: names are in whatever their author had. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

/* Puts a '?' for each byte that is not of a well-formed character (RFC 3629). */
void utf8_repair(char *text);

#endif
