/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses and MADs in words, with the names that libibumad and libibmad have for them. In a
 * library of its own, madring-dump, because madring needs no libibmad; not part of madring.h.
 */
#ifndef MADRING_DUMP_H
#define MADRING_DUMP_H

#include <stddef.h>
#include <stdio.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an address, a line or, with a GRH, two. @out: NULL for standard error. */
void madring_dump_address(FILE *out, const struct ib_mad_addr *address);

/*
 * Writes a MAD: its umad header, its address, its headers, and its attribute, field by field
 * where libibmad knows it, and else in hexadecimal. @length: bytes of MAD; nothing is read
 * beyond them, and what is cut off is taken for zero. @out: NULL for standard error.
 */
void madring_dump_mad(FILE *out, const struct madring_mad *mad, size_t length);

#ifdef __cplusplus
}
#endif
#endif
