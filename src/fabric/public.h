/* SPDX-License-Identifier: BSD-2-Clause */
/* The public headers of the fabric, whose functions the library exports. */
#ifndef FABRIC_PUBLIC_H
#define FABRIC_PUBLIC_H

#pragma GCC visibility push(default)
#include <madring/compare.h>
#include <madring/fabric.h>
#include <madring/sweep.h>
#include <madring/tables.h>
#pragma GCC visibility pop

#endif
