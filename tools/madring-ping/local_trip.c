/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/mkeys.h"
#include "histogram.h"
#include "local_trip.h"

#define TRIPS	   32u
#define TIMEOUT_MS 200

/* Returns the time of a round trip, or 0. */
static uint64_t one_trip(const struct local *local, struct madring_agent *agent, uint64_t mkey)
{
	static const uint8_t no_hops[1];
	struct madring_completion completion;
	struct madring_mad *mad = madring_mad_alloc(agent);
	int error;

	if (!mad)
		return 0;
	madring_smp_dr_prepare(mad, no_hops, 0, MADRING_GET, MADRING_ATTR_NODE_INFO, 0);
	madring_smp_set_mkey(mad, mkey);
	madring_call(agent, mad, NULL, &completion);
	error = completion.status;
	local_put_back(local, &completion);
	return error ? 0 : completion.rtt_ns;
}

static uint64_t median_trip(const struct local *local, struct madring_agent *agent, uint64_t mkey)
{
	struct histogram *trips = memory_get(1, sizeof(*trips));
	uint64_t median;

	for (unsigned int i = 0; i < TRIPS; i++) {
		uint64_t ns = one_trip(local, agent, mkey);

		if (!ns)
			break;
		histogram_record(trips, ns);
	}
	median = histogram_percentile(trips, 50);
	free(trips);
	return median;
}

uint64_t local_trip(const struct local *local, const struct mkeys *mkeys)
{
	const struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_SMP_DIRECTED,
		.class_version = 1,
		.timeout_ms = TIMEOUT_MS,
		.retries = MADRING_NO_RETRIES,
	};
	uint64_t mkey = mkeys ? mkeys_of_node(mkeys, local_node_guid(local)) : 0;
	struct madring_agent *agent;
	uint64_t median;
	int error = madring_agent_open(local_port_of(local, config.mgmt_class), &config, &agent);

	if (error == -ENOMEM)
		memory_end();
	if (error)
		return 0;
	median = median_trip(local, agent, mkey);
	madring_agent_close(agent);
	return median;
}
