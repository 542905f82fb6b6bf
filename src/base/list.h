/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists through the entries of a table. Entries are named by their index, and have one link for
 * each list that they may stand in. Nothing is allocated, and each function but list_length()
 * takes constant time.
 *
 * The functions take a list and the links that it goes through: LINKS(table, member).
 */
#ifndef MADRING_BASE_LIST_H
#define MADRING_BASE_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No entry. Each kind of index defines its own name for this value. */
#define LIST_NONE UINT32_MAX

struct list_link {
	uint32_t next, prev;
};

struct list {
	uint32_t first, last;
};

#define LIST_EMPTY ((struct list){ LIST_NONE, LIST_NONE })

/* The links of a table's entries, by the place of the first one. */
struct list_links {
	char *first;   /* the link of entry 0 */
	size_t stride; /* bytes from one entry to the next */
};

#define LINKS(table, member)                                                                       \
	((struct list_links){                                                                      \
		.first = (char *)(table) + offsetof(__typeof__(*(table)), member),                 \
		.stride = sizeof(*(table)),                                                        \
	})

static inline struct list_link *list_link(struct list_links links, uint32_t index)
{
	return (struct list_link *)(links.first + (size_t)index * links.stride);
}

static inline bool list_is_empty(const struct list *list)
{
	return list->first == LIST_NONE;
}

/* Appends an entry that stands in no list of these links. */
static inline void list_append(struct list *list, struct list_links links, uint32_t index)
{
	struct list_link *link = list_link(links, index);

	assert(index != LIST_NONE && list->last != index);
	link->next = LIST_NONE;
	link->prev = list->last;
	if (list->last == LIST_NONE)
		list->first = index;
	else
		list_link(links, list->last)->next = index;
	list->last = index;
}

/* Puts an entry that stands in no list of these links at the head. */
static inline void list_prepend(struct list *list, struct list_links links, uint32_t index)
{
	struct list_link *link = list_link(links, index);

	assert(index != LIST_NONE && list->first != index);
	link->next = list->first;
	link->prev = LIST_NONE;
	if (list->first == LIST_NONE)
		list->last = index;
	else
		list_link(links, list->first)->prev = index;
	list->first = index;
}

/* Takes an entry out, wherever it stands in the list. */
static inline void list_remove(struct list *list, struct list_links links, uint32_t index)
{
	const struct list_link *link = list_link(links, index);

	assert(link->prev == LIST_NONE ? list->first == index
				       : list_link(links, link->prev)->next == index);
	assert(link->next == LIST_NONE ? list->last == index
				       : list_link(links, link->next)->prev == index);
	if (link->prev == LIST_NONE)
		list->first = link->next;
	else
		list_link(links, link->prev)->next = link->next;
	if (link->next == LIST_NONE)
		list->last = link->prev;
	else
		list_link(links, link->next)->prev = link->prev;
}

/* Takes the first entry out and returns it, or LIST_NONE if there is none. */
static inline uint32_t list_take_first(struct list *list, struct list_links links)
{
	uint32_t index = list->first;

	if (index == LIST_NONE)
		return LIST_NONE;
	list->first = list_link(links, index)->next;
	if (list->first == LIST_NONE)
		list->last = LIST_NONE;
	else
		list_link(links, list->first)->prev = LIST_NONE;
	return index;
}

/* Returns the entry after @index, or LIST_NONE. */
static inline uint32_t list_next(struct list_links links, uint32_t index)
{
	return list_link(links, index)->next;
}

/*
 * Returns how many entries stand in a list, and asserts that its links are consistent. It takes
 * time in proportion to the list.
 */
static inline uint32_t list_length(const struct list *list, struct list_links links)
{
	uint32_t length = 0;
	uint32_t before = LIST_NONE;

	for (uint32_t at = list->first; at != LIST_NONE; at = list_next(links, at)) {
		assert(list_link(links, at)->prev == before);
		before = at;
		length++;
	}
	assert(list->last == before);
	(void)before;
	return length;
}

#endif
