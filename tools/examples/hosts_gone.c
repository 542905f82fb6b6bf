/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: hosts-gone FILE: prints the hosts of a saved sweep (madring-sweep --json) that are gone.
 */
#include <stdio.h>
#include <madring/subnet.h>
#include <madring/sweep.h>
#include <madring/version.h>

int main(int argc, char **argv)
{
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *now = NULL, *old = NULL;
	const struct madring_node *node;
	char text[MADRING_LOAD_TEXT_BYTES];
	int gone = 0, error;

	if (argc != 2 || madring_fabric_load(argv[1], &old, text)) {
		fprintf(stderr, "hosts-gone: %s\n", argc == 2 ? text : "usage: hosts-gone FILE");
		return 2;
	}
	error = madring_subnet_open(NULL, &subnet);
	if (!error)
		error = madring_sweep(subnet, NULL, &now);
	if (error)
		fprintf(stderr, "hosts-gone: %s\n", madring_error_text(error));
	for (size_t i = 0; !error && (node = madring_fabric_node(old, i)); i++) {
		if (node->type != MADRING_NODE_CA || madring_fabric_node_by_guid(now, node->guid))
			continue;
		gone++;
		printf("%016llx %s\n", (unsigned long long)node->guid, node->description);
	}
	madring_subnet_close(subnet);
	madring_fabric_free(old);
	madring_fabric_free(now);
	return error ? 2 : gone != 0;
}
