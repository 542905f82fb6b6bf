/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps the fabric in a loop of its own, and prints its nodes. It waits for the sweep's callback
 * alone: a sweep that never calls it ends by SIGALRM.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <madring.h>
#include <madring/fabric.h>
#include <madring/subnet.h>
#include <madring/sweep.h>

#define PATIENCE_S 60

static void on_done(void *user, struct madring_discovery *sweep)
{
	bool *is_done = user;

	(void)sweep;
	*is_done = true;
}

static int run_until(struct madring *ring, const bool *is_done)
{
	struct pollfd wait = { .fd = madring_fd(ring), .events = POLLIN };

	if (wait.fd < 0)
		return wait.fd;
	while (!*is_done) {
		int error = madring_step(ring);

		if (error < 0 && error != -EINTR)
			return error;
		if (!*is_done && poll(&wait, 1, -1) < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static int sweep_fabric(struct madring_subnet *subnet)
{
	bool is_done = false;
	const struct madring_sweep_config config = { .on_done = on_done, .user = &is_done };
	struct madring_fabric *fabric = NULL;
	struct madring_discovery *sweep;
	int error = madring_sweep_start(subnet, &config, &sweep), end_error;

	if (error)
		return error;
	error = run_until(madring_subnet_ring(subnet), &is_done);
	end_error = madring_sweep_end(sweep, &fabric);
	error = error ? error : end_error;
	for (size_t i = 0; !error && i < madring_fabric_node_count(fabric); i++)
		printf("%s\n", madring_fabric_node(fabric, i)->description);
	if (!error && !madring_fabric_is_complete(fabric))
		error = -EIO;
	madring_fabric_free(fabric);
	return error;
}

int main(void)
{
	struct madring_subnet *subnet;
	int error;

	alarm(PATIENCE_S);
	error = madring_subnet_open(NULL, &subnet);
	if (!error) {
		error = sweep_fabric(subnet);
		madring_subnet_close(subnet);
	}
	if (error)
		fprintf(stderr, "own-loop: %s\n", madring_error_text(error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
