/* SPDX-License-Identifier: BSD-2-Clause */
/* A 32-bit program is refused a pool that no address space holds, whatever its size wraps to. */
#include <errno.h>
#include <stdio.h>

#include "pool/pool.h"

static int open_and_close(const struct pool_config *config)
{
	struct pool *pool;
	int error = pool_open(&pool, config);

	if (!error)
		pool_close(pool);
	return error;
}

int main(void)
{
	static const struct {
		struct pool_config config;
		int error;
	} cases[] = {
		{ { .plain = 100, .large = 10, .message_bytes = 1 << 20 }, 0 },
		/* These sizes would be 64, 0 and 128 bytes, and 1 MiB, in 32 bits. */
		{ { .plain = 214748365 }, -EINVAL },
		{ { .large = 1u << 31 }, -EINVAL },
		{ { .large = 2033602 }, -EINVAL },
		{ { .message_bytes = (UINT64_C(1) << 32) + (1 << 20) }, -EINVAL },
	};
	struct pool_config config;
	int status = 0;

	_Static_assert(sizeof(void *) == 4, "what wraps in 32 bits");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int error;

		config = cases[i].config;
		config.pin = MADRING_PIN_BEST_EFFORT;
		error = open_and_close(&config);
		if (error != cases[i].error) {
			fprintf(stderr, "case %zu: %d, not %d\n", i, error, cases[i].error);
			status = 1;
		}
	}
	return status;
}
