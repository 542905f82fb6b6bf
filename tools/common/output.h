/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the program writes to: what could not be written is told, whenever it shows. */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdio.h>

/*
 * Where standard output or standard error is closed, a file that is opened would get its
 * number, and the text. To be called before any file is opened.
 */
void output_prepare(void);

/*
 * Opens @path, or standard output for NULL; what is in the file stays there until the text is
 * begun. Returns NULL with a message written.
 */
FILE *output_open(const char *path);

/* Empties the file for its new text. Returns 0, or -1 with a message written. */
int output_begin(FILE *out, const char *path);

/* Closes it. Returns 0, or -1 with a message written: not all of the text could be. */
int output_close(FILE *out, const char *path);

#endif
