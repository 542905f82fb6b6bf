/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the MADs of a ring to its capture and to the debug messages. */
#include "api/handles.h"
#include "base/debug.h"

static void capture_seen_mad(const struct madring *ring, unsigned int lane, bool sent,
			     const struct ib_user_mad *umad, size_t bytes, uint64_t at)
{
	/* A notice of a timeout is not a MAD, nor is anything shorter than a MAD header. */
	if (umad->status || bytes < sizeof(*umad) + sizeof(struct madring_mad_hdr))
		return;
	if (ring->interface[lane] >= 0)
		capture_mad(ring->capture, (unsigned int)ring->interface[lane], sent, umad, bytes,
			    at);
}

static void on_mad(void *context, unsigned int lane, bool sent, const struct ib_user_mad *umad,
		   size_t bytes, uint64_t at)
{
	const struct madring *ring = context;
	char text[DEVICE_MAD_TEXT];

	if (ring->capture)
		capture_seen_mad(ring, lane, sent, umad, bytes, at);
	if (!debug_is(DEBUG_MADS))
		return;
	device_describe(text, umad, bytes, sent);
	debug_say("lane %u: %s", lane, text);
}

void tap_update(struct madring *ring)
{
	ring->debug_level = debug_level();
	ring->tap = (struct driver_tap){ .seen = on_mad, .context = ring };
	driver_set_tap(ring->driver, ring->capture || debug_is(DEBUG_MADS) ? &ring->tap : NULL);
}
