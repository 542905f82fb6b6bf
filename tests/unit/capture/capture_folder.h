/* SPDX-License-Identifier: BSD-2-Clause */
/* A temporary folder for the captures of one test. */
#ifndef TESTS_CAPTURE_FOLDER_H
#define TESTS_CAPTURE_FOLDER_H

/* `path` names a capture in the folder, and `old_path` what rotation renames it to. */
extern char folder[64], path[80], old_path[96];

/*
 * `make_folder` and `remove_folder` are a setup and a teardown of cmocka. The latter removes the
 * folder with the two files, and fails if anything else is left there.
 */
int make_folder(void **state);
int remove_folder(void **state);

#endif
