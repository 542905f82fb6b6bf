/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_batch.h"

#include <errno.h>

int run_batch(struct madring_batch *batch)
{
	int error = madring_batch_run(batch);

	if (error != -EINTR)
		return error;
	madring_batch_cancel(batch);
	while (madring_batch_run(batch) == -EINTR)
		;
	return error;
}
