/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/endpoint.h"
#include "fabric/fabric.h"

/* forget_before_restart empties an endpoint whose node has been off. */
static void forget_before_restart(struct endpoint *endpoint)
{
	uint32_t starts = endpoint->place.node->starts;

	if (endpoint->node_starts == starts)
		return;
	endpoint->node_starts = starts;
	endpoint->waiting_of[0] = 0;
	endpoint->waiting_of[1] = 0;
	endpoint->kernel.free_at = 0;
}

bool endpoint_has_wait(const struct fabric *fabric, const struct endpoint *endpoint)
{
	if (fabric->model.local_service || endpoint->kernel.free_at > fabric->now)
		return true;
	/* The event of a MAD that waits until now may be due, and none must overtake it. */
	return endpoint->waiting_of[0] || endpoint->waiting_of[1];
}

bool endpoint_has_room(const struct fabric *fabric, struct endpoint *endpoint, unsigned int qp,
		       enum fabric_drop *cause)
{
	const struct fabric_model *model = &fabric->model;
	uint32_t waiting;

	forget_before_restart(endpoint);
	waiting = endpoint->waiting_of[qp];
	*cause = FABRIC_DROP_LOCAL_VL15;
	if (!qp && model->local_vl15 && (waiting + 1ull) * VL15_SMP_BYTES > model->local_vl15)
		return false;
	*cause = FABRIC_DROP_LOCAL_RECEIVE;
	return !model->local_receive_buffers || waiting < model->local_receive_buffers;
}

uint64_t endpoint_add(const struct fabric *fabric, struct endpoint *endpoint, unsigned int qp)
{
	endpoint->waiting_of[qp]++;
	return worker_take(fabric, &endpoint->kernel, fabric->model.local_service);
}

void endpoint_remove(struct endpoint *endpoint, unsigned int qp)
{
	endpoint->waiting_of[qp]--;
}

void endpoints_pause(struct fabric *fabric, const struct node *node, uint64_t ns)
{
	for (int i = 0; i < fabric->endpoint_count; i++) {
		struct endpoint *endpoint = &fabric->endpoints[i];

		if (endpoint->place.node != node)
			continue;
		forget_before_restart(endpoint);
		worker_delay(fabric, &endpoint->kernel, ns);
	}
}

void endpoints_work(const struct fabric *fabric, const struct node *node, struct fabric_work *work)
{
	for (int i = 0; i < fabric->endpoint_count; i++) {
		const struct endpoint *endpoint = &fabric->endpoints[i];

		if (endpoint->place.node != node)
			continue;
		work->taken += endpoint->kernel.done;
		if (endpoint->kernel.busy > work->kernel_busy)
			work->kernel_busy = endpoint->kernel.busy;
	}
}
