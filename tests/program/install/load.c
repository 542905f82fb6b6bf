/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: load LIBRARY. A program that loads madring while it runs, as a plugin does. */
#include <dlfcn.h>
#include <madring.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const struct madring_config config = { .transactions = 64, .pin = MADRING_PIN_BEST_EFFORT };
	int (*open_ring)(struct madring **, const struct madring_config *);
	int (*close_ring)(struct madring *);
	const char *(*version)(void);
	struct madring *ring;
	void *library;
	int error;

	library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library) {
		fprintf(stderr, "load: %s\n", argc == 2 ? dlerror() : "usage: load LIBRARY");
		return 1;
	}
	*(void **)&open_ring = dlsym(library, "madring_open");
	*(void **)&close_ring = dlsym(library, "madring_close");
	*(void **)&version = dlsym(library, "madring_version");
	if (!open_ring || !close_ring || !version) {
		fprintf(stderr, "load: %s\n", dlerror());
		return 1;
	}
	error = open_ring(&ring, &config);
	if (error || close_ring(ring)) {
		fprintf(stderr, "load: no ring: error %d\n", error);
		return 1;
	}
	printf("%s\n", version());
	return dlclose(library);
}
