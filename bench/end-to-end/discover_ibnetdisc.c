/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric discovered by libibnetdisc, over and over, with so many SMPs in flight as it is told.
 * The functions below count the MADs that it sends and receives.
 */
#include "bench_discover.h"

#include <dlfcn.h>
#include <errno.h>

#include <infiniband/ibnetdisc.h>
#include <infiniband/umad.h>

/* umad_recv() with a timeout makes poll and read. */
#define RECEIVE_SYSCALLS 2

static struct measure measure;
static uint64_t sent;

static void *find_next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		measure_fail(&measure, name, ENOSYS);
	return function;
}

__attribute__((visibility("default"))) int umad_send(int port, int agent, void *umad, int length,
						     int timeout_ms, int retries)
{
	static int (*send)(int, int, void *, int, int, int);

	if (!send)
		send = (int (*)(int, int, void *, int, int, int))(uintptr_t)find_next("umad_send");
	sent++;
	measure.syscalls++;
	return send(port, agent, umad, length, timeout_ms, retries);
}

__attribute__((visibility("default"))) int umad_recv(int port, void *umad, int *length,
						     int timeout_ms)
{
	static int (*receive)(int, void *, int *, int);

	if (!receive)
		receive = (int (*)(int, void *, int *, int))(uintptr_t)find_next("umad_recv");
	measure.syscalls += RECEIVE_SYSCALLS;
	return receive(port, umad, length, timeout_ms);
}

static void count_node(ibnd_node_t *node, void *user)
{
	struct discovered *found = user;

	(void)node;
	found->nodes++;
}

static void discover_fabric(struct measure *to_measure, struct discovered *found)
{
	struct ibnd_config config = { .max_smps = to_measure->in_flight };
	ibnd_fabric_t *fabric;

	sent = 0;
	fabric = ibnd_discover_fabric(NULL, 0, NULL, &config);
	if (!fabric)
		measure_fail(to_measure, "ibnd_discover_fabric", errno ? errno : EIO);
	ibnd_iter_nodes(fabric, count_node, found);
	found->smps = sent;
	ibnd_destroy_fabric(fabric);
}

int main(int argc, char **argv)
{
	measure_options(&measure, "libibnetdisc", argc, argv);
	return discover_measure(&measure, discover_fabric);
}
