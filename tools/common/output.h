/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the program writes to. A failure to write is reported, whenever it shows. */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdio.h>

/* Opens the standard streams that are closed. Otherwise a file that is opened would get the number
   of such a stream, and its text. It is called before any file is opened. */
void output_prepare(void);

/* Opens @path, or standard output for NULL. The file's old text stays until output_begin(). Returns
   NULL with a message written. */
FILE *output_open(const char *path);

/* Empties the file for its new text. Returns 0, or -1 with a message written. */
int output_begin(FILE *out, const char *path);

/* Closes the file. Returns 0, or -1 with a message written when not all of the text was written. */
int output_close(FILE *out, const char *path);

#endif
