/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "capture.h"
#include "complain.h"
#include "plural.h"

/* Returns what is wrong with the capture's path, and what to do. */
static const char *explain_error(int error)
{
	switch (error) {
	case -ELOOP:
		return "it is a symbolic link: name the file that it leads to";
	case -ESPIPE:
		return "it is no file: to watch live, follow a file, as madring_capture_open(3) "
		       "shows";
	default:
		return strerror(-error);
	}
}

int capture_start(struct madring *ring, const char *path)
{
	int error;

	if (!path)
		return 0;
	error = madring_capture_open(ring, path, NULL);
	if (!error)
		return 0;
	complain("cannot capture to %s: %s", path, explain_error(error));
	return -1;
}

int capture_end(struct madring *ring, const char *path)
{
	struct madring_capture_state state;
	int error;

	if (!path || madring_capture_get_state(ring, &state))
		return 0;
	error = madring_capture_close(ring);
	if (!error && !state.full)
		return 0;
	/*
	 * Closing may fail to write the last piece. The state was read before, so .missed lacks its
	 * MADs.
	 */
	if (state.missed)
		complain("%s: the capture is incomplete: %" PRIu64 " MAD%s %s missing: %s", path,
			 state.missed, plural(state.missed), state.missed == 1 ? "is" : "are",
			 error ? strerror(-error) : "it is as large as it may grow");
	else if (error)
		complain("%s: the capture is incomplete: %s", path, strerror(-error));
	return state.missed || error ? -1 : 0;
}
