/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_state.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "model_fail.h"
#include "model/common/must_alloc.h"
#include "network.h"
#include "model_scenario.h"
#include "virtual_clock.h"

#define MIN_WRITE_BYTES 36 /* with the header of RMPP */

struct kernel kernel;

void kernel_open(const struct scenario *scenario)
{
	kernel = (struct kernel){ .scenario = scenario, .free = NONE };
	memset(kernel.bucket, 0xff, sizeof(kernel.bucket));
}

static void free_messages(struct message *message)
{
	while (message) {
		struct message *next = message->next;

		free(message);
		message = next;
	}
}

void kernel_close(void)
{
	for (unsigned int i = 0; i < KERNEL_FILES; i++)
		expect(!kernel.file[i].open, "umad file %u has not been closed", i);
	expect(!kernel.duplicates, "%u requests were written with a TID that was in use",
	       kernel.duplicates);
	free(kernel.waiting);
	agenda_free(&kernel.timers);
	free_messages(kernel.spare);
	kernel.spare = NULL;
}

uint64_t kernel_written(void)
{
	return kernel.written;
}

uint64_t kernel_dropped(void)
{
	return kernel.dropped;
}

bool kernel_is_gone(void)
{
	return kernel.gone;
}

struct file *file_of(int fd)
{
	unsigned int number = (unsigned int)(fd - KERNEL_FIRST_FD);

	expect(number < KERNEL_FILES && kernel.file[number].open, "%d is no open umad file", fd);
	return &kernel.file[number];
}

int kernel_file_open(unsigned int host)
{
	if (kernel.gone)
		return -ENODEV;
	for (unsigned int i = 0; i < KERNEL_FILES; i++) {
		struct file *file = &kernel.file[i];

		if (file->open)
			continue;
		*file = (struct file){ .open = true, .host = host };
		file->last = &file->first;
		return KERNEL_FIRST_FD + (int)i;
	}
	return -EMFILE;
}

static void drop_queue(struct file *file)
{
	*file->last = kernel.spare;
	kernel.spare = file->first;
	file->first = NULL;
	file->last = &file->first;
	file->queued = 0;
}

void kernel_file_close(int fd)
{
	struct file *file = file_of(fd);

	drop_all_waiting((unsigned int)(file - kernel.file), NONE);
	drop_queue(file);
	for (unsigned int id = 0; id < KERNEL_AGENTS; id++)
		free(file->agent[id].backlog);
	file->open = false;
}

static void fill_packet(struct fabric_packet *packet, const struct agent *agent,
			const struct ib_user_mad *umad, size_t bytes)
{
	uint32_t high = htobe32(agent->tid_high);

	/* The fabric fills in the source LID. */
	*packet = (struct fabric_packet){
		.dlid = be16toh(umad->addr.lid),
		.sqp = !is_smp(agent->registration.mgmt_class),
		.dqp = be32toh(umad->addr.qpn),
		.sl = umad->addr.sl & 0xf,
	};
	memcpy(packet->mad, umad->data, bytes - sizeof(*umad));
	if (!is_response(packet->mad))
		memcpy(packet->mad + 8, &high, sizeof(high));
}

int kernel_write(int fd, const struct ib_user_mad *umad, size_t bytes)
{
	const struct file *file = file_of(fd);
	struct fabric_packet packet;

	if (kernel.gone || !kernel_has_agent(fd, umad->agent_id))
		return -EIO;
	if (bytes < sizeof(*umad) + MIN_WRITE_BYTES || bytes > sizeof(*umad) + MAD_BYTES)
		return -EINVAL;
	fill_packet(&packet, &file->agent[umad->agent_id], umad, bytes);
	if (umad->timeout_ms && find_waiting(tid_of(packet.mad), packet.mad[1])) {
		kernel.duplicates++;
		return -EINVAL;
	}
	kernel.written++;
	if (umad->timeout_ms)
		send_request(fd, umad, &packet);
	else
		network_send(file->host, &packet);
	return 0;
}

struct message *push_message(struct file *file)
{
	struct message *message = kernel.spare;

