/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SMPs that switches dropped only while the program discovered the fabric, told apart from
 * those before and after. They may be the program's own: that it asks is no error of the fabric.
 *
 * VL15Dropped does not tell whose SMPs a switch dropped. Those of others in the same time count as
 * the program's own here. A switch whose counter was beyond its threshold before, or went on rising
 * after the discovery, is not excused, nor is one whose counter is full or was not read in time.
 */
#ifndef PERF_OWN_DROPS_H
#define PERF_OWN_DROPS_H

#include "collection.h"
#include "pma/drops.h"
#include "thresholds.h"

/* Sets node_counters.own_drops of the switches that @drops, read beside the discovery, excuses. */
void own_drops_mark(struct collection *collection, const struct drops *drops,
		    const struct thresholds *thresholds);

#endif
