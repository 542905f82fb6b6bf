/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include "capture_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char folder[64], path[80], old_path[96];

int make_folder(void **state)
{
	const char *parent = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%.40s/capture.XXXXXX", parent ? parent : "/tmp");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/mads", folder);
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	return 0;
}

int remove_folder(void **state)
{
	unlink(path);
	unlink(old_path);
	return rmdir(folder);
}
