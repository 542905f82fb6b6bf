/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of exchange.h in a library of their own, which is loaded with libmadring when the
 * first of them is needed: most programs that are started by a preloaded shell need none.
 */
#ifndef ACCELERATE_EXCHANGE_TABLE_H
#define ACCELERATE_EXCHANGE_TABLE_H

#include "exchange.h"

#define EXCHANGE_LIBRARY "madring-accelerate-ring.so" /* beside the preloaded one */
#define EXCHANGE_TABLE	 "exchange_table"

struct exchange_table {
	__typeof__(exchange_is_open) *is_open;
	__typeof__(exchange_can_serve) *can_serve;
	__typeof__(exchange_send) *send;
	__typeof__(exchange_expire) *expire;
	__typeof__(exchange_is_waiting) *is_waiting;
	__typeof__(exchange_wait) *wait;
	__typeof__(exchange_wait_beside) *wait_beside;
	__typeof__(exchange_receive) *receive;
	__typeof__(exchange_drop) *drop;
	__typeof__(exchange_error) *error;
};

#endif
