/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of the RMPP tests' messages, in subnet administration's class: a request says how
 * much data it has itself, and how much the reply shall have. The data of both follow from the
 * request's number, so that each byte of them is checked.
 */
#ifndef VM_ORDER_H
#define VM_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_CLASS	    0x03
#define ORDER_CLASS_VERSION 2
#define ORDER_SEGMENT	    200u /* bytes of data in one */
#define ORDER_MOST_BYTES    (64000u * ORDER_SEGMENT)
/* The methods Get, GetTable and GetMulti, as bits. */
#define ORDER_METHODS (1u << 0x01 | 1u << 0x12 | 1u << 0x14)

struct order {
	uint32_t number;
	uint32_t request_bytes; /* of data, in segments; 0: a plain MAD */
	uint32_t reply_bytes;	/* the same */
	uint32_t delay_ms;	/* before the reply is sent */
};

/* Returns the bytes of MAD that a message with so much data has. */
size_t order_length(uint32_t data_bytes);

/* Writes the request's MAD, of as many bytes as it has. */
void order_ask(uint8_t *mad, const struct order *order);
/* Reads the order from a request. Returns false if the request has been changed on its way. */
bool order_read(const uint8_t *mad, size_t length, struct order *order);
/* Writes the reply to a request, whose header is given; @mad is not @request. */
void order_answer(uint8_t *mad, const uint8_t *request, const struct order *order);
/* Tells whether a message is the reply that order_answer() writes, byte for byte. */
bool order_is_answered(const uint8_t *mad, size_t length, const struct order *order);

#endif
