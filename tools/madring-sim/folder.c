/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "loop/ctl_protocol.h"

#define OPEN_FOLDERS 16
#define NAME	     "madring-sim." /* and the process ID */

/*
 * parent_folder returns the absolute path of the folder for temporary files: the command may change
 * to another folder, and must find it from there.
 */
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

/*
 * Returns whether a folder is a trusted user's, and closed to others. Anybody may make a folder of
 * this name in a place such as /tmp.
 */
static bool is_private(int parent, const char *name)
{
	struct stat status;

	return !fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode) &&
	       user_is_trusted(status.st_uid) && !(status.st_mode & (S_IRWXG | S_IRWXO));
}

/* Returns the path of a private folder whose name begins with @name, or NULL with errno. */
static char *find_in(const char *parent, const char *name)
{
	DIR *folder = opendir(parent);
	const struct dirent *entry;
	int error = ENOENT;
	char *path = NULL;

	if (!folder) {
		errno = ENOENT;
		return NULL;
	}
	while (!path && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, name, strlen(name)) != 0)
			continue;
		error = EACCES;
		if (is_private(dirfd(folder), entry->d_name) &&
		    asprintf(&path, "%s/%s", parent, entry->d_name) < 0)
			path = NULL;
	}
	closedir(folder);
	errno = error;
	return path;
}

char *folder_find(long pid)
{
	char *parent = parent_folder(), *path;
	char name[sizeof(NAME "-9223372036854775808.")];

	if (!parent)
		return NULL;
	snprintf(name, sizeof(name), NAME "%ld.", pid);
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
