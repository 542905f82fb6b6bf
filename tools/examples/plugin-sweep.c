/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: plugin-sweep: prints how many nodes and links the fabric has. It needs no madring to be
 * linked: it loads libmadring-fabric when it runs, as a plugin may that works without it, too.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <madring/sweep.h>

#define LIBRARY "libmadring-fabric.so.0"

/* Declares a pointer to a function of the library, and looks it up. Sets `missing` without it. */
#define LOOK_UP(name)                                                                              \
	__typeof__(&madring_##name) name = (__typeof__(name))dlsym(library, "madring_" #name);     \
	missing |= !name

int main(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct madring_fabric_counts counts;
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	int missing = !library, error;

	if (missing) {
		fprintf(stderr, "plugin-sweep: %s\n", dlerror());
		return 2;
	}
	LOOK_UP(subnet_open);
	LOOK_UP(subnet_close);
	LOOK_UP(sweep);
	LOOK_UP(fabric_count);
	LOOK_UP(fabric_free);
	if (missing) {
		fprintf(stderr, "plugin-sweep: %s is too old\n", LIBRARY);
		return 2;
	}
	error = subnet_open(NULL, &subnet);
	if (!error)
		error = sweep(subnet, NULL, &fabric);
	if (error) {
		fprintf(stderr, "plugin-sweep: error %d\n", -error);
	} else {
		fabric_count(fabric, &counts);
		printf("%zu nodes, %zu links\n", counts.nodes, counts.links);
	}
	subnet_close(subnet);
	fabric_free(fabric);
	dlclose(library);
	return error != 0;
}
