/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside madring's tree, as another project would build it. */
#include <madring.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	struct madring_config config = { .transactions = 64, .pin = MADRING_PIN_BEST_EFFORT };
	struct madring *ring = NULL;
	int error;

	/* The call is here only to have more of the library linked than a string. */
	config.reads = 1;
	error = madring_open(&ring, &config);
	if (!error)
		return 1;
	printf("%s\n", madring_version());
	return strcmp(madring_version(), MADRING_VERSION) != 0;
}
