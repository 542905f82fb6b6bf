/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: load LIBRARY. A program that loads madring while it runs, as a plugin does. */
#include <dlfcn.h>
#include <madring.h>
#include <stdbool.h>
#include <stdio.h>

/* Loads the library, opens and closes a ring, and unloads it. Returns 0, or 1 with a message. */
static int load(const char *path, bool is_last)
{
	const struct madring_config config = { .transactions = 64, .pin = MADRING_PIN_BEST_EFFORT };
	int (*open_ring)(struct madring **, const struct madring_config *, size_t);
	int (*close_ring)(struct madring *);
	const char *(*version)(void);
	struct madring *ring;
	void *library;
	int error;

	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "load: %s\n", dlerror());
		return 1;
	}
	*(void **)&open_ring = dlsym(library, "madring_open_sized");
	*(void **)&close_ring = dlsym(library, "madring_close");
	*(void **)&version = dlsym(library, "madring_version");
	if (!open_ring || !close_ring || !version) {
		fprintf(stderr, "load: %s\n", dlerror());
		return 1;
	}
	error = open_ring(&ring, &config, sizeof(config));
	if (error || close_ring(ring)) {
		fprintf(stderr, "load: no ring: error %d\n", error);
		return 1;
	}
	if (is_last)
		printf("%s\n", version());
	return dlclose(library) != 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: load LIBRARY\n");
		return 1;
	}
	/* A plugin that is loaded again finds nothing of its first time in the way. */
	return load(argv[1], false) || load(argv[1], true);
}
