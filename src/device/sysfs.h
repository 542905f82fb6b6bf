/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads attributes in sysfs, each a file of one line. The files of a device that is being removed
 * vanish one by one. Then each function returns a negative errno, such as -ENOENT or -ENODEV, and
 * its results are undefined.
 */
#ifndef MADRING_DEVICE_SYSFS_H
#define MADRING_DEVICE_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <endian.h>
#include <linux/types.h>

/* Reads an attribute's line, cut to @bytes with its end. Returns 0 or a negative errno. */
int sysfs_text(const char *folder, const char *name, char *text, size_t bytes);

/* Reads the number at the start of an attribute. Returns 0 or a negative errno. */
int sysfs_number(const char *folder, const char *name, unsigned int *value);

/*
 * Reads @count hexadecimal numbers of 16 bits, such as those of a GUID or a GID, in network
 * order. Returns 0 or a negative errno: -EINVAL if there are fewer.
 */
int sysfs_words(const char *folder, const char *name, __be16 *words, unsigned int count);

/*
 * Reads the 16-bit numbers of a folder whose files are named 0, 1, and so on, into allocated
 * memory. Returns 0 or a negative errno: -ENOENT if there is no file or a number is missing
 * between others; -ENOMEM.
 */
int sysfs_table(const char *folder, uint16_t **table, unsigned int *count);

#endif
