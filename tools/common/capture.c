/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "capture.h"
#include "complain.h"

int capture_start(struct madring *ring, const char *path)
{
	int error;

	if (!path)
		return 0;
	error = madring_capture_open(ring, path, NULL);
	if (!error)
		return 0;
	complain("cannot capture to %s: %s", path, strerror(-error));
	return -1;
}

void capture_end(struct madring *ring, const char *path)
{
	struct madring_capture_info state;
	int error;

	if (!path || madring_capture_state(ring, &state))
		return;
	error = madring_capture_close(ring);
	if (error)
		complain("the capture %s ends early: %s", path, strerror(-error));
	else if (state.full)
		complain("the capture %s is full: %" PRIu64 " MADs are not in it", path,
			 state.missed);
}
