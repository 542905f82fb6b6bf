/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in UTF-8, in which JSON has to be, and that are safe to print. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

/*
 * Makes a text safe for a terminal, and for a line of a file: puts a '?' for each byte that is not
 * of a well-formed character (RFC 3629), and for each byte of a control character (ESC, DEL, those
 * of C1 and the others), of a line or paragraph separator, or of a mark that turns the direction of
 * writing.
 * Every name passes it when it is read, wherever it is from; each form of output then quotes what
 * is left as that form has to.
 */
void utf8_make_printable(char *text);

#endif
