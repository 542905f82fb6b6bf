/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints addresses and MADs as text, with the names of libibumad and libibmad. These functions are
 * in a separate library, madring-attributes, because madring does not need libibmad; madring.h does
 * not include this header.
 */
#ifndef MADRING_DUMP_H
#define MADRING_DUMP_H

#include <stddef.h>
#include <stdio.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an address in one line, or in two with a GRH. @out: NULL for standard error. */
void madring_dump_address(FILE *out, const struct ib_mad_addr *address);

/*
 * Writes a MAD: its umad header, address and headers, and its attribute, field by field where
 * libibmad knows it, and else in hexadecimal. @length: bytes of MAD. Reads nothing beyond them, and
 * writes zeros for the rest of a truncated attribute. @out: NULL for standard error.
 */
void madring_dump_mad(FILE *out, const struct madring_mad *mad, size_t length);

#ifdef __cplusplus
}
#endif
#endif
