/* SPDX-License-Identifier: BSD-2-Clause */
/* A caller's error that would corrupt the pool when it went on. */
#ifndef MADRING_POOL_FAULT_H
#define MADRING_POOL_FAULT_H

/* Says what it is, and aborts. */
_Noreturn void pool_fault(const void *buffer, const char *what) __attribute__((cold));

#endif
