/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from names to what they name. It keeps the names' addresses, not copies. */
#ifndef SIM_NAMES_H
#define SIM_NAMES_H

struct names;

struct names *names_new(void);
void names_free(struct names *names);

/* names_add returns 0, -EEXIST or -ENOMEM. */
int names_add(struct names *names, const char *name, void *value);

/* names_find returns NULL if there is no such name. */
void *names_find(const struct names *names, const char *name);

#endif
