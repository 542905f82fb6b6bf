/* SPDX-License-Identifier: BSD-2-Clause */
#include "mkeys.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
	struct mkey *list;
	/*
	 * .list in the order of places, once it is read: qsort(3) would leave copies of keys in
	 * memory, and of these pointers it may.
	 */
	const struct mkey **sorted;
	size_t count, room;
	uint64_t searched[MOST_SEARCHED]; /* different ones, in the order of the file */
	unsigned int searched_count;
};

static int compare(const void *a, const void *b)
{
	const struct mkey *left = *(const struct mkey *const *)a;
	const struct mkey *right = *(const struct mkey *const *)b;

	if (left->guid != right->guid)
		return left->guid < right->guid ? -1 : 1;
	return left->port - right->port;
}

static const struct mkey *find(const struct mkeys *mkeys, uint64_t guid, uint8_t port)
{
	const struct mkey wanted = { .guid = guid, .port = port }, *key = &wanted;
	const struct mkey **place;

	if (!mkeys->count)
		return NULL;
	place = bsearch(&key, mkeys->sorted, mkeys->count, sizeof(key), compare);
	return place ? *place : NULL;
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

/* Makes room for more keys, and leaves none of them behind in the old place. */
static void grow(struct mkeys *mkeys)
{
	size_t room = mkeys->room ? 2 * mkeys->room : 64, used = mkeys->count * sizeof(struct mkey);
	struct mkey *list = memory_get(room, sizeof(*list));

	if (used) {
		memcpy(list, mkeys->list, used);
		explicit_bzero(mkeys->list, used);
	}
	free(mkeys->list);
	mkeys->list = list;
	mkeys->room = room;
}

static void add(struct mkeys *mkeys, const struct mkey *mkey)
{
	bool is_known = false;

	if (mkeys->count == mkeys->room) {
		grow(mkeys);
	}
	mkeys->list[mkeys->count++] = *mkey;
	for (unsigned int i = 0; i < mkeys->searched_count; i++)
		is_known |= mkeys->searched[i] == mkey->value;
	if (!is_known && mkeys->searched_count < MOST_SEARCHED)
		mkeys->searched[mkeys->searched_count++] = mkey->value;
}

/* Takes a line, whose key goes through @mkey. Returns false if it is none of such a file. */
static bool take_key(struct mkeys *mkeys, char *text, struct mkey *mkey)
{
	char *rest, *place, *value, *end;

	text[strcspn(text, "#")] = '\0';
	place = strtok_r(text, SPACE, &rest);
	if (!place)
		return true;
	value = strtok_r(NULL, SPACE, &rest);
	if (!value) {
		mkeys->is_search = true;
		return !strcmp(place, "search");
	}
	if (strtok_r(NULL, SPACE, &rest) || !read_hexadecimal(value, &mkey->value, &end) || *end)
		return false;
	if (!strcmp(place, "default")) {
		if (mkeys->has_standard)
			return false;
		mkeys->standard = mkey->value;
		mkeys->has_standard = true;
		return true;
	}
	if (!read_place(place, mkey))
		return false;
	add(mkeys, mkey);
	return true;
}

static bool take_line(void *context, const char *path, size_t number, char *text)
{
	struct mkey mkey = { 0 };
	bool good = take_key(context, text, &mkey);

	(void)path;
	(void)number;
	explicit_bzero(&mkey, sizeof(mkey));
	return good;
}

/* Returns whether systemd(1) has handed the file to its service, and to nobody else. */
static bool is_credential(const char *path)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	size_t length = folder ? strlen(folder) : 0;

	return length && !strncmp(path, folder, length) && path[length] == '/' &&
	       !strchr(path + length + 1, '/');
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
	/* An ACL lets the service's user read it, and the ACL's mask is in the group's place. */
	if (is_credential(path) && !found.st_uid && !found.st_gid)
		found.st_mode &= ~(mode_t)S_IRGRP;
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
	mkeys->sorted = memory_get(mkeys->count + 1, sizeof(*mkeys->sorted));
	for (size_t i = 0; i < mkeys->count; i++)
		mkeys->sorted[i] = &mkeys->list[i];
	qsort(mkeys->sorted, mkeys->count, sizeof(*mkeys->sorted), compare);
	for (size_t i = 1; i < mkeys->count; i++) {
		const struct mkey *mkey = mkeys->sorted[i];

		if (compare(&mkeys->sorted[i - 1], &mkeys->sorted[i]))
			continue;
		if (mkey->port)
			complain("%s: 0x%016llx:%u has two M_Keys: leave one", mkeys->path,
				 (unsigned long long)mkey->guid, mkey->port);
		else
			complain("%s: 0x%016llx has two M_Keys: leave one", mkeys->path,
				 (unsigned long long)mkey->guid);
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
	free(mkeys->sorted);
	explicit_bzero(mkeys, sizeof(*mkeys));
	mkeys->path = path;
}

/*
 * Fills @mkeys, which has a path. Returns false, with a message written and no keys, on an
 * error.
 */
static bool fill(struct mkeys *mkeys)
{
	struct lines lines = {
		.line = "\"0xGUID 0xMKEY\", \"0xGUID:PORT 0xMKEY\", one \"default 0xMKEY\" or "
			"\"search\"",
		.take = take_line,
		.context = mkeys,
	};
	FILE *file = fopen(mkeys->path, "re");
	char buffer[4096];
	bool good;

	if (!file) {
		if (errno == ENOMEM)
			memory_end();
		complain("%s: %s", mkeys->path, strerror(errno));
		return false;
	}
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	good = is_secret(mkeys->path, file) && !lines_read_open(&lines, mkeys->path, file) &&
	       sort(mkeys);
	fclose(file);
	explicit_bzero(buffer, sizeof(buffer));
	if (!good)
		clear(mkeys);
	return good;
}

/* Keeps keys out of core files. Replies and requests have them, too. */
static void leave_no_core(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

struct mkeys *mkeys_read(const char *path)
{
	struct mkeys *mkeys = memory_get(1, sizeof(*mkeys));

	leave_no_core();
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
	explicit_bzero(&again, sizeof(again));
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

void mkey_option(void *field, const char *option, const char *text)
{
	*(uint64_t *)field = option_number(option, text, 0, UINT64_MAX);
	leave_no_core();
	memset((char *)text, 'x', strlen(text));
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
