/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/connection.h"
#include "shim/host.h"

/* What was found last. */
static struct {
	pthread_mutex_t lock;
	char name[SIM_HOST_BYTES];
	bool is_known;
	uint32_t tree;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *chosen_name(void)
{
	static const char *const variable[] = { SIM_HOST_NAMES };

	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		const char *name = getenv(variable[i]);

		if (name && *name)
			return name;
	}
	return NULL;
}

/* 0 or an errno. */
static int ask(const char *name, uint32_t *tree)
{
	struct sim_request request = { .kind = SIM_FIND_HOST };
	struct sim_reply reply = { 0 };
	size_t length = strlen(name);
	int fd, error;

	if (length >= sizeof(request.host))
		return ENAMETOOLONG;
	memcpy(request.host, name, length);
	fd = connection_open();
	if (fd < 0)
		return errno;
	error = connection_exchange(fd, &request, &reply);
	close(fd);
	*tree = reply.tree;
	return error;
}

static void find(const char *name)
{
	int error = ask(name, &host.tree);

	host.is_known = !error;
	snprintf(host.name, sizeof(host.name), "%s", name);
	if (error)
		fprintf(stderr, "madring-sim: no node %s to run on: %s\n", name, strerror(error));
}

bool host_tree(uint32_t *tree)
{
	const char *name = chosen_name();
	int kept = errno;
	bool is_known;

	*tree = 0;
	if (!name)
		return true;
	pthread_mutex_lock(&host.lock);
	if (strncmp(name, host.name, sizeof(host.name) - 1))
		find(name);
	is_known = host.is_known;
	*tree = host.tree;
	pthread_mutex_unlock(&host.lock);
	errno = kept;
	return is_known;
}
