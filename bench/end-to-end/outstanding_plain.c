/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that nobody answers, by plain writes, to one file after another. */
#include "lanes.h"
#include "bench_outstanding.h"

#include <unistd.h>

static void write_one(const struct measure *measure, const struct lanes *lanes, uint32_t slot)
{
	ssize_t bytes =
		write(lanes_fd(lanes, slot), lanes_request(lanes, slot), LANES_MESSAGE_BYTES);

	if (bytes != (ssize_t)LANES_MESSAGE_BYTES)
		measure_fail(measure, "write", bytes < 0 ? errno : EIO);
}

int main(int argc, char **argv)
{
	static struct outstanding outstanding;
	static struct lanes lanes;
	uint32_t slot = 0;

	measure_options(&outstanding.measure, "plain", argc, argv);
	spent_start(&outstanding.open);
	lanes_open(&lanes, &outstanding.measure, true);
	spent_stop(&outstanding.open);
	for (uint32_t quarter = 0; quarter < QUARTERS; quarter++) {
		spent_start(&outstanding.quarter[quarter]);
		for (; slot < outstanding_end(&outstanding, quarter); slot++)
			write_one(&outstanding.measure, &lanes, slot);
		spent_stop(&outstanding.quarter[quarter]);
	}
	spent_start(&outstanding.close);
	lanes_close(&lanes);
	spent_stop(&outstanding.close);
	return outstanding_report(&outstanding);
}
