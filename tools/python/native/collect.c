/* SPDX-License-Identifier: BSD-2-Clause */
#include "collect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>
#include <madring/batch.h>
#include <madring/field.h>

#include "run.h"

#define NO_SLOT	    UINT32_MAX
#define REPLY_BYTES MADRING_MAD_BYTES

/* A request, from when it is added to its outcome. */
struct slot {
	uint64_t id;	/* for madring_cancel() */
	uint32_t next;	/* the next slot of the queue, or of the free ones */
	bool is_queued; /* not handed out yet */
	bool is_sent;	/* handed out, and without an outcome */
	bool is_canceled;
	struct collect_request request;
};

struct collection {
	struct madring *ring;
	struct madring_batch *batch;
	uint8_t mgmt_class;
	size_t data_offset;
	size_t payload_bytes;

	struct slot *slots;
	uint8_t *payloads; /* payload_bytes for each slot */
	uint32_t slot_count;
	uint32_t first_free;
	uint32_t first_queued, last_queued;
	size_t outstanding;

	struct collect_outcome *outcomes;
	uint8_t *replies;
	size_t count, room;
};

/* Takes the slot that was queued first out of the queue. */
static struct slot *take_queued_slot(struct collection *collection)
{
	struct slot *slot;

	if (collection->first_queued == NO_SLOT)
		return NULL;
	slot = &collection->slots[collection->first_queued];
	collection->first_queued = slot->next;
	slot->is_queued = false;
	return slot;
}

/* Writes what general management packets have, and SMPs do not: P_Key and GRH. */
static void address_packet(const struct collect_request *request, struct madring_mad *mad)
{
	struct madring_grh grh = {
		.flow_label = request->flow_label,
		.traffic_class = request->traffic_class,
		.hop_limit = request->hop_limit,
		.gid_index = request->gid_index,
	};

	madring_mad_set_pkey_index(mad, request->pkey_index);
	if (request->has_grh) {
		memcpy(grh.gid, request->gid, sizeof(grh.gid));
		madring_mad_set_grh(mad, &grh);
	}
}

/* Writes and addresses a request. Returns 0, or -EINVAL for a route that is too long. */
static int write_request(const struct collection *collection, const struct collect_request *request,
			 struct madring_mad *mad)
{
	int error = 0;

	switch (collection->mgmt_class) {
	case MADRING_CLASS_SMP_DIRECTED:
		error = madring_smp_dr_prepare(mad, request->path, request->hops, request->method,
					       request->attr_id, request->attr_mod);
		break;
	case MADRING_CLASS_SMP:
		madring_smp_prepare(mad, request->lid, request->method, request->attr_id,
				    request->attr_mod);
		break;
	case MADRING_CLASS_SA:
		madring_sa_prepare(mad, request->lid, request->sl, request->method,
				   request->attr_id, request->attr_mod, request->component_mask);
		break;
	default:
		madring_gmp_prepare(mad, request->lid, request->method, request->attr_id,
				    request->attr_mod);
		madring_mad_address(mad)->sl = request->sl;
	}
	if (!error && collection->mgmt_class != MADRING_CLASS_SMP &&
	    collection->mgmt_class != MADRING_CLASS_SMP_DIRECTED)
		address_packet(request, mad);
	return error;
}

/* Stores the outcome of a slot, and frees the slot. collect_add() has made room for it. */
static struct collect_outcome *store_outcome(struct collection *collection, struct slot *slot,
					     int status)
{
	struct collect_outcome *outcome = &collection->outcomes[collection->count++];

	*outcome = (struct collect_outcome){ .tag = slot->request.tag, .status = status };
	slot->is_sent = false;
	slot->next = collection->first_free;
	collection->first_free = (uint32_t)(slot - collection->slots);
	collection->outstanding--;
	return outcome;
}

/* Writes the next request of a collection that is not canceled (madring_batch_config.next). */
static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct collection *collection = user;
	struct slot *slot;

	(void)batch;
	while ((slot = take_queued_slot(collection))) {
		size_t index = (size_t)(slot - collection->slots);

		if (slot->is_canceled) {
			store_outcome(collection, slot, -ECANCELED);
			continue;
		}
		if (write_request(collection, &slot->request, mad)) {
			store_outcome(collection, slot, -EINVAL);
			continue;
		}
		if (collection->payload_bytes)
			memcpy((uint8_t *)madring_mad_data(mad) + collection->data_offset,
			       collection->payloads + index * collection->payload_bytes,
			       collection->payload_bytes);
		slot->is_sent = true;
		send->user = (void *)(uintptr_t)index;
		send->id = &slot->id;
		send->timeout_ms = slot->request.timeout_ms;
		send->retries = slot->request.retries;
		return 1;
	}
	return 0;
}

