/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_response.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "common/memory.h"
#include "mhd.h"

/* libmicrohttpd copies this much of a page at a time, and sends it by one system call. */
#define BLOCK_BYTES ((size_t)256 << 10)

/* What is left to send of a page. */
struct page_rest {
	struct exposition *page;
	uint64_t sent;
	size_t count; /* of pieces */
	struct iovec *piece;
	struct iovec pieces[];
};

/* Takes the front off a piece. */
static void advance(struct iovec *piece, size_t bytes)
{
	piece->iov_base = (char *)piece->iov_base + bytes;
	piece->iov_len -= bytes;
}

static ssize_t read_page(void *user, uint64_t position, char *buffer, size_t room)
{
	struct page_rest *rest = user;
	size_t bytes = 0;

	assert(position == rest->sent);
	(void)position;
	while (bytes < room && rest->piece < rest->pieces + rest->count) {
		size_t part = rest->piece->iov_len;

		if (part > room - bytes)
			part = room - bytes;
		memcpy(buffer + bytes, rest->piece->iov_base, part);
		advance(rest->piece, part);
		bytes += part;
		if (!rest->piece->iov_len)
			rest->piece++;
	}
	rest->sent += bytes;
	return (ssize_t)bytes;
}

static void release_rest(void *user)
{
	struct page_rest *rest = user;

	exposition_release(rest->page);
	free(rest);
}

struct MHD_Response *page_response(struct exposition *page, enum exposition_format format)
{
	struct page_rest *rest = memory_get(1, sizeof(*rest) + exposition_max_pieces(page) *
								       sizeof(rest->pieces[0]));
	struct MHD_Response *response;
	size_t bytes;

	rest->page = exposition_hold(page);
	rest->count = exposition_pieces(page, format, rest->pieces, &bytes);
	rest->piece = rest->pieces;
	response = mhd.create_response_from_callback(bytes, BLOCK_BYTES, read_page, rest,
						     release_rest);
	if (!response)
		release_rest(rest);
	return response;
}
