/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkeys.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "lines.h"
#include "memory.h"
#include "option_table.h"

#define OTHERS	     (S_IRWXG | S_IRWXO)
#define HEXADECIMAL  16
#define HIGHEST_PORT 254
#define SPACE	     " \t\r\n"

/* A search tries no more keys than this at one node: each costs the time of all attempts. */
#define MOST_SEARCHED 16

/* An M_Key of a node, or, with a port, of the node behind that port. */
struct mkey {
	uint64_t guid;
	uint8_t port; /* 0: the node itself */
	uint64_t value;
};

struct mkeys {
	const char *path;
	uint64_t standard; /* of `default` */
	bool has_standard;
	bool is_search;
	struct mkey *list; /* sorted once it is read */
	size_t count, room;
	uint64_t searched[MOST_SEARCHED]; /* different ones, in the order of the file */
	unsigned int searched_count;
};

static int compare(const void *a, const void *b)
{
	const struct mkey *left = a, *right = b;

	if (left->guid != right->guid)
		return left->guid < right->guid ? -1 : 1;
	return left->port - right->port;
}

static const struct mkey *find(const struct mkeys *mkeys, uint64_t guid, uint8_t port)
{
	const struct mkey wanted = { .guid = guid, .port = port };

	if (!mkeys->count)
		return NULL;
	return bsearch(&wanted, mkeys->list, mkeys->count, sizeof(wanted), compare);
}

/* Reads 0x and up to 16 hexadecimal digits, and sets @end behind them. */
static bool read_hexadecimal(const char *text, uint64_t *value, char **end)
{
	if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
		return false;
	errno = 0;
	*value = strtoull(text, end, HEXADECIMAL);
	return !errno;
}

/* Reads a GUID, which a colon and the number of a port may follow. */
static bool read_place(const char *text, struct mkey *mkey)
{
	unsigned long port;
	char *end;

	if (!read_hexadecimal(text, &mkey->guid, &end) || !mkey->guid)
		return false;
	if (!*end)
		return true;
	if (end[0] != ':' || !isdigit((unsigned char)end[1]))
		return false;
	port = strtoul(end + 1, &end, 10);
	mkey->port = (uint8_t)port;
	return !*end && port && port <= HIGHEST_PORT;
}

static void add(struct mkeys *mkeys, const struct mkey *mkey)
{
	bool is_known = false;

	if (mkeys->count == mkeys->room) {
		mkeys->room = mkeys->room ? 2 * mkeys->room : 64;
		mkeys->list = memory_grow(mkeys->list, mkeys->room, sizeof(*mkey));
	}
	mkeys->list[mkeys->count++] = *mkey;
	for (unsigned int i = 0; i < mkeys->searched_count; i++)
		is_known |= mkeys->searched[i] == mkey->value;
	if (!is_known && mkeys->searched_count < MOST_SEARCHED)
		mkeys->searched[mkeys->searched_count++] = mkey->value;
}

/* Takes a line. Returns false if it is none of such a file. */
static bool take_line(void *context, const char *path, size_t number, char *text)
{
	struct mkeys *mkeys = context;
	struct mkey mkey = { 0 };
	char *rest, *place, *value, *end;

	(void)path;
	(void)number;
	text[strcspn(text, "#")] = '\0';
	place = strtok_r(text, SPACE, &rest);
	if (!place)
		return true;
	value = strtok_r(NULL, SPACE, &rest);
	if (!value) {
		mkeys->is_search = true;
		return !strcmp(place, "search");
	}
	if (strtok_r(NULL, SPACE, &rest) || !read_hexadecimal(value, &mkey.value, &end) || *end)
		return false;
	if (!strcmp(place, "default")) {
		if (mkeys->has_standard)
			return false;
		mkeys->standard = mkey.value;
		mkeys->has_standard = true;
		return true;
	}
	if (!read_place(place, &mkey))
		return false;
	add(mkeys, &mkey);
	return true;
}

