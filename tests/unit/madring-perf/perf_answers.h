/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance agents for tests: they answer a collector's requests in memory, and an answer can
 * be spoilt on its way. The fabric is a switch (LID 1, ports 1 to 4) and a host (port 1 of
 * LID 2, port 2 of LID 3).
 */
#ifndef TESTS_PERF_ANSWERS_H
#define TESTS_PERF_ANSWERS_H

#include "madring-perf/collector.h"
#include "model/common/prng.h"

#define SWITCH_GUID  0x100u
#define HOST_GUID    0x200u
#define SWITCH_PORTS 4u
#define HOST_PORTS   2u
#define ANSWER_BYTES 256u

struct answer {
	_Alignas(8) uint8_t mad[ANSWER_BYTES];
	struct outcome outcome; /* .mad and .length as above, until they are spoilt */
};

struct agents {
	struct capabilities switch_capabilities, host_capabilities;
	/* May be NULL. */
	void (*spoil)(struct agents *agents, const struct request *request, struct answer *answer);
	void *context;	 /* for it */
	uint64_t now_ns; /* goes on by 1 us with each answer */
	unsigned int gets, sets;
	uint64_t seed; /* of `prng`, which decides the order of answers */
	struct prng prng;
};

struct madring_fabric *answers_fabric(void);

/* Returns the value of a field of an attribute of a port, which no other field has. */
uint64_t answers_value(uint16_t lid, uint8_t port, enum pma_attribute attribute,
		       enum MAD_FIELDS field);

/* Carries a plan out, in an order that .seed decides. To be freed. */
struct collection *answers_collect(struct agents *agents, const struct madring_fabric *fabric,
				   const struct plan *plan);

/* Returns a port of the host or the switch in a collection. */
struct port_counters *answers_port(struct collection *collection, uint64_t guid, uint8_t number);

#endif
