/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, which JSON has to be: names are in whatever their author had. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

/* Puts a '?' for each byte that is not of a well-formed character (RFC 3629). */
void utf8_repair(char *text);

/*
 * Makes a text safe for a terminal, and for a line of a file: puts a '?' for each byte that is not
 * of a well-formed character, and for each byte of a control character (ESC, DEL, those of C1 and
 * the others), of a line or paragraph separator, or of a mark that turns the direction of writing.
 * Every name passes it when it is read, wherever it is from; each form of output then quotes what
 * is left as that form has to.
 */
void utf8_make_printable(char *text);

#endif
