/* SPDX-License-Identifier: BSD-2-Clause */
/* All headers of the library madring-attributes, which needs libibmad; madring.h does not include
   them. */
#ifndef MADRING_ATTRIBUTES_H
#define MADRING_ATTRIBUTES_H

#include <madring/dump.h>
#include <madring/field.h>
#include <madring/field_names.h>
#include <madring/record.h>
#include <madring/structs.h>

#endif
