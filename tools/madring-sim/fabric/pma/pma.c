/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance management agents. Each answers for all ports of its node, and a switch's for
 * their sum, which sticks when it is full, as the counters do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/node_agent.h"
#include "fabric/pma/counter_attribute.h"
#include "fabric/port_counters.h"
#include "fabric/smp.h"

#define ALL_PORTS 0xff

#define CAP_ALL_PORT_SELECT  (1 << 8)
#define CAP_EXTENDED_WIDTH   (1 << 9) /* with the unicast and multicast counters */
#define CAP_XMIT_WAIT	     (1 << 12)
#define CAP2_EXTENDED_ERRORS (1 << 1)
#define RESPONSE_TIME	     18 /* 4.096 us times 2^18 */

#define OPCODE_OFFSET 0

/* The ports that a request is about. */
struct ports {
	struct port *first;
	unsigned int count;
};

static bool select_ports(const struct agent_request *request, unsigned int number,
			 struct ports *ports)
{
	struct node *node = request->node;
	bool is_switch = node->type == NODE_SWITCH;

	if (is_switch && number == ALL_PORTS) {
		*ports = (struct ports){ .first = node->port, .count = node->port_count + 1u };
		return true;
	}
	if (number > node->port_count || (!number && !is_switch))
		return false;
	*ports = (struct ports){ .first = &node->port[number], .count = 1 };
	return true;
}

static uint64_t sum_of(const struct fabric *fabric, const struct ports *ports,
		       enum fabric_counter which, enum counter_view view, uint64_t limit)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ports->count; i++) {
		uint64_t value = counters_value(fabric, &ports->first[i], which, view);

		if (value >= limit - sum)
			return limit;
		sum += value;
	}
	return sum;
}

static void get(const struct fabric *fabric, const struct attribute *attribute,
		const struct ports *ports, uint8_t *data)
{
	uint8_t opcode = attribute->has_opcode ? data[OPCODE_OFFSET] : 0;
	uint32_t select = mad_get_field(data, 0, IB_PC_PORT_SELECT_F);

	memset(data, 0, PMA_DATA_BYTES);
	data[OPCODE_OFFSET] = opcode;
	mad_set_field(data, 0, IB_PC_PORT_SELECT_F, select);
	for (const struct counter_run *run = attribute->run; run->count; run++)
		for (unsigned int n = 0; n < run->count; n++)
			attribute_put(run, n, data,
				      sum_of(fabric, ports, run->first + n, attribute->view,
					     run_limit(run)));
}

static int set_counter(struct fabric *fabric, const struct ports *ports, enum fabric_counter which,
		       enum counter_view view, uint64_t value)
{
	for (unsigned int i = 0; i < ports->count; i++)
		if (counters_set(fabric, &ports->first[i], which, view, value))
			return -ENOMEM;
	return 0;
}

/* make_counter makes a counter before any is set, so that -ENOMEM changes nothing. */
static int make_counter(struct fabric *fabric, const struct ports *ports, enum fabric_counter which,
			enum counter_view view, uint64_t value)
{
	(void)view;
	for (unsigned int i = 0; value && i < ports->count; i++)
		if (!counters_take(fabric, &ports->first[i], which))
			return -ENOMEM;
	return 0;
}

static int for_selected(struct fabric *fabric, const struct attribute *attribute,
			const struct ports *ports, const uint8_t *data,
			int (*act)(struct fabric *fabric, const struct ports *ports,
				   enum fabric_counter which, enum counter_view view,
				   uint64_t value))
{
	uint64_t selected = attribute_selected(attribute, data);

	for (const struct counter_run *run = attribute->run; run->count; run++)
		for (unsigned int n = 0; n < run->count; n++)
			if (selected >> (run->first_select + n) & 1 &&
			    act(fabric, ports, run->first + n, attribute->view,
				attribute_get(run, n, data)))
				return -ENOMEM;
	return 0;
}

static int set(struct fabric *fabric, const struct attribute *attribute, const struct ports *ports,
	       const uint8_t *data)
{
	int error = for_selected(fabric, attribute, ports, data, make_counter);

	return error ? error : for_selected(fabric, attribute, ports, data, set_counter);
}

static int counters(const struct agent_request *request, const struct attribute *attribute,
		    uint8_t method, uint8_t *data)
{
	struct ports ports;

	if (!select_ports(request, mad_get_field(data, 0, IB_PC_PORT_SELECT_F), &ports))
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (method == IB_MAD_METHOD_SET && set(request->fabric, attribute, &ports, data))
		return -ENOMEM;
	get(request->fabric, attribute, &ports, data);
	return 0;
}

/*
 * class_port_info answers for ClassPortInfo. There are no traps to be redirected, so there is
 * nothing to set.
 */
