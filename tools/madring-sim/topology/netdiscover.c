/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/builder.h"
#include "topology/link.h"
#include "topology/netdiscover.h"

#define MAX_UNICAST_LID 0xbfff
#define MAX_LMC		7

/* The number behind @key. 0 (also when there is none) or -EINVAL. */
static int number_after(const char *text, const char *key, unsigned long max, unsigned long *number)
{
	const char *at = strstr(text, key);
	unsigned long value;

	if (!at)
		return 0;
	value = strtoul(at + strlen(key), NULL, 0);
	if (value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

static int lid_and_lmc(struct topology_port *port, const char *text)
{
	unsigned long lid = port->lid, lmc = port->lmc;

	if (number_after(text, "lid ", MAX_UNICAST_LID, &lid) ||
	    number_after(text, "lmc ", MAX_LMC, &lmc))
		return -EINVAL;
	port->lid = (uint16_t)lid;
	port->lmc = (uint8_t)lmc;
	return 0;
}

/* Without quotes a description reaches to the first of the words that ibnetdiscover adds. */
static char *unquoted_end(char *text)
{
	static const char *const words[] = { " enhanced port ", " base port ", " lid ", " lmc " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *end = strstr(text, words[i]);

		if (end)
			return end;
	}
	return NULL;
}

int netdiscover_node(struct topology_node *node, char *text)
{
	char *description = text + (*text == '#');
	char *end, *rest;

	while (isspace((unsigned char)*description))
		description++;
	if (*description == '"') {
		description++;
		end = strchr(description, '"');
	} else {
		end = unquoted_end(description);
	}
	rest = end ? end + 1 : description + strlen(description);
	if (end)
		*end = '\0';
	if (*description && builder_describe(node, description))
		return -ENOMEM;
	if (node->type != NODE_SWITCH)
		return 0;
	node->enhanced_port0 = strstr(rest, "enhanced port 0") != NULL;
	return lid_and_lmc(&node->port[0], rest);
}

/* "lid 1 4xQDR", the last thing on the line but for what ibnetdiscover --full adds. */
static void width_and_speed(struct topology_port *port, const char *text)
{
	const char *quote = strrchr(text, '"');
	const char *at = strstr(quote ? quote : text, "lid ");
	char name[8];
	unsigned long lanes;
	char *end;

	if (!at)
		return;
	strtoul(at + strlen("lid "), &end, 0);
	lanes = strtoul(end, &end, 10);
	if (*end != 'x')
		return;
	end++;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(end, " \t"), end);
	link_set_width(port, lanes <= 12 ? (unsigned int)lanes : 0);
	link_set_speed(port, name);
}

int netdiscover_port(struct topology_node *node, unsigned int number, const char *text)
{
	struct topology_port *port = &node->port[number];
	const char *quote = strchr(text, '"');

	width_and_speed(port, text);
	/* A switch's line has only the far port's LID; the near one stands before the quote. */
	if (node->type == NODE_SWITCH || !quote)
		return 0;
	return lid_and_lmc(port, text);
}
