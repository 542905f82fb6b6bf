/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: growth NUMBER NODES
 *
 * Makes so many collections of a fabric with so many nodes, as madring-perf does for Prometheus,
 * through the local port. What is allocated behind each may not grow: after the first tenth nothing
 * may be left of any.
 */
#include <inttypes.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "madring-perf/exporter/exporter.h"

/* The options of jemalloc: freed memory counts as free at once, and is not kept for the thread. */
const char *malloc_conf __attribute__((visibility("default"))) = "tcache:false";

/*
 * Returns the allocated bytes. It is there under the address sanitizer alone, whose malloc() it is
 * then.
 */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
	size_t bytes = 0, size = sizeof(bytes);
	uint64_t epoch = 1;

	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	if (mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch)) ||
	    mallctl("stats.allocated", &bytes, &size, NULL, 0) || !bytes) {
		fputs("growth: jemalloc does not tell what is allocated\n", stderr);
		exit(2);
	}
	return bytes;
}

/* Makes a collection. Returns the bytes that are allocated behind it. */
static size_t collect_one(struct exporter *exporter)
{
	bool made;

	exposition_release(exporter_collect(exporter, &made));
	if (!made)
		exit(2);
	return allocated();
}

static size_t most_of(struct exporter *exporter, unsigned long number)
{
	size_t most = 0, bytes;

	for (unsigned long i = 0; i < number; i++) {
		bytes = collect_one(exporter);
		most = bytes > most ? bytes : most;
	}
	return most;
}

static unsigned long nodes_of(const struct exporter *exporter)
{
	const struct known_node *node;
	unsigned long count = 0;

	TAILQ_FOREACH (node, &exporter->known.present, entry)
		count++;
	return count;
}

int main(int argc, char *argv[])
{
	struct options options = { .serve.listen = "0" };
	unsigned long number = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct exporter exporter;
	size_t first, rest;

	if (number < 10 || exporter_start(&exporter, &options))
		return 2;
	first = most_of(&exporter, number / 10);
	rest = most_of(&exporter, number - number / 10);
	printf("figure: allocated behind %lu collections: %zu bytes, behind the first tenth: %zu\n",
	       number, rest, first);
	if (nodes_of(&exporter) != strtoul(argv[2], NULL, 10)) {
		fprintf(stderr, "growth: %lu nodes were found\n", nodes_of(&exporter));
		return 1;
	}
	exporter_end(&exporter);
	return rest > first;
}