/* Copies a reply. One that is longer than a MAD gets memory of its own. */
static void copy_reply(const struct madring_completion *completion, struct collect_outcome *outcome,
		       uint8_t *reply)
{
	const void *data = madring_mad_data(completion->mad);
	size_t length = completion->length;
	void *whole;

	memcpy(reply, data, length < REPLY_BYTES ? length : REPLY_BYTES);
	outcome->length = (uint32_t)length;
	outcome->mad_status = madring_mad_status(completion->mad);
	if (length <= REPLY_BYTES)
		return;
	whole = malloc(length);
	if (!whole) {
		outcome->status = -ENOMEM;
		outcome->length = REPLY_BYTES;
		return;
	}
	memcpy(whole, data, length);
	outcome->long_reply = (uintptr_t)whole;
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct collection *collection = user;
	struct slot *slot = &collection->slots[(uintptr_t)completion->user];
	uint8_t *reply = collection->replies + collection->count * REPLY_BYTES;
	struct collect_outcome *outcome = store_outcome(collection, slot, completion->status);

	outcome->rtt_ns = completion->rtt_ns;
	outcome->attempts = (uint16_t)completion->attempts;
	if (completion->mad)
		copy_reply(completion, outcome, reply);
}

int collect_open(struct madring *ring, struct madring_agent *agent, uint8_t mgmt_class,
		 size_t data_offset, size_t payload_bytes, struct collection **collection)
{
	struct madring_batch_config config = { .next = next_request, .done = take_outcome };
	struct collection *new;
	int error;

	if (data_offset > REPLY_BYTES || payload_bytes > REPLY_BYTES - data_offset)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->ring = ring;
	new->mgmt_class = mgmt_class;
	new->data_offset = data_offset;
	new->payload_bytes = payload_bytes;
	new->first_free = NO_SLOT;
	new->first_queued = NO_SLOT;
	config.user = new;
	error = madring_batch_start(agent, &config, &new->batch);
	if (error) {
		free(new);
		return error;
	}
	*collection = new;
	return 0;
}

/* Makes the array at @array longer. Returns false without memory. */
static bool resize(void *array, size_t count, size_t bytes)
{
	void **place = array;
	void *longer;

	if (count == 0 || bytes == 0)
		return true;
	longer = reallocarray(*place, count, bytes);
	if (!longer)
		return false;
	*place = longer;
	return true;
}

/* Makes room for @count requests more, and for the outcomes of all. */
static int make_room(struct collection *collection, size_t count)
{
	size_t slots = collection->outstanding + count;
	size_t room = collection->count + slots;

	if (slots >= NO_SLOT / 2)
		return -ENOMEM;
	if (room > collection->room) {
		room += room / 2;
		if (!resize(&collection->outcomes, room, sizeof(*collection->outcomes)) ||
		    !resize(&collection->replies, room, REPLY_BYTES))
			return -ENOMEM;
		collection->room = room;
	}
	if (slots <= collection->slot_count)
		return 0;
	slots += slots / 2;
	if (!resize(&collection->slots, slots, sizeof(*collection->slots)) ||
	    !resize(&collection->payloads, slots, collection->payload_bytes))
		return -ENOMEM;
	for (; collection->slot_count < slots; collection->slot_count++) {
		collection->slots[collection->slot_count] =
			(struct slot){ .next = collection->first_free };
		collection->first_free = collection->slot_count;
	}
	return 0;
}

/* Appends a request to the queue. */
static void queue_request(struct collection *collection, const struct collect_request *request,
			  const uint8_t *payload)
{
	uint32_t index = collection->first_free;
	struct slot *slot = &collection->slots[index];
	uint8_t *copy;

	collection->first_free = slot->next;
	*slot = (struct slot){ .next = NO_SLOT, .is_queued = true, .request = *request };
	if (collection->payload_bytes) {
		copy = collection->payloads + index * collection->payload_bytes;
		if (payload)
			memcpy(copy, payload, collection->payload_bytes);
		else
			memset(copy, 0, collection->payload_bytes);
	}
	if (collection->first_queued == NO_SLOT)
		collection->first_queued = index;
	else
		collection->slots[collection->last_queued].next = index;
	collection->last_queued = index;
	collection->outstanding++;
}

