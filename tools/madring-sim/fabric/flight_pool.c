/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "flight.h"

#define BLOCK_FLIGHTS 128

struct flight_block {
	struct flight_block *next;
	struct flight flights[BLOCK_FLIGHTS];
};

void flight_give_back(struct fabric *fabric, struct flight *flight)
{
	flight->next = fabric->unused;
	fabric->unused = flight;
}

static bool add_block(struct fabric *fabric)
{
	struct flight_block *block = malloc(sizeof(*block));
	size_t i;

	if (!block)
		return false;
	block->next = fabric->blocks;
	fabric->blocks = block;
	for (i = 0; i < BLOCK_FLIGHTS; i++)
		flight_give_back(fabric, &block->flights[i]);
	return true;
}

struct flight *flight_take(struct fabric *fabric)
{
	struct flight *flight;

	if (!fabric->unused && !add_block(fabric)) {
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
		return NULL;
	}
	flight = fabric->unused;
	fabric->unused = flight->next;
	return flight;
}

void flights_free(struct fabric *fabric)
{
	struct flight_block *block;

	while ((block = fabric->blocks)) {
		fabric->blocks = block->next;
		free(block);
	}
}
