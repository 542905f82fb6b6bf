/* SPDX-License-Identifier: BSD-2-Clause */
/* What "show" writes, as text for people and as JSON for programs. */
#ifndef SIM_SCENARIO_SHOW_H
#define SIM_SCENARIO_SHOW_H

#include "scenario/scenario.h"
#include "scenario/targets.h"

typedef int show_fn(const struct fabric *fabric, const struct targets *targets, FILE *out);

/* 0 or -errno. */
show_fn show_model_text, show_nodes_text, show_links_text, show_counters_text;
show_fn show_model_json, show_nodes_json, show_links_json, show_counters_json;

#endif
