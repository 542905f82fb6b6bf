/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

#define OPEN_FOLDERS 16
#define NAME	     "madring-sim." /* and the process ID */

/* The command may change to another folder, and must find it from there. */
static char *parent_folder(void)
{
	const char *chosen = getenv("TMPDIR");

	return realpath(chosen && *chosen ? chosen : "/tmp", NULL);
}

char *folder_create(void)
{
	char *parent = parent_folder(), *folder;
	int length;

	if (!parent)
		return NULL;
	length = asprintf(&folder, "%s/" NAME "%ld.XXXXXX", parent, (long)getpid());
	free(parent);
	if (length < 0)
		return NULL;
	if (!mkdtemp(folder)) {
		free(folder);
		return NULL;
	}
	return folder;
}

/* The path of one of a folder's that begins with a name. NULL: none does. */
static char *find_in(const char *parent, const char *name)
{
	DIR *folder = opendir(parent);
	const struct dirent *entry;
	char *path = NULL;

	if (!folder)
		return NULL;
	while (!path && (entry = readdir(folder))) {
		if (!strncmp(entry->d_name, name, strlen(name)) &&
		    asprintf(&path, "%s/%s", parent, entry->d_name) < 0)
			path = NULL;
	}
	closedir(folder);
	return path;
}

char *folder_find(long pid)
{
	char *parent = parent_folder(), *path = NULL;
	char name[sizeof(NAME "-9223372036854775808.")];

	snprintf(name, sizeof(name), NAME "%ld.", pid);
	if (parent)
		path = find_in(parent, name);
	free(parent);
	return path;
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