	if (message)
		kernel.spare = message->next;
	else
		message = must_alloc(sizeof(*message));
	message->next = NULL;
	*file->last = message;
	file->last = &message->next;
	file->queued++;
	return message;
}

static void deliver(struct file *file, uint32_t agent_id, const struct fabric_packet *packet)
{
	struct message *message;

	if (file->queued >= kernel.scenario->kernel.receive_queue) {
		kernel.dropped++;
		return;
	}
	message = push_message(file);
	message->bytes = sizeof(message->umad) + MAD_BYTES;
	memset(&message->umad, 0, sizeof(message->umad));
	message->umad.agent_id = agent_id;
	message->umad.length = (uint32_t)message->bytes;
	message->umad.addr.qpn = htobe32(packet->sqp);
	message->umad.addr.lid = htobe16(packet->slid);
	message->umad.addr.sl = packet->sl;
	memcpy(message->mad, packet->mad, MAD_BYTES);
}

static void receive_response(unsigned int host, const struct fabric_packet *packet)
{
	struct waiting *waiting = find_waiting(tid_of(packet->mad), packet->mad[1]);

	if (!waiting || kernel.file[waiting->file].host != host)
		return;
	deliver(&kernel.file[waiting->file], waiting->umad.agent_id, packet);
	drop_waiting(waiting);
	send_backlog(sender_of(waiting));
}

static void receive_request(unsigned int host, const struct fabric_packet *packet)
{
	for (unsigned int i = 0; i < KERNEL_FILES; i++)
		for (uint32_t id = 0; kernel.file[i].open && id < KERNEL_AGENTS; id++)
			if (kernel.file[i].host == host &&
			    agent_takes(&kernel.file[i].agent[id], packet->mad)) {
				deliver(&kernel.file[i], id, packet);
				return;
			}
}

static void receive(unsigned int host, const struct fabric_packet *packet)
{
	if (packet->mad[0] != 1 || is_smp(packet->mad[1]) != !packet->dqp)
		return;
	if (is_response(packet->mad))
		receive_response(host, packet);
	else
		receive_request(host, packet);
}

/* Unplugs the device. Programs never hear of the requests that wait. */
static void unplug(void)
{
	trace("the device is unplugged");
	kernel.gone = true;
	for (unsigned int i = 0; i < KERNEL_FILES; i++)
		if (kernel.file[i].open) {
			drop_all_waiting(i, NONE);
			drop_queue(&kernel.file[i]);
		}
}

static uint64_t unplug_time(void)
{
	uint64_t at = kernel.scenario->fabric.unplug_at;

	return at == SCENARIO_NEVER || kernel.gone ? UINT64_MAX : VIRTUAL_START + at;
}

void kernel_run(void)
{
	struct fabric_packet packet;
	struct agenda_item item;
	unsigned int host;

	while (network_receive(&host, &packet))
		if (!kernel.gone)
			receive(host, &packet);
	while (agenda_take(&kernel.timers, virtual_now(), &item))
		expire_waiting(item.tag);
	if (unplug_time() <= virtual_now())
		unplug();
}

uint64_t kernel_next_event(void)
{
	const struct agenda_item *timer = agenda_first(&kernel.timers);
	uint64_t next = network_next_event();

	if (timer && timer->time < next)
		next = timer->time;
	return unplug_time() < next ? unplug_time() : next;
}

bool kernel_is_readable(int fd)
{
	return file_of(fd)->queued;
}

ssize_t kernel_read(int fd, struct ib_user_mad *umad, size_t room)
{
	struct file *file = file_of(fd);
	struct message *message = file->first;
	size_t bytes;

	if (kernel.gone)
		return -EIO;
	if (!message)
		return -EAGAIN;
	bytes = message->bytes;
	expect(bytes <= room, "a read of %zu bytes for a message of %zu", room, bytes);
	memcpy(umad, &message->umad, sizeof(*umad));
	memcpy(umad->data, message->mad, bytes - sizeof(*umad));
	file->first = message->next;
	if (!file->first)
		file->last = &file->first;
	file->queued--;
	message->next = kernel.spare;
	kernel.spare = message;
	return (ssize_t)bytes;
}
