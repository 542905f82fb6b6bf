/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madring/structs.h>

#include "lines.h"
#include "memory.h"
#include "json/utf8.h"
#include "names.h"

/* The path of Debian's infiniband-diags. */
#define DEFAULT_MAP "/etc/rdma/ib-node-name-map"

struct name {
	uint64_t guid;
	size_t line;
	char *text;
};

struct names {
	struct name *list;
	size_t count, room;
};

static void add_name(struct names *names, uint64_t guid, size_t line, const char *text,
		     size_t length)
{
	struct name *name;

	if (names->count == names->room) {
		names->room = names->room ? names->room * 2 : 256;
		names->list = memory_grow(names->list, names->room, sizeof(*name));
	}
	name = &names->list[names->count++];
	*name = (struct name){ .guid = guid, .line = line, .text = memory_get(1, length + 1) };
	memcpy(name->text, text, length);
	utf8_make_printable(name->text);
}

/* Takes one line. Returns false if it is no line of a map. */
static bool take_line(void *context, const char *path, size_t line, char *text)
{
	unsigned long long guid;
	size_t length;
	char *end;

	(void)path;
	text += strspn(text, " \t\r\n\f\v");
	if (!*text || *text == '#')
		return true;
	errno = 0;
	guid = strtoull(text, &end, 0);
	if (errno || end == text || (*end && *end != '#' && !isspace((unsigned char)*end)))
		return false;
	text = end + strspn(end, " \t\r\n\f\v");
	if (*text == '#')
		return true;
	text += strspn(text, "\"");
	length = strcspn(text, "\"#\n");
	if (length)
		add_name(context, guid, line, text, length);
	return true;
}

/* Sorts by GUID, then by line: the first name for a GUID counts. */
static int by_guid(const void *a, const void *b)
{
	const struct name *left = a, *right = b;

	if (left->guid != right->guid)
		return left->guid < right->guid ? -1 : 1;
	return left->line < right->line ? -1 : left->line > right->line;
}

int names_read(struct names **names, const char *path)
{
	struct lines lines = {
		.path = path,
		.usual = DEFAULT_MAP,
		.line = "a GUID and a name",
		.take = take_line,
	};
	int result;

	*names = memory_get(1, sizeof(**names));
	lines.context = *names;
	result = lines_read(&lines);
	if ((*names)->count)
		qsort((*names)->list, (*names)->count, sizeof(struct name), by_guid);
	return result;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i].text);
	free(names->list);
	free(names);
}

/* Returns the index of the first entry that is not below a GUID. */
static size_t lower_bound(const struct names *names, uint64_t guid)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->list[middle].guid < guid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the name of the map, or NULL if it has none. @names may be NULL. */
static const char *mapped_name(const struct names *names, uint64_t guid)
{
	size_t at;

	if (!names)
		return NULL;
	at = lower_bound(names, guid);
	return at < names->count && names->list[at].guid == guid ? names->list[at].text : NULL;
}

const char *node_name(const struct names *names, const struct madring_node *node)
{
	const char *name = mapped_name(names, node->guid);

	return name ? name : node->description;
}

void node_name_print(FILE *out, const struct names *names, const struct madring_node *node,
		     char quote)
{
	const char *name = mapped_name(names, node->guid);
	char plain[MADRING_DESCRIPTION_BYTES + 1];

	if (!name) {
		snprintf(plain, sizeof(plain), "%s", node->description);
		for (char *byte = plain; *byte; byte++)
			if (!isascii((unsigned char)*byte))
				*byte = ' ';
		name = plain;
	}
	name_print(out, name, quote);
}

void name_print(FILE *out, const char *name, char quote)
{
	const char instead = quote == '"' ? '\'' : '"';

	fputc(quote, out);
	for (; *name; name++)
		fputc(*name == quote ? instead : *name, out);
	fputc(quote, out);
}
