/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets: what the user calls them, their addresses, and the outcomes of the requests to them. */
#ifndef PING_TARGET_H
#define PING_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/fabric.h>

#define TARGET_NAME_BYTES 256
#define TARGET_LAST_LID	  0xbfffu /* the last unicast LID */

/* A directed route, as in struct madring_node. */
struct target_route {
	uint8_t hops;
	uint8_t port[MADRING_MAX_HOPS + 1];
};

enum target_type {
	TARGET_LID,
	TARGET_GUID,
	TARGET_GID,
	TARGET_ROUTE,
};

struct target {
	enum target_type type; /* as it was named */
	char name[TARGET_NAME_BYTES];
	uint64_t guid;
	uint64_t m_key; /* of SMPs to it */
	uint8_t gid[16];

	/* The address is .route if .by_route, else the fields below it. */
	bool by_route;
	struct target_route route;
	uint16_t lid;
	uint8_t sl;
	bool global; /* with a GRH, to .gid */
	uint8_t hop_limit;

	uint64_t sent, answered, refused, lost;
	uint64_t disturbed;   /* of those answered: this host was late, see processor.h */
	uint64_t lost_last;   /* those lost after the last that had a reply */
	uint64_t after_reply; /* the number after the highest that had a reply */
	uint64_t min_ns, max_ns, sum_ns; /* of those answered */
};

struct targets {
	struct target *list;
	size_t count, room;
};

/*
 * Reads what a user may call a target: a LID (5, 0x1f), a GUID (0x and more than four digits),
 * a GID (with colons), or a directed route (0, or 0,1,2). Returns NULL, or what is wrong.
 */
const char *target_read(struct target *target, const char *text);

/* Reads a GUID, with any number of digits. Returns as target_read(). */
const char *target_read_guid(struct target *target, const char *text);

/* These count the outcome of a request to the target, by the request's number, from 0. */
void target_count_answer(struct target *target, uint64_t number, uint64_t delay_ns);
void target_count_refusal(struct target *target, uint64_t number);
void target_count_loss(struct target *target, uint64_t number);

/*
 * `target_is_silent` tells whether the target answered nothing well, or has ceased to reply: its
 * last three requests, or more, were lost.
 */
bool target_is_silent(const struct target *target);

/* Adds a copy of a target, and returns it. The copy moves when more are added. */
struct target *targets_add(struct targets *targets, const struct target *target);
void targets_free(struct targets *targets);

/*
 * Reads a file of targets, one a line, with comments behind #; "-" is standard input. Returns 0,
 * or -1 with a message written.
 */
int targets_read_file(struct targets *targets, const char *path);

#endif