/* Returns whether the batch hands out nothing any more. */
static bool batch_is_stopped(const struct collection *collection)
{
	struct madring_batch_state state;

	madring_batch_get_state(collection->batch, &state);
	return state.canceled || state.error;
}

int collect_add(struct collection *collection, const void *requests, size_t count,
		const uint8_t *payloads, size_t payload_step)
{
	const struct collect_request *request = requests;
	int error;

	if (batch_is_stopped(collection))
		return -ESHUTDOWN;
	error = make_room(collection, count);
	if (error)
		return error;
	for (size_t i = 0; i < count; i++)
		queue_request(collection, &request[i],
			      payloads ? payloads + i * payload_step : NULL);
	madring_batch_more(collection->batch);
	return 0;
}

size_t collect_outstanding(const struct collection *collection)
{
	return collection->outstanding;
}

size_t collect_count(const struct collection *collection)
{
	return collection->count;
}

const void *collect_outcomes(const struct collection *collection)
{
	return collection->outcomes;
}

const uint8_t *collect_replies(const struct collection *collection)
{
	return collection->replies;
}

void collect_taken(struct collection *collection)
{
	for (size_t i = 0; i < collection->count; i++)
		free((void *)(uintptr_t)collection->outcomes[i].long_reply);
	collection->count = 0;
}

void collect_settle(struct collection *collection)
{
	struct madring_batch_state state;
	struct slot *slot;

	madring_batch_get_state(collection->batch, &state);
	if (!state.canceled && !state.error)
		return;
	while ((slot = take_queued_slot(collection)))
		store_outcome(collection, slot, state.error ? state.error : -ECANCELED);
}

void collect_fields(const struct collection *collection, size_t data_offset,
		    const struct madring_field *const *fields, size_t field_count, uint64_t *values,
		    size_t rows)
{
	for (size_t i = 0; i < collection->count; i++) {
		const struct collect_outcome *outcome = &collection->outcomes[i];
		const uint8_t *attribute = collection->replies + i * REPLY_BYTES + data_offset;

		if (outcome->status || outcome->mad_status || outcome->tag >= rows ||
		    outcome->length < REPLY_BYTES)
			continue;
		for (size_t k = 0; k < field_count; k++)
			values[outcome->tag * field_count + k] =
				madring_field_get(fields[k], attribute);
	}
}

void collect_numbers(const struct madring_field *const *fields, size_t count, const void *attribute,
		     uint64_t *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] = madring_field_get(fields[i], attribute);
}

int collect_run(struct collection *collection, size_t enough, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;
	unsigned int idle = 0;

	while (collection->outstanding && collection->count < enough) {
		int64_t left = end - now_ms();
		int called;

		if (left <= 0)
			return 0;
		called = madring_run(collection->ring, (int)left);
		if (called < 0)
			return called;
		collect_settle(collection);
		/* With nothing outstanding in the ring, madring_run() returns at once. */
		if (called || madring_outstanding(collection->ring))
			idle = 0;
		else if (++idle > 2)
			return -ENOBUFS;
	}
	return 0;
}

uint32_t collect_last_added(const struct collection *collection)
{
	return collection->last_queued;
}

void collect_cancel(struct collection *collection, uint32_t place, uint64_t tag)
{
	struct slot *slot;

	if (place >= collection->slot_count)
		return;
	slot = &collection->slots[place];
	if (slot->request.tag != tag || !(slot->is_queued || slot->is_sent))
		return;
	slot->is_canceled = true;
	if (slot->is_sent)
		madring_cancel(collection->ring, slot->id);
	madring_batch_more(collection->batch);
}

int collect_close(struct collection *collection)
{
	int error = madring_batch_end(collection->batch);

	if (error)
		return error;
	collect_taken(collection);
	free(collection->outcomes);
	free(collection->replies);
	free(collection->slots);
	free(collection->payloads);
	free(collection);
	return 0;
}
