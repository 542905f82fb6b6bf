/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes in sysfs, each a file of one line. The files of a device that is being removed vanish
 * one by one: each function then fails with -errno, such as -ENOENT or -ENODEV, and leaves what it
 * was to fill undefined.
 */
#ifndef MADRING_DEVICE_SYSFS_H
#define MADRING_DEVICE_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <endian.h>
#include <linux/types.h>

/* `sysfs_text` reads an attribute's line, cut to @bytes with its end. Returns 0 or -errno. */
int sysfs_text(const char *folder, const char *name, char *text, size_t bytes);

/* `sysfs_number` reads the number that an attribute begins with. Returns 0 or -errno. */
int sysfs_number(const char *folder, const char *name, unsigned int *value);

/*
 * `sysfs_words` reads @count numbers of 16 bits in hexadecimal, such as a GUID's or a GID's, as
 * they are on the wire. Returns 0 or -errno: -EINVAL when there are fewer.
 */
int sysfs_words(const char *folder, const char *name, __be16 *words, unsigned int count);

/*
 * `sysfs_table` reads the 16-bit numbers of a folder whose files are named 0, 1, and so on, into
 * memory that it allocates. Returns 0 or -errno: -ENOENT when there is none, or a number is missing
 * between others; -ENOMEM.
 */
int sysfs_table(const char *folder, uint16_t **table, unsigned int *count);

#endif
