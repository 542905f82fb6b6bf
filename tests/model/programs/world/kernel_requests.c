/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that wait for their replies or in their agent's backlog, and their timeouts. */
#include "kernel_state.h"

#include <errno.h>
#include <stdlib.h>

#include "model_fail.h"
#include "model/common/must_alloc.h"
#include "network.h"
#include "model_scenario.h"
#include "virtual_clock.h"

#define MAD_HEADER_BYTES 24
#define NS_PER_MS	 1000000u

static uint32_t *bucket_of(uint64_t tid, uint8_t mgmt_class)
{
	uint64_t hash = (tid ^ mgmt_class) * 0x9e3779b97f4a7c15u;

	return &kernel.bucket[hash >> 51];
}

struct waiting *find_waiting(uint64_t tid, uint8_t mgmt_class)
{
	uint32_t at = *bucket_of(tid, mgmt_class);

	while (at != NONE &&
	       (kernel.waiting[at].tid != tid || kernel.waiting[at].mgmt_class != mgmt_class))
		at = kernel.waiting[at].next;
	return at == NONE ? NULL : &kernel.waiting[at];
}

static void grow(void)
{
	uint32_t room = kernel.room ? 2 * kernel.room : 256;

	kernel.waiting = must_realloc(kernel.waiting, room * sizeof(*kernel.waiting));
	memset(kernel.waiting + kernel.room, 0, (room - kernel.room) * sizeof(*kernel.waiting));
	while (kernel.room < room) {
		kernel.waiting[kernel.room].next = kernel.free;
		kernel.free = kernel.room++;
	}
}

static struct waiting *take_waiting(uint64_t tid, uint8_t mgmt_class)
{
	uint32_t *bucket = bucket_of(tid, mgmt_class);
	struct waiting *waiting;

	if (kernel.free == NONE)
		grow();
	waiting = &kernel.waiting[kernel.free];
	waiting->tid = tid;
	waiting->mgmt_class = mgmt_class;
	waiting->used = true;
	waiting->serial++;
	kernel.free = waiting->next;
	waiting->next = *bucket;
	*bucket = (uint32_t)(waiting - kernel.waiting);
	return waiting;
}

struct agent *sender_of(const struct waiting *waiting)
{
	return &kernel.file[waiting->file].agent[waiting->umad.agent_id];
}

void drop_waiting(struct waiting *waiting)
{
	uint32_t number = (uint32_t)(waiting - kernel.waiting);
	uint32_t *at = bucket_of(waiting->tid, waiting->mgmt_class);

	while (*at != number)
		at = &kernel.waiting[*at].next;
	*at = waiting->next;
	sender_of(waiting)->sent -= waiting->sent;
	waiting->used = false;
	waiting->next = kernel.free;
	kernel.free = number;
}

void drop_all_waiting(unsigned int file, uint32_t agent_id)
{
	for (uint32_t i = 0; i < kernel.room; i++) {
		struct waiting *waiting = &kernel.waiting[i];

		if (waiting->used && waiting->file == file &&
		    (agent_id == NONE || waiting->umad.agent_id == agent_id))
			drop_waiting(waiting);
	}
}

static void start_timer(struct waiting *waiting)
{
	uint32_t ms = waiting->umad.timeout_ms;

	/* A negative timeout is none. */
	if ((int32_t)ms > 0)
		agenda_put(&kernel.timers, virtual_now() + (uint64_t)ms * NS_PER_MS, NULL,
			   (uint64_t)waiting->serial << 32 | (uint32_t)(waiting - kernel.waiting));
}

static void send_waiting(struct waiting *waiting)
{
	waiting->sent = true;
	sender_of(waiting)->sent++;
	start_timer(waiting);
	network_send(kernel.file[waiting->file].host, &waiting->packet);
}

/*
 * Returns how many requests of an agent are sent at once; 0: any. An agent for the SA has an eighth
 * of what one for SMPs has.
 */
static uint32_t most_sent(uint8_t mgmt_class)
{
	uint32_t most = kernel.scenario->kernel.most_sent;

	if (is_smp(mgmt_class))
		return most;
	return mgmt_class == CLASS_SA ? (most + 7) / 8 : 0;
}

static bool has_to_wait(const struct agent *agent)
{
	uint32_t most = most_sent(agent->registration.mgmt_class);

	return most && agent->sent >= most;
}

uint32_t kernel_known_limit(uint8_t mgmt_class)
{
	return kernel.scenario->kernel.is_limit_known ? most_sent(mgmt_class) : 0;
}

static void hold_back(struct agent *agent, const struct waiting *waiting)
{
	if (agent->backlog_count == agent->backlog_room) {
		agent->backlog_room = agent->backlog_room ? 2 * agent->backlog_room : 64;
		agent->backlog =
			must_realloc(agent->backlog, agent->backlog_room * sizeof(*agent->backlog));
	}
	agent->backlog[agent->backlog_count++] = (struct ticket){
		.number = (uint32_t)(waiting - kernel.waiting),
		.serial = waiting->serial,
	};
}

void send_backlog(struct agent *agent)
{
	while (agent->backlog_first < agent->backlog_count && !has_to_wait(agent)) {
		struct ticket ticket = agent->backlog[agent->backlog_first++];
		struct waiting *waiting = &kernel.waiting[ticket.number];

		if (waiting->used && waiting->serial == ticket.serial)
			send_waiting(waiting);
	}
	if (agent->backlog_first == agent->backlog_count)
		agent->backlog_first = agent->backlog_count = 0;
}

void send_request(int fd, const struct ib_user_mad *umad, const struct fabric_packet *packet)
{
	struct agent *agent = &file_of(fd)->agent[umad->agent_id];
	struct waiting *waiting = take_waiting(tid_of(packet->mad), packet->mad[1]);

	waiting->file = (unsigned int)(fd - KERNEL_FIRST_FD);
	waiting->retries = umad->retries;
	waiting->sent = false;
	memcpy(&waiting->umad, umad, sizeof(*umad));
	waiting->packet = *packet;
	if (has_to_wait(agent)) {
		expect(!kernel_known_limit(agent->registration.mgmt_class),
		       "a request was written that the kernel had no room for");
		hold_back(agent, waiting);
	} else {
		send_waiting(waiting);
	}
}

/* Gives the program its request back, cut to the header, with the status ETIMEDOUT. */
static void notice(const struct waiting *waiting)
{
	struct message *message = push_message(&kernel.file[waiting->file]);

	message->bytes = sizeof(message->umad) + MAD_HEADER_BYTES;
	memcpy(&message->umad, &waiting->umad, sizeof(message->umad));
	message->umad.status = ETIMEDOUT;
	message->umad.length = 0;
	memcpy(message->mad, waiting->packet.mad, MAD_HEADER_BYTES);
}

void expire_waiting(uint64_t tag)
{
	struct waiting *waiting = &kernel.waiting[(uint32_t)tag];

	if (!waiting->used || waiting->serial != tag >> 32)
		return;
	if (waiting->retries) {
		waiting->retries--;
		start_timer(waiting);
		network_send(kernel.file[waiting->file].host, &waiting->packet);
		return;
	}
	notice(waiting);
	drop_waiting(waiting);
	send_backlog(sender_of(waiting));
}
