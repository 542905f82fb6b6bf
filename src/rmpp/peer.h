/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the transfer of an arriving MAD. */
#ifndef MADRING_RMPP_PEER_H
#define MADRING_RMPP_PEER_H

#include <stdint.h>
#include <infiniband/umad.h>

enum key_kind { KEY_SEND = 1, KEY_RECEIVE };

/*
 * The fields that an arriving MAD must have to belong to a transfer. The key of a received message
 * has the fields of its segments; that of a sent message, those of the answers to it. A key has no
 * padding: it is compared and hashed as a whole.
 */
struct rmpp_key {
	uint64_t tid; /* as in the MAD; of a response only the low half, the rest is the kernel's */
	uint64_t gid[2]; /* of the other end; 0 without a GRH */
	uint32_t qpn;	 /* network order, as in the umad header */
	uint32_t agent_id;
	uint16_t lid; /* network order; 0 with a GRH, because then it is a router's */
	uint16_t lane;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t method;
	uint8_t kind;
};

_Static_assert(sizeof(struct rmpp_key) == 40, "a key has no hidden bytes");

struct rmpp;

/* Returns the key of a MAD. */
struct rmpp_key peer_key(const struct ib_user_mad *umad, unsigned int lane, enum key_kind kind);
/* Returns the key of the answers to a message. */
struct rmpp_key peer_answer_key(const struct ib_user_mad *message, unsigned int lane);
/* Returns the transfer of a key, or TRANSFER_NONE. */
uint32_t peer_find(const struct rmpp *rmpp, const struct rmpp_key *key);
/* Puts a transfer into the hash table. */
void peer_insert(struct rmpp *rmpp, uint32_t entry);
/* Takes a transfer out of the hash table. */
void peer_remove(struct rmpp *rmpp, uint32_t entry);

#endif
