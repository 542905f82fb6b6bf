/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_ATTRIBUTE_NAME_H
#define SIM_ATTRIBUTE_NAME_H

#include <stdint.h>

/* The attribute's name as the InfiniBand Architecture has it; "" when it isn't known here. */
const char *attribute_name(uint8_t mgmt_class, uint16_t attribute);

#endif
