/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "topologies.h"

struct topology *read_data(const char *name)
{
	struct topology_error error;
	struct topology *topology;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", TOPOLOGY_DATA, name);
	if (topology_read(&topology, path, &error))
		fail_msg("%s:%u: %s", error.file, error.line, error.text);
	return topology;
}

int read_text(struct topology **topology, const char *text, size_t length,
	      struct topology_error *error)
{
	char path[] = "/tmp/madring-topology-XXXXXX";
	int fd = mkstemp(path);
	size_t done = 0;
	ssize_t wrote;
	int ret;

	assert_true(fd >= 0);
	while (done < length) {
		wrote = write(fd, text + done, length - done);
		assert_true(wrote > 0);
		done += (size_t)wrote;
	}
	close(fd);
	ret = topology_read(topology, path, error);
	unlink(path);
	return ret;
}

struct topology *generate(const char *spec)
{
	struct topology_error error;
	struct topology *topology;

	if (topology_generate(&topology, spec, &error))
		fail_msg("%s: %s", spec, error.text);
	return topology;
}
