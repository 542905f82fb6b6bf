/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring fails while a fabric is discovered, or while its counters are collected: what was in
 * flight then calls nobody back who is gone, as a sanitizer would see, and what came is kept. To be
 * run on a simulated fabric.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <madring.h>
#include <madring/batch.h>

#include "madring-perf/session.h"

/* The number of the call, from now on, that fails, as does each one after it; 0: none. */
static unsigned int fail_at;
static bool failing;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
int __real_madring_run(struct madring *ring, int timeout_ms);
int __wrap_madring_run(struct madring *ring, int timeout_ms);

int __wrap_madring_run(struct madring *ring, int timeout_ms)
{
	if (fail_at && !--fail_at)
		failing = true;
	return failing ? -EBADF : __real_madring_run(ring, timeout_ms);
}
int __real_madring_batch_run(struct madring_batch *batch);
int __wrap_madring_batch_run(struct madring_batch *batch);

int __wrap_madring_batch_run(struct madring_batch *batch)
{
	if (fail_at && !--fail_at)
		failing = true;
	return failing ? -EBADF : __real_madring_batch_run(batch);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* The part of the program whose calls are counted. */
enum part { DISCOVERY, COLLECTION };

static void fail_from(enum part part, enum part now, unsigned int call)
{
	fail_at = part == now ? call : 0;
}

static int check(bool holds, unsigned int call, const char *what)
{
	if (!holds)
		fprintf(stderr, "when call %u fails: %s\n", call, what);
	return holds ? 0 : 1;
}

static int collect_all(struct session *session, const struct madring_fabric *fabric,
		       unsigned int call)
{
	struct plan plan = { .attributes = PMA_SET_BASE };
	struct collection *collection = collection_new(fabric);
	int wrong;

	collect(collection, &plan, &session->local, session->pma, NULL);
	wrong = check(collection->error == (failing ? -EBADF : 0), call, "another error") +
		check(collection_complete(collection) == !failing, call, "whole, or not whole");
	collection_free(collection);
	return wrong;
}

/* Returns how much is wrong. */
static int run(enum part part, unsigned int call)
{
	struct session_config config = { .ca_name = NULL };
	struct madring_fabric *fabric;
	struct session session;
	int wrong, error;

	failing = false;
	fail_at = 0;
	if (session_open(&session, &config))
		return 1;
	fail_from(part, DISCOVERY, call);
	error = session_discover(&session, &config, &fabric, NULL);
	wrong = check(error == (failing ? -EBADF : 0), call, "another error");
	fail_from(part, COLLECTION, call);
	if (!error)
		wrong += collect_all(&session, fabric, call);
	wrong += check(!madring_outstanding(session.local.ring), call, "requests are left");
	madring_fabric_free(fabric);
	session_close(&session, &config);
	return wrong;
}

/* Runs with the first call failing, then the second, until there are not so many calls. */
static int fail_each(enum part part, const char *name)
{
	unsigned int call = 0;

	do {
		call++;
		if (run(part, call))
			return 1;
	} while (failing);
	printf("%s: %u calls failed\n", name, call - 1);
	return call > 1 ? 0 : 1;
}

int main(void)
{
	return fail_each(DISCOVERY, "discovery") || fail_each(COLLECTION, "collection");
}
