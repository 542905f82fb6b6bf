/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: plugin-sweep: prints how many nodes and links the fabric has. It needs no madring to be
 * linked: it loads libmadring-fabric when it runs, as a plugin may that works without it, too.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <madring/sweep.h>

#define LIBRARY "libmadring-fabric.so.0"

/* Returns a pointer to a function of the library, or NULL. */
#define LOOK_UP(function) ((__typeof__(&(function)))dlsym(library, #function))

int main(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct madring_fabric_counts counts;
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	int error;

	if (!library) {
		fprintf(stderr, "plugin-sweep: %s\n", dlerror());
		return 2;
	}
	__auto_type subnet_open = LOOK_UP(madring_subnet_open_sized);
	__auto_type subnet_close = LOOK_UP(madring_subnet_close);
	__auto_type sweep = LOOK_UP(madring_sweep_sized);
	__auto_type fabric_count = LOOK_UP(madring_fabric_get_counts_sized);
	__auto_type fabric_free = LOOK_UP(madring_fabric_free);
	if (!subnet_open || !subnet_close || !sweep || !fabric_count || !fabric_free) {
		fprintf(stderr, "plugin-sweep: %s is too old\n", LIBRARY);
		return 2;
	}
	error = subnet_open(NULL, 0, 0, 0, &subnet);
	if (!error)
		error = sweep(subnet, NULL, 0, &fabric);
	if (error) {
		fprintf(stderr, "plugin-sweep: error %d\n", -error);
	} else {
		fabric_count(fabric, &counts, sizeof(counts));
		printf("%zu nodes, %zu links\n", counts.nodes, counts.links);
	}
	subnet_close(subnet);
	fabric_free(fabric);
	dlclose(library);
	return error != 0;
}
