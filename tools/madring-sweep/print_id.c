/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "discovery/link_text.h"
#include "print.h"

void print_id(FILE *out, const struct node *node)
{
	fprintf(out, "\"%c-%016" PRIx64 "\"", node_type_letter(node->info.type),
		node->info.node_guid);
}
