/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes names UTF-8, as JSON requires, and safe to print. */
#ifndef JSON_UTF8_H
#define JSON_UTF8_H

/*
 * Makes a text safe for a terminal, and for a line of a file. Each byte that is not part of a
 * well-formed character (RFC 3629) becomes '?'. So does each byte of a control character (ESC, DEL,
 * those of C1 and the others), of a line or paragraph separator, and of a mark that turns the
 * direction of writing. Every name passes through this function when it is read, from whatever
 * source. Each form of output then quotes the result by its own rules.
 */
void utf8_make_printable(char *text);

/* Does as utf8_make_printable() does, with another character than '?'. */
void utf8_replace_unprintable(char *text, char instead);

#endif
