/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ENTRIES 65536u /* a P_Key's index has 16 bits */

static ssize_t read_file(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, bytes);
	if (length < 0)
		length = -errno;
	close(fd);
	return length;
}

int sysfs_text(const char *folder, const char *name, char *text, size_t bytes)
{
	char path[PATH_MAX];
	ssize_t length;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	length = read_file(path, text, bytes - 1);
	if (length < 0)
		return (int)length;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int sysfs_number(const char *folder, const char *name, unsigned int *value)
{
	char text[64];
	int error = sysfs_text(folder, name, text, sizeof(text));

	if (!error)
		*value = (unsigned int)strtoul(text, NULL, 0);
	return error;
}

int sysfs_words(const char *folder, const char *name, __be16 *words, unsigned int count)
{
	char text[64], *rest = text;
	int error = sysfs_text(folder, name, text, sizeof(text));

	if (error)
		return error;
	for (unsigned int i = 0; i < count; i++) {
		const char *word = strsep(&rest, ":");

		if (!word)
			return -EINVAL;
		words[i] = htobe16((uint16_t)strtoul(word, NULL, 16));
	}
	return 0;
}

static bool is_number(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

/* Returns how many files have a number for a name, or a negative errno. */
static int count_entries(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int count = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		count += is_number(entry->d_name);
	closedir(dir);
	return count;
}

static int read_entries(const char *folder, uint16_t *table, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		unsigned int value;
		char name[16];
		int error;

		snprintf(name, sizeof(name), "%u", i);
		error = sysfs_number(folder, name, &value);
		if (error)
			return error;
		table[i] = (uint16_t)value;
	}
	return 0;
}

/*
 * Reads the files 0 to count - 1, each by its name. If a file has a higher number, another one is
 * missing. Such a file is never read, so nothing is written beyond the table.
 */
int sysfs_table(const char *folder, uint16_t **table, unsigned int *count)
{
	int entries = count_entries(folder);
	int error;

	if (entries < 0)
		return entries;
	if (!entries || entries > (int)MOST_ENTRIES)
		return -ENOENT;
	*table = calloc((size_t)entries, sizeof(**table));
	if (!*table)
		return -ENOMEM;
	error = read_entries(folder, *table, (unsigned int)entries);
	if (error) {
		free(*table);
		*table = NULL;
		return error;
	}
	*count = (unsigned int)entries;
	return 0;
}
