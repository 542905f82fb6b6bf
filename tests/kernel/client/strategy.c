/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy.h"

#include <string.h>

enum madring_receive receive_strategy(const char *text, struct argp_state *state)
{
	if (!strcmp(text, "multishot"))
		return MADRING_RECEIVE_MULTISHOT;
	if (strcmp(text, "posted"))
		argp_error(state, "%s: multishot or posted is wanted", text);
	return MADRING_RECEIVE_POSTED;
}
