/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries requests from Python and outcomes to it in arrays, so that no Python code runs for a
 * single MAD. A collection is a madring_batch whose requests Python adds, many at a time, and whose
 * outcomes wait in arrays until Python takes them, many at a time.
 */
#ifndef MADRING_PYTHON_COLLECT_H
#define MADRING_PYTHON_COLLECT_H

#include <stddef.h>
#include <stdint.h>

struct madring;
struct madring_agent;
struct madring_field;

/* Describes a request. Python packs it as madring/_collection.py says. */
struct collect_request {
	uint64_t tag;		 /* comes back in the outcome */
	uint64_t component_mask; /* of subnet administration */
	uint32_t attr_mod;
	int32_t timeout_ms; /* as in struct madring_send_options */
	int32_t retries;
	uint16_t attr_id;
	uint16_t lid;
	uint8_t method;
	uint8_t sl;
	uint8_t hops; /* of a directed route */
	uint8_t has_grh;
	uint8_t path[64];
	/* The GRH, as in struct madring_grh. */
	uint32_t flow_label;
	uint8_t gid[16];
	uint16_t pkey_index; /* of general management packets */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t gid_index;
	uint8_t reserved[3];
};

/* Describes an outcome. Python unpacks it as "=QQQiIHH". */
struct collect_outcome {
	uint64_t tag;
	uint64_t rtt_ns;
	/* The whole reply if it is longer than 256 bytes, else 0; freed by collect_taken(). */
	uint64_t long_reply;
	int32_t status;	 /* of the completion */
	uint32_t length; /* bytes of the reply */
	uint16_t mad_status;
	uint16_t attempts;
};

struct collection;

/*
 * Starts a collection. @payload_bytes: how many bytes each request brings. @data_offset: where they
 * are written in the MAD. Returns 0, -ENOMEM, or an error of madring_batch_start().
 */
int collect_open(struct madring *ring, struct madring_agent *agent, uint8_t mgmt_class,
		 size_t data_offset, size_t payload_bytes, struct collection **collection);

/*
 * Adds requests, and makes room for their outcomes. @requests: struct collect_request. @payloads:
 * that of request i is at i * @payload_step; NULL: zeros. Copies everything. Returns 0, -ENOMEM, or
 * -ESHUTDOWN after the batch was stopped.
 */
int collect_add(struct collection *collection, const void *requests, size_t count,
		const uint8_t *payloads, size_t payload_step);

/* Returns how many requests have no outcome yet. */
size_t collect_outstanding(const struct collection *collection);

/*
 * Returns how many outcomes wait to be taken, and where they (struct collect_outcome) and the first
 * 256 bytes of each reply are, until collect_add() or collect_taken() is called.
 */
size_t collect_count(const struct collection *collection);
const void *collect_outcomes(const struct collection *collection);
const uint8_t *collect_replies(const struct collection *collection);

/* Drops the outcomes, which Python has taken. */
void collect_taken(struct collection *collection);

/*
 * Reads fields of the replies that wait to be taken: field k of the reply to tag t becomes
 * @values[t * @field_count + k]. A request without a good reply, or with a tag from @rows on, has
 * none. @data_offset: of the attribute in the MAD.
 */
void collect_fields(const struct collection *collection, size_t data_offset,
		    const struct madring_field *const *fields, size_t field_count, uint64_t *values,
		    size_t rows);

/* Reads @count fields of an attribute into @values. */
void collect_numbers(const struct madring_field *const *fields, size_t count, const void *attribute,
		     uint64_t *values);

/*
 * Runs the ring until @enough outcomes wait, nothing is outstanding, or @timeout_ms have passed.
 * Returns 0, -ENOBUFS when no buffer is left for the requests, or an error of madring_run().
 */
int collect_run(struct collection *collection, size_t enough, int timeout_ms);

/* Gives outcomes to the requests that a stopped batch, as after the agent was closed, left over. */
void collect_settle(struct collection *collection);

/* Returns the place of the request that was added last, for collect_cancel(). */
uint32_t collect_last_added(const struct collection *collection);

/*
 * Cancels the request with this place and tag, unless it has its outcome already: this will be
 * -ECANCELED. A place is used again; tags must differ.
 */
void collect_cancel(struct collection *collection, uint32_t place, uint64_t tag);

/*
 * Ends the batch, with its requests, and frees the collection. Returns an error of
 * madring_batch_end(), after which nothing is freed.
 */
int collect_close(struct collection *collection);

#endif
