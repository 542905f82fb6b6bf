/* SPDX-License-Identifier: BSD-2-Clause */
/* A client with one MAD at a time, by libibumad's own calls, as nearly every program does it. */
#include "lanes.h"

#define TIMEOUT_MS 10000
/* umad_send(), and umad_recv() with a timeout, make write, poll and read. */
#define SYSCALLS 3

int main(int argc, char **argv)
{
	uint8_t reply[LANES_MESSAGE_BYTES] __attribute__((aligned(8)));
	struct measure measure;
	struct lanes lanes;
	int length, ret;

	measure_options(&measure, "one_at_a_time", argc, argv);
	measure.in_flight = 1;
	measure.lanes = 1;
	lanes_open(&lanes, &measure, false);
	do {
		ret = umad_send(lanes.port[0], lanes.agent[0], lanes_request(&lanes, 0),
				MADRING_MAD_BYTES, TIMEOUT_MS, 0);
		if (ret < 0)
			measure_fail(&measure, "umad_send", ret);
		length = MADRING_MAD_BYTES;
		ret = umad_recv(lanes.port[0], reply, &length, TIMEOUT_MS);
		if (ret < 0)
			measure_fail(&measure, "umad_recv", ret);
		lanes_slot(&measure, (struct ib_user_mad *)reply);
		measure.syscalls += SYSCALLS;
	} while (measure_replies(&measure, 1));
	lanes_close(&lanes);
	return measure_report(&measure);
}
