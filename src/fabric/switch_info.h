/* SPDX-License-Identifier: BSD-2-Clause */
/* SwitchInfo in a saved fabric: an object with a number for each member of the public struct. */
#ifndef FABRIC_SWITCH_INFO_H
#define FABRIC_SWITCH_INFO_H

#include <stdbool.h>

#include <madring/structs.h>

#include "json/json_write.h"
#include "json/json_read.h"

void switch_info_write(struct json_writer *writer, const char *key,
		       const struct madring_switch_info *info);

/*
 * Reads the members of an object that json_read_begin() has gone into. A member that the file lacks
 * is 0. Returns false if one is no number, or too large for its field.
 */
bool switch_info_read(struct json_reader *reader, struct madring_switch_info *info);

#endif
