/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "common/memory.h"
#include "common/output.h"
#include "textfile.h"

/* Writes a page. The stream remembers a failure until it is closed. */
static void write_page(FILE *out, const struct exposition *page)
{
	struct iovec *pieces = memory_get(exposition_max_pieces(page), sizeof(*pieces));
	size_t count = exposition_pieces(page, EXPOSITION_TEXT, pieces, NULL);

	for (size_t i = 0; i < count; i++)
		fwrite(pieces[i].iov_base, 1, pieces[i].iov_len, out);
	free(pieces);
}

int textfile_write(const char *path, const struct exposition *page)
{
	struct output *output = output_open(path);
	FILE *out;

	if (!output)
		return -1;
	out = output_begin(output);
	if (out)
		write_page(out, page);
	return output_close(output) || !out ? -1 : 0;
}
