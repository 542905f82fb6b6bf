/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports a caller's error that would corrupt the pool. */
#ifndef MADRING_POOL_FAULT_H
#define MADRING_POOL_FAULT_H

/* `pool_fault` prints the buffer's address and @what on standard error, and aborts. */
_Noreturn void pool_fault(const void *buffer, const char *what) __attribute__((cold));

#endif
