/* SPDX-License-Identifier: BSD-2-Clause */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

#define OPEN_FOLDERS 16

char *folder_create(void)
{
	const char *chosen = getenv("TMPDIR");
	char *parent, *folder;
	int length;

	/* The command may change to another folder, and must find it from there. */
	parent = realpath(chosen && *chosen ? chosen : "/tmp", NULL);
	if (!parent)
		return NULL;
	length = asprintf(&folder, "%s/madring-sim.XXXXXX", parent);
	free(parent);
	if (length < 0)
		return NULL;
	if (!mkdtemp(folder)) {
		free(folder);
		return NULL;
	}
	return folder;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

void folder_remove(char *folder)
{
	nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
	free(folder);
}
