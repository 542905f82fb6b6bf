/* SPDX-License-Identifier: BSD-2-Clause */
/* How the collecting itself goes. */
#ifndef EXPORTER_OWN_METRICS_H
#define EXPORTER_OWN_METRICS_H

#include "../prometheus/exposition.h"
#include "totals.h"
#include "view.h"

/* @totals: with what the open ring has done. */
void own_metrics(struct exposition *page, const struct view *view, const struct totals *totals);

#endif
