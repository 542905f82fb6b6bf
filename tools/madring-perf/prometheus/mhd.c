/* SPDX-License-Identifier: BSD-2-Clause */
#include "mhd.h"

#include <dlfcn.h>
#include <stddef.h>

#include "common/complain.h"

/* The ABI of <microhttpd.h>, both of version 0.9 and of 1.0. */
#define LIBRARY "libmicrohttpd.so.12"

struct mhd mhd;

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define MHD_ENTRY(name) { "MHD_" #name, offsetof(struct mhd, name) },
	MHD_FUNCTIONS(MHD_ENTRY)
};

int mhd_load(void)
{
	/* It stays loaded: other libraries that it has loaded cannot be unloaded. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void **function = (void **)((char *)&mhd + functions[i].offset);

		*function = dlsym(library, functions[i].name);
		if (!*function)
			library = NULL;
	}
	if (library)
		return 0;
	complain("cannot serve HTTP: %s", dlerror());
	return -1;
}
