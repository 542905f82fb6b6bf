/* SPDX-License-Identifier: BSD-2-Clause */
/* The private temporary folder that holds the server's socket and its sysfs. */
#ifndef SIM_FOLDER_H
#define SIM_FOLDER_H

/* folder_create returns the path, to be given to folder_remove(); or NULL with errno. */
char *folder_create(void);

/*
 * folder_find returns the path of another process's folder, to be freed; or NULL with errno.
 * ENOENT: there is none. EACCES: the folder is neither this user's nor root's, or is open to
 * others.
 */
char *folder_find(long pid);

/* folder_remove removes the folder with all that is in it, and frees the path. */
void folder_remove(char *folder);

#endif
