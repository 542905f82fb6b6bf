/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that the program writes to. A regular file is replaced whole: its text is written beside
 * it, and takes its name when all of it is on the disk. So nobody reads half a file, and a failure
 * leaves the old one. Everything else, such as a device, a pipe or standard output, is written to.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdio.h>

struct output;

/*
 * Opens the standard streams that are closed. Otherwise a file that is opened would get the number
 * of such a stream, and its text. It is called before any file is opened.
 */
void output_prepare(void);

/*
 * Prepares to write to @path, so that an error is reported before there is anything to write.
 * Symbolic links are followed: the file that they lead to is written, and the links stay. @path
 * must stay until output_close(). Returns NULL with a message written.
 */
struct output *output_open(const char *path);

/*
 * Returns the stream for the new text, or NULL with a message written. A file that is replaced has
 * the mode and, where the program may set it, the owner of the old file.
 */
FILE *output_begin(struct output *output);

/*
 * Gives the new text the file's name, and frees @output. Without output_begin() the file is left as
 * it was. Returns 0, or -1 with a message written when not all of the text was written.
 */
int output_close(struct output *output);

/*
 * Closes standard output. Returns 0, or -1 with a message written when not all of the text was
 * written.
 */
int output_close_standard(void);

#endif
