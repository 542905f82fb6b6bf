/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets from the kernel: reports of writes, and every kind of MAD, true or false. */
#ifndef SIMULATION_PACKET_H
#define SIMULATION_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "deferral.h"
#include "engine_world.h"

enum packet_kind {
	PACKET_WRITE_REPORT, /* of .about's last write, with .error */
	PACKET_REPLY,	     /* a true one, perhaps late or a duplicate */
	PACKET_FORGED,	     /* one thing in it is not as in the true reply */
	PACKET_TRUNCATED,
	PACKET_GARBAGE,
	PACKET_NOTICE,
	PACKET_UNSOLICITED,
};

struct packet {
	enum packet_kind kind;
	struct record *about;
	unsigned int attempt;
	int error;
	unsigned int lane;
	uint32_t tid;		  /* low half, as in the MAD */
	size_t bytes;		  /* umad header and MAD */
	struct ib_user_mad *umad; /* exactly so many bytes */
	struct ib_user_mad *copy; /* of what was delivered */
	struct deferral deferral; /* of a true reply, and of what is made of one */
};

struct packet *packet_report(struct record *record, int error);
/* Makes the destination's reply to the record's last attempt, which may put the answer off. */
struct packet *packet_reply(struct world *world, struct record *record);
struct packet *packet_forged(struct world *world, struct record *record);
struct packet *packet_truncated(struct world *world, struct record *record);
struct packet *packet_garbage(struct world *world, unsigned int lane);
struct packet *packet_notice(struct record *record);
struct packet *packet_unsolicited(struct world *world, struct record *record);
void packet_free(struct packet *packet);

/* Returns an agent's entry for a lane, or NULL when it does not have that lane. */
bool agent_has_registration(const struct agent_account *agent, unsigned int lane,
			    uint32_t agent_id);
/*
 * Tells whether a packet with @record's TID answers it, by agent, class, sender, route, attribute
 * and modifier.
 */
bool packet_answers(const struct packet *packet, const struct record *record);

/* Delivers a packet @delay ns from now. */
void network_schedule(struct world *world, struct packet *packet, uint64_t delay);
uint64_t network_delay(struct world *world);
/* Takes the write of the record's last attempt: draws its report, and all that comes of it. */
void network_take(struct world *world, struct record *record);

#endif
