/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/pma/counter_attribute.h"
#include "fabric/pma/samples.h"
#include "fabric/port_counters.h"

#define SAMPLES 15

/* A tick is so many symbol times of 4 ns, less one. */
#define TICK_VALUE (FABRIC_TICK / 4 - 1)

#define WIDTH_32_BITS 4

/* Three bits for each counter; here, all count the mandatory quantities, and nothing else. */
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

/* What a CounterSelect stands for: 0x0001 and up. */
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

static void stop(struct fabric *fabric, void *user)
{
	struct samples *samples = user;

	for (unsigned int i = 0; i < SAMPLES; i++) {
		uint64_t count = value_now(fabric, samples, i) - samples->before[i];

		samples->count[i] = count < UINT32_MAX ? count : UINT32_MAX;
	}
	samples->status = SAMPLES_DONE;
}

static void run(struct fabric *fabric, void *user)
{
	struct samples *samples = user;
	uint64_t end = fabric->now + (uint64_t)samples->interval * FABRIC_TICK;

	for (unsigned int i = 0; i < SAMPLES; i++)
		samples->before[i] = value_now(fabric, samples, i);
	samples->status = SAMPLES_RUN;
	if (queue_call(&fabric->queue, end, stop, samples)) {
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

int samples_start(struct fabric *fabric, struct node *node, struct port *port, const uint8_t *data)
{
	struct samples *samples = samples_of(node);
	uint32_t start;

	if (!samples)
		return -ENOMEM;
	if (samples->status != SAMPLES_DONE)
		return 0;
	start = mad_get_field((void *)(uintptr_t)data, 0, IB_PSC_SAMPLE_START_F);
	if (queue_call(&fabric->queue, fabric->now + (uint64_t)start * FABRIC_TICK, run, samples))
		return -ENOMEM;
	take_over(samples, data);
	memset(samples->count, 0, sizeof(samples->count));
	samples->port = port;
	samples->status = SAMPLES_WAIT;
	return 0;
}

void samples_control_data(const struct node *node, uint8_t *data)
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

void samples_result_data(const struct node *node, uint8_t *data)
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
