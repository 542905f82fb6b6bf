/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of requests: attributes that every node, or every agent of a class, must have. */
#ifndef PING_KIND_H
#define PING_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

struct target;

enum kind {
	KIND_SMP,    /* NodeInfo, by LID or directed route */
	KIND_PMA,    /* ClassPortInfo of performance management */
	KIND_SA,     /* ClassPortInfo of subnet administration */
	KIND_IBPING, /* what ibping -S answers */
};

/*
 * ibping's protocol: a Get of no attribute in a vendor class with an OUI. The reply has the host's
 * name, as text that ends with a NUL.
 */
#define IBPING_CLASS	  0x32
#define IBPING_OUI	  0x001405u /* OpenIB's */
#define IBPING_OUI_AT	  37	    /* behind the RMPP header (IBA 16.5.1) */
#define IBPING_DATA	  40
#define IBPING_DATA_BYTES (MADRING_MAD_BYTES - IBPING_DATA)

/* Finds a kind by its name on the command line. */
bool kind_find(const char *name, enum kind *kind);
const char *kind_name(enum kind kind);
const char *kind_description(enum kind kind);

/*
 * `kind_class` returns the class of requests to LIDs or by directed routes, and
 * `kind_class_version` its version.
 */
uint8_t kind_class(enum kind kind, bool by_route);
uint8_t kind_class_version(enum kind kind);

/*
 * Writes a request into a buffer of the kind's agent, and addresses it. KIND_IBPING takes @oui; a
 * GRH takes the own GID at @gid_index.
 */
void kind_prepare(enum kind kind, struct madring_mad *mad, const struct target *target,
		  uint32_t oui, uint8_t gid_index);

/*
 * Returns what is wrong with a reply of @length bytes, or NULL if it is a reply to such a request.
 * The status is not checked.
 */
const char *kind_check(enum kind kind, const struct madring_mad *reply, size_t length,
		       bool by_route);

/* Says in words what a status other than 0 of a reply means. Never returns NULL. */
const char *kind_refusal(enum kind kind, uint16_t status);

#endif
