/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "mad.h"
#include "requests.h"

#define BLOCK_REQUESTS	1024
#define INITIAL_BUCKETS 4096

struct request_block {
	struct request_block *next;
	struct request request[BLOCK_REQUESTS];
};

static struct request **bucket_of(const struct requests *requests, uint64_t tid, uint8_t mgmt_class)
{
	uint64_t hash = (be64toh(tid) ^ (uint64_t)mgmt_class << 24) * UINT64_C(0x9e3779b97f4a7c15);

	return &requests->bucket[(hash >> 32) & (requests->bucket_count - 1)];
}

static void hash_insert(struct requests *requests, struct request *request)
{
	struct request **bucket;

	bucket = bucket_of(requests, request->tid, mad_class(request->packet.mad));
	request->hash_next = *bucket;
	if (request->hash_next)
		request->hash_next->hash_link = &request->hash_next;
	request->hash_link = bucket;
	*bucket = request;
}

/* Without memory for a larger table the old one goes on, with longer chains. */
static void grow_table(struct requests *requests)
{
	size_t old_count = requests->bucket_count, i;
	struct request **old = requests->bucket, *request, *next, **grown;

	grown = calloc(old_count * 2, sizeof(struct request *));
	if (!grown)
		return;
	requests->bucket = grown;
	requests->bucket_count = old_count * 2;
	for (i = 0; i < old_count; i++) {
		for (request = old[i]; request; request = next) {
			next = request->hash_next;
			hash_insert(requests, request);
		}
	}
	free(old);
}

static bool grow_pool(struct requests *requests)
{
	struct request_block *block = malloc(sizeof(*block));
	size_t i;

	if (!block)
		return false;
	block->next = requests->blocks;
	requests->blocks = block;
	for (i = 0; i < BLOCK_REQUESTS; i++) {
		block->request[i].hash_next = requests->unused;
		requests->unused = &block->request[i];
	}
	return true;
}

int requests_open(struct requests *requests)
{
	memset(requests, 0, sizeof(*requests));
	requests->bucket = calloc(INITIAL_BUCKETS, sizeof(struct request *));
	if (!requests->bucket)
		return -ENOMEM;
	requests->bucket_count = INITIAL_BUCKETS;
	return 0;
}

void requests_close(struct requests *requests)
{
	struct request_block *block;

	while ((block = requests->blocks)) {
		requests->blocks = block->next;
		free(block);
	}
	free(requests->bucket);
	requests->bucket = NULL;
}

struct request *requests_add(struct requests *requests, struct agent *agent,
			     const struct fabric_packet *packet)
{
	struct request *request;

	if (!requests->unused && !grow_pool(requests))
		return NULL;
	if (requests->count >= requests->bucket_count)
		grow_table(requests);
	request = requests->unused;
	requests->unused = request->hash_next;

	request->timer.link = NULL;
	request->agent = agent;
	request->tid = mad_tid(packet->mad);
	request->packet = *packet;
	hash_insert(requests, request);
	request->agent_next = agent->requests;
	if (request->agent_next)
		request->agent_next->agent_link = &request->agent_next;
	request->agent_link = &agent->requests;
	agent->requests = request;
	if (++requests->count > requests->peak)
		requests->peak = requests->count;
	return request;
}

struct request *requests_find(const struct requests *requests, uint64_t tid, uint8_t mgmt_class)
{
	struct request *request = *bucket_of(requests, tid, mgmt_class);

	while (request && (request->tid != tid || mad_class(request->packet.mad) != mgmt_class))
		request = request->hash_next;
	return request;
}

void requests_remove(struct requests *requests, struct request *request)
{
	*request->hash_link = request->hash_next;
	if (request->hash_next)
		request->hash_next->hash_link = request->hash_link;
	*request->agent_link = request->agent_next;
	if (request->agent_next)
		request->agent_next->agent_link = request->agent_link;
	request->hash_next = requests->unused;
	requests->unused = request;
	requests->count--;
}