/* Returns whether nobody else reads or changes the file. Writes a message if not. */
static bool is_secret(const char *path, FILE *file)
{
	struct stat found;

	if (fstat(fileno(file), &found)) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(found.st_mode)) {
		complain("%s: %s", path, strerror(EISDIR));
		return false;
	}
	if (found.st_uid && found.st_uid != geteuid()) {
		complain("%s: it belongs to user %u, who could read and change the M_Keys: chown "
			 "it to the user of this program, or to root",
			 path, (unsigned int)found.st_uid);
		return false;
	}
	if (found.st_mode & OTHERS) {
		complain("%s: its mode %04o lets others than its owner use it, and M_Keys are "
			 "secret: chmod 600 %s",
			 path, (unsigned int)(found.st_mode & ~(mode_t)S_IFMT), path);
		return false;
	}
	return true;
}

/* Sorts the keys. Returns false, with a message written, when a place has two of them. */
static bool sort(struct mkeys *mkeys)
{
	if (mkeys->count)
		qsort(mkeys->list, mkeys->count, sizeof(*mkeys->list), compare);
	for (size_t i = 1; i < mkeys->count; i++) {
		if (compare(&mkeys->list[i - 1], &mkeys->list[i]))
			continue;
		if (mkeys->list[i].port)
			complain("%s: 0x%016llx:%u has two M_Keys: leave one", mkeys->path,
				 (unsigned long long)mkeys->list[i].guid, mkeys->list[i].port);
		else
			complain("%s: 0x%016llx has two M_Keys: leave one", mkeys->path,
				 (unsigned long long)mkeys->list[i].guid);
		return false;
	}
	return true;
}

/* Forgets the keys, and not the path. */
static void clear(struct mkeys *mkeys)
{
	const char *path = mkeys->path;

	if (mkeys->list)
		explicit_bzero(mkeys->list, mkeys->room * sizeof(*mkeys->list));
	free(mkeys->list);
	explicit_bzero(mkeys, sizeof(*mkeys));
	mkeys->path = path;
}

/* Fills @mkeys, which has a path. Returns false, with a message written and no keys, on an
   error. */
static bool fill(struct mkeys *mkeys)
{
	struct lines lines = {
		.line = "\"0xGUID 0xMKEY\", \"0xGUID:PORT 0xMKEY\", one \"default 0xMKEY\" or "
			"\"search\"",
		.take = take_line,
		.context = mkeys,
	};
	FILE *file = fopen(mkeys->path, "re");
	bool good;

	if (!file) {
		if (errno == ENOMEM)
			memory_end();
		complain("%s: %s", mkeys->path, strerror(errno));
		return false;
	}
	good = is_secret(mkeys->path, file) && !lines_read_open(&lines, mkeys->path, file) &&
	       sort(mkeys);
	fclose(file);
	if (!good)
		clear(mkeys);
	return good;
}

struct mkeys *mkeys_read(const char *path)
{
	struct mkeys *mkeys = memory_get(1, sizeof(*mkeys));

	mkeys->path = path;
	if (fill(mkeys))
		return mkeys;
	mkeys_free(mkeys);
	return NULL;
}

void mkeys_read_again(struct mkeys *mkeys)
{
	struct mkeys again;

	if (!mkeys)
		return;
	again = (struct mkeys){ .path = mkeys->path };
	if (!fill(&again)) {
		complain("the M_Keys are left as they were");
		return;
	}
	clear(mkeys);
	*mkeys = again;
}

void mkeys_free(struct mkeys *mkeys)
{
	if (!mkeys)
		return;
	clear(mkeys);
	free(mkeys);
}

uint64_t mkeys_of_node(const struct mkeys *mkeys, uint64_t guid)
{
	const struct mkey *mkey = find(mkeys, guid, 0);

	return mkey ? mkey->value : mkeys->standard;
}

uint64_t mkeys_behind_port(const struct mkeys *mkeys, uint64_t guid, uint8_t port)
{
	const struct mkey *mkey = port ? find(mkeys, guid, port) : NULL;

	return mkey ? mkey->value : mkeys->standard;
}

bool mkeys_search(const struct mkeys *mkeys, unsigned int number, uint64_t *mkey)
{
	if (!mkeys->is_search || number >= mkeys->searched_count)
		return false;
	*mkey = mkeys->searched[number];
	return true;
}

void mkeys_option(void *field, const char *option, const char *text)
{
	struct mkeys **mkeys = (struct mkeys **)field;

	(void)option;
	mkeys_free(*mkeys);
	*mkeys = mkeys_read(text);
	if (!*mkeys)
		exit(EXIT_UNABLE);
}