static int class_port_info(const struct agent_request *request, uint8_t method, uint8_t *data)
{
	uint32_t mask = CAP_EXTENDED_WIDTH | CAP_XMIT_WAIT;

	if (method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (request->node->type == NODE_SWITCH)
		mask |= CAP_ALL_PORT_SELECT;
	memset(data, 0, PMA_DATA_BYTES);
	mad_set_field(data, 0, IB_CPI_BASEVER_F, 1);
	mad_set_field(data, 0, IB_CPI_CLASSVER_F, 1);
	mad_set_field(data, 0, IB_CPI_CAPMASK_F, mask);
	mad_set_field(data, 0, IB_CPI_CAPMASK2_F, CAP2_EXTENDED_ERRORS);
	mad_set_field(data, 0, IB_CPI_RESP_TIME_VALUE_F, RESPONSE_TIME);
	return 0;
}

/*
 * PortSamplesControl and PortSamplesResult: how far up to 15 of a port's counters of traffic move
 * in an interval. A node samples one port at a time.
 */
#define SAMPLES 15

/* The number of symbol times of 4 ns in a tick, less one. */
#define TICK_VALUE (FABRIC_TICK / 4 - 1)

#define WIDTH_32_BITS 4

/*
 * The CounterMasks, three bits for each counter, which tell what it can count: here the mandatory
 * quantities, and nothing else.
 */
#define MASK_0	       1
#define MASKS_1_TO_9   0111111111
#define MASKS_10_TO_14 011111

enum sample_status { SAMPLES_DONE, SAMPLES_WAIT, SAMPLES_RUN };

struct samples {
	enum sample_status status;
	const struct port *port;
	uint32_t start, interval; /* ticks */
	uint16_t tag, select[SAMPLES];
	uint64_t before[SAMPLES], count[SAMPLES];
};

/* The counters that CounterSelect names, from 0x0001 on. */
static const enum fabric_counter sampled[] = { FABRIC_XMIT_DATA, FABRIC_RCV_DATA, FABRIC_XMIT_PKTS,
					       FABRIC_RCV_PKTS, FABRIC_XMIT_WAIT };

static uint64_t value_now(const struct fabric *fabric, const struct samples *samples,
			  unsigned int i)
{
	unsigned int select = samples->select[i];

	if (!select || select > sizeof(sampled) / sizeof(sampled[0]))
		return 0;
	return counters_value(fabric, samples->port, sampled[select - 1], COUNTER_TOTAL);
}

static void stop_sampling(struct fabric *fabric, void *user)
{
	struct samples *samples = user;

	for (unsigned int i = 0; i < SAMPLES; i++) {
		uint64_t count = value_now(fabric, samples, i) - samples->before[i];

		samples->count[i] = count < UINT32_MAX ? count : UINT32_MAX;
	}
	samples->status = SAMPLES_DONE;
}

static void run_sampling(struct fabric *fabric, void *user)
{
	struct samples *samples = user;
	uint64_t end = fabric->now + (uint64_t)samples->interval * FABRIC_TICK;

	for (unsigned int i = 0; i < SAMPLES; i++)
		samples->before[i] = value_now(fabric, samples, i);
	samples->status = SAMPLES_RUN;
	if (queue_call(&fabric->queue, end, stop_sampling, samples)) {
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
		samples->status = SAMPLES_DONE;
	}
}

static struct samples *samples_of(struct node *node)
{
	if (!node->samples)
		node->samples = calloc(1, sizeof(*node->samples));
	return node->samples;
}

static void take_over(struct samples *samples, const uint8_t *asked)
{
	uint8_t data[PMA_DATA_BYTES];

	memcpy(data, asked, sizeof(data));
	samples->start = mad_get_field(data, 0, IB_PSC_SAMPLE_START_F);
	samples->interval = mad_get_field(data, 0, IB_PSC_SAMPLE_INTVL_F);
	samples->tag = (uint16_t)mad_get_field(data, 0, IB_PSC_TAG_F);
	for (unsigned int i = 0; i < SAMPLES; i++)
		samples->select[i] = (uint16_t)mad_get_field(data, 0, IB_PSC_COUNTER_SEL0_F + i);
}

/*
 * start_samples obeys a Set of PortSamplesControl, which does nothing while samples are taken.
 * Returns 0 or -ENOMEM.
 */
static int start_samples(struct fabric *fabric, struct node *node, struct port *port,
			 const uint8_t *data)
{
	struct samples *samples = samples_of(node);
	uint32_t start;

	if (!samples)
		return -ENOMEM;
	if (samples->status != SAMPLES_DONE)
		return 0;
	start = mad_get_field((void *)(uintptr_t)data, 0, IB_PSC_SAMPLE_START_F);
	if (queue_call(&fabric->queue, fabric->now + (uint64_t)start * FABRIC_TICK, run_sampling,
		       samples))
		return -ENOMEM;
	take_over(samples, data);
	memset(samples->count, 0, sizeof(samples->count));
	samples->port = port;
	samples->status = SAMPLES_WAIT;
	return 0;
}

/* put_samples_control fills in the attribute, except for PortSelect, which stays. */
static void put_samples_control(const struct node *node, uint8_t *data)
{
	static const struct samples none;
	const struct samples *samples = node->samples ? node->samples : &none;
	uint32_t port = mad_get_field(data, 0, IB_PC_PORT_SELECT_F);

	memset(data, 0, PMA_DATA_BYTES);
	mad_set_field(data, 0, IB_PSC_PORT_SELECT_F, port);
	mad_set_field(data, 0, IB_PSC_TICK_F, TICK_VALUE);
	mad_set_field(data, 0, IB_PSC_COUNTER_WIDTH_F, WIDTH_32_BITS);
	mad_set_field(data, 0, IB_PSC_COUNTER_MASK0_F, MASK_0);
	mad_set_field(data, 0, IB_PSC_COUNTER_MASKS1TO9_F, MASKS_1_TO_9);
	mad_set_field(data, 0, IB_PSC_COUNTER_MASKS10TO14_F, MASKS_10_TO_14);
	mad_set_field(data, 0, IB_PSC_SAMPLE_STATUS_F, samples->status);
	mad_set_field64(data, 0, IB_PSC_OPTION_MASK_F, attribute_option_mask(node->type));
	mad_set_field(data, 0, IB_PSC_SAMPLE_START_F, samples->start);
	mad_set_field(data, 0, IB_PSC_SAMPLE_INTVL_F, samples->interval);
	mad_set_field(data, 0, IB_PSC_TAG_F, samples->tag);
	for (unsigned int i = 0; i < SAMPLES; i++)
		mad_set_field(data, 0, IB_PSC_COUNTER_SEL0_F + i, samples->select[i]);
}

static void put_samples_result(const struct node *node, uint8_t *data)
{
	const struct samples *samples = node->samples;

	memset(data, 0, PMA_DATA_BYTES);
	if (!samples)
		return;
	mad_set_field(data, 0, IB_PSR_TAG_F, samples->tag);
	mad_set_field(data, 0, IB_PSR_SAMPLE_STATUS_F, samples->status);
	for (unsigned int i = 0; i < SAMPLES; i++)
		mad_set_field(data, 0, IB_PSR_COUNTER0_F + i, (uint32_t)samples->count[i]);
}

static int samples_control(const struct agent_request *request, uint8_t method, uint8_t *data)
{
	struct ports ports;

	if (!select_ports(request, mad_get_field(data, 0, IB_PC_PORT_SELECT_F), &ports) ||
	    ports.count > 1)
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (method == IB_MAD_METHOD_SET &&
	    start_samples(request->fabric, request->node, ports.first, data))
		return -ENOMEM;
	put_samples_control(request->node, data);
	return 0;
}

static int samples_result(const struct agent_request *request, uint8_t method, uint8_t *data)
{
	if (method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	put_samples_result(request->node, data);
	return 0;
}

/* obey returns the status, or -ENOMEM. */
static int obey(const struct agent_request *request)
{
	uint8_t *mad = request->packet->mad, *data = mad + IB_PC_DATA_OFFS;
	uint16_t id = smp_get16(mad, SMP_ATTRIBUTE);
	uint8_t method = mad[SMP_METHOD];
	const struct attribute *attribute;

	if (mad[SMP_BASE_VERSION] != 1 || mad[SMP_CLASS_VERSION] != 1)
		return IB_MAD_STS_BAD_BASE_VER_OR_CLASS;
	if (method != IB_MAD_METHOD_GET && method != IB_MAD_METHOD_SET)
		return IB_MAD_STS_METHOD_NOT_SUPPORTED;
	attribute = attribute_find(id, request->node->type);
	if (!attribute && id != CLASS_PORT_INFO && id != IB_GSI_PORT_SAMPLES_CONTROL &&
	    id != IB_GSI_PORT_SAMPLES_RESULT)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (smp_get32(mad, SMP_MODIFIER))
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (attribute)
		return counters(request, attribute, method, data);
	if (id == CLASS_PORT_INFO)
		return class_port_info(request, method, data);
	if (id == IB_GSI_PORT_SAMPLES_CONTROL)
		return samples_control(request, method, data);
	return samples_result(request, method, data);
}

static bool is_for_manager(const uint8_t *mad)
{
	return mad[SMP_METHOD] == IB_MAD_METHOD_TRAP ||
	       mad[SMP_METHOD] == IB_MAD_METHOD_TRAP_REPRESS ||
	       mad[SMP_METHOD] == IB_MAD_METHOD_REPORT;
}

enum agent_result pma_answer(struct agent_request *request)
{
	uint8_t *mad = request->packet->mad;
	int status;

	if (is_for_manager(mad))
		return AGENT_PASSED;
	status = obey(request);
	if (status < 0) {
		request->drop = FABRIC_DROP_NO_MEMORY;
		return AGENT_DROPPED;
	}
	smp_set16(mad, SMP_STATUS, (uint16_t)status);
	mad[SMP_METHOD] = mad[SMP_METHOD] == IB_MAD_METHOD_SET ? IB_MAD_METHOD_GET_RESPONSE
							       : mad[SMP_METHOD] | IB_MAD_RESPONSE;
	return AGENT_ANSWERED;
}
