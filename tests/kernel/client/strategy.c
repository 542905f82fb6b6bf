/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy.h"

#include <string.h>

#include <madring.h>

#include "common/option_table.h"

void receive_strategy(void *receive, const char *option, const char *text)
{
	bool is_multishot = !strcmp(text, "multishot");

	if (!is_multishot && strcmp(text, "posted") != 0)
		option_refuse(option, "takes multishot or posted");
	*(enum madring_receive *)receive =
		is_multishot ? MADRING_RECEIVE_MULTISHOT : MADRING_RECEIVE_POSTED;
}
