/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a program that goes on until it is told: by SIGTERM. */
#ifndef VM_END_H
#define VM_END_H

/* A descriptor that is readable when it has come; or -errno. */
int end_open(void);

#endif
