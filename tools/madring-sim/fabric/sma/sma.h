/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet management agent: turns a Get or Set that has reached a node into its answer. */
#ifndef SIM_SMA_H
#define SIM_SMA_H

#include "../node.h"

/* Whether the SMA answers this SMP, and not a manager behind it (SMInfo, traps, responses). */
bool sma_answers(const uint8_t *mad);

/* Answers in place. @port: the one that the SMP came in by. False: no memory to obey a Set. */
bool sma_answer(struct node *node, unsigned int port, uint8_t *mad);

#endif
