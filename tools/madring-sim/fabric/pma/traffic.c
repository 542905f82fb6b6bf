/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "fabric/pma/counter_attribute.h"
#include "fabric/port_counters.h"

/* The rates that some traffic gives to the counters of a port. */
struct rates {
	uint64_t rate[FABRIC_COUNTERS];
};

/* Data is counted in words of 4 bytes, down to a quarter of one. */
static uint64_t words(uint64_t bytes)
{
	return bytes << (RATE_BITS - 2);
}

static void share_out(struct rates *rates, enum fabric_counter first, uint64_t rate,
		      const uint8_t *share)
{
	__extension__ unsigned __int128 part;
	uint64_t left = rate;
	unsigned int sum = 0, most = 0;

	for (unsigned int vl = 0; vl < FABRIC_VLS; vl++)
		sum += share[vl];
	for (unsigned int vl = 0; sum && vl < FABRIC_VLS; vl++) {
		part = rate;
		rates->rate[first + vl] = (uint64_t)(part * share[vl] / sum);
		left -= rates->rate[first + vl];
		if (share[vl] > share[most])
			most = vl;
	}
	rates->rate[first + most] += left;
}

static void work_out(const struct fabric_traffic *traffic, struct rates *rates)
{
	uint64_t *rate = rates->rate;

	*rates = (struct rates){ { 0 } };
	rate[FABRIC_XMIT_DATA] = words(traffic->xmit_bytes);
	rate[FABRIC_RCV_DATA] = words(traffic->rcv_bytes);
	rate[FABRIC_XMIT_PKTS] = traffic->xmit_packets << RATE_BITS;
	rate[FABRIC_RCV_PKTS] = traffic->rcv_packets << RATE_BITS;
	rate[FABRIC_XMIT_WAIT] = traffic->xmit_wait << RATE_BITS;
	rate[FABRIC_MULTICAST_XMIT_PKTS] = traffic->xmit_multicasts << RATE_BITS;
	rate[FABRIC_MULTICAST_RCV_PKTS] = traffic->rcv_multicasts << RATE_BITS;
	rate[FABRIC_UNICAST_XMIT_PKTS] = rate[FABRIC_XMIT_PKTS] - rate[FABRIC_MULTICAST_XMIT_PKTS];
	rate[FABRIC_UNICAST_RCV_PKTS] = rate[FABRIC_RCV_PKTS] - rate[FABRIC_MULTICAST_RCV_PKTS];
	share_out(rates, FABRIC_XMIT_DATA_SL, rate[FABRIC_XMIT_DATA], traffic->share);
	share_out(rates, FABRIC_RCV_DATA_SL, rate[FABRIC_RCV_DATA], traffic->share);
	share_out(rates, FABRIC_VL_XMIT_WAIT, rate[FABRIC_XMIT_WAIT], traffic->share);
}

static bool is_possible(const struct fabric_traffic *traffic)
{
	return traffic->xmit_bytes / 4 < FABRIC_MAX_RATE &&
	       traffic->rcv_bytes / 4 < FABRIC_MAX_RATE &&
	       traffic->xmit_packets <= FABRIC_MAX_RATE &&
	       traffic->rcv_packets <= FABRIC_MAX_RATE && traffic->xmit_wait <= FABRIC_MAX_RATE &&
	       traffic->xmit_multicasts <= traffic->xmit_packets &&
	       traffic->rcv_multicasts <= traffic->rcv_packets;
}

int fabric_set_traffic(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		       const struct fabric_traffic *traffic)
{
	struct port *port = fabric_port(fabric, node, number);
	struct rates rates;

	if (!port || !is_possible(traffic))
		return -EINVAL;
	work_out(traffic, &rates);
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		if (rates.rate[i] && !counters_take(fabric, port, i))
			return -ENOMEM;
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		if (counter_is_even(i))
			counters_set_rate(fabric, port, i, RATE_OWN, rates.rate[i]);
	return 0;
}

int fabric_set_error_rate(struct fabric *fabric, const struct topology_node *node,
			  unsigned int number, enum fabric_counter counter, double per_second)
{
	struct port *port = fabric_port(fabric, node, number);
	double rate = per_second * (double)RATE_ONE;

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	if (per_second != 0 && !(rate >= 1 && rate <= (double)RATE_MAX))
		return -EINVAL;
	return counters_set_rate(fabric, port, counter, RATE_OWN, (uint64_t)(rate + 0.5));
}

int fabric_count(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		 enum fabric_counter counter, uint64_t amount)
{
	struct port *port = fabric_port(fabric, node, number);

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	return counters_add(fabric, port, counter, amount);
}

int fabric_set_counter(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		       enum fabric_counter counter, uint64_t value)
{
	struct port *port = fabric_port(fabric, node, number);

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	if (counters_set(fabric, port, counter, COUNTER_STICKS, value))
		return -ENOMEM;
	return counters_set(fabric, port, counter, COUNTER_WRAPS, value);
}

int fabric_get_counter(const struct fabric *fabric, const struct topology_node *node,
		       unsigned int number, enum fabric_counter counter, uint64_t *value)
{
	const struct port *port = fabric_port(fabric, node, number);
	const struct counter_run *run;
	enum counter_view view;

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	run = attribute_shows(counter, &view);
	*value = counters_value(fabric, port, counter, view);
	if (*value > run_limit(run))
		*value = run_limit(run);
	return 0;
}
