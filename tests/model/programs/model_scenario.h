/* SPDX-License-Identifier: BSD-2-Clause */
/* A scenario: everything that a seed decides before it is played. */
#ifndef MODEL_SCENARIO_H
#define MODEL_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SCENARIO_NEVER UINT64_MAX

/*
 * The library's defaults for SMPs and performance management: retries, and how long a node may stay
 * silent.
 */
#define DEFAULT_RETRIES	  7
#define SWEEP_PATIENCE_MS 900

/* Times are in ns, virtual, from the beginning of the sweep. Chances are in ppm. */
struct scenario {
	uint64_t seed;

	struct fabric_scenario {
		char shape[64]; /* of topology_generate(); empty: a random graph */
		unsigned int node_count;
		unsigned int random_nodes; /* of a random graph */
		bool attach_to_first;	   /* the first host, at its first port; else as drawn */
		bool attach_to_switch;	   /* at its port 0; else to a host */
		const char *second_host;   /* of the second of two programs; NULL: one program */
		uint64_t hop, transit, service_host, service_switch;
		uint32_t queue; /* MADs at a port; 0: no limit */
		/* The host that the program runs on, as in the fabric's model. */
		uint64_t local_service;
		uint32_t local_vl15, local_receive_buffers;
		uint32_t loss, duplicate, reorder, corrupt, busy;
		uint64_t reorder_delay;
		/* Nodes, by chance, from the beginning. */
		uint32_t dead, hung, late;
		uint64_t lateness;
		/* Events at random times before .changes_end. */
		unsigned int stalls, flaps, deaths;
		uint64_t stall_time, changes_end;
		uint64_t unplug_at; /* the local device */
	} fabric;

	struct kernel_scenario {
		bool is_limit_known;	/* the device tells the library .most_sent */
		uint32_t receive_queue; /* messages that wait for one file's reader */
		/*
		 * SMPs of an agent at once, as from Linux 6.17, and an eighth of that of SA MADs;
		 * 0: any
		 */
		uint32_t most_sent;
		/* Writes: refused for now, or taken and reported later than at once. */
		uint32_t again, no_memory, slow_take, slow_report;
		uint64_t slow_time; /* at most */
		uint32_t interrupt; /* a wait that a signal ends */
		uint64_t turn_time; /* of the program, in each turn */
		uint64_t mad_time;  /* of the program, for each MAD that it writes or reads */
		bool is_steady;	    /* each turn reports all that there is, writes first */
		uint32_t pause;	    /* a turn in which the program does not run */
		uint64_t pause_time;
		uint32_t report_most; /* completions reported in one turn */
		uint32_t write_most;  /* writes handed over in one turn */
		uint64_t batch_time;  /* that a turn waits for more than one completion */
		uint64_t breaks_at;   /* entering the kernel fails from then on */
	} kernel;

	unsigned int rounds; /* of a sweep and a collection, by the same ring */

	struct ring_scenario {
		uint32_t transactions, buffers, reads, lanes, tick_us;
	} ring;

	struct sweep_scenario {
		int timeout_ms, retries;
		uint32_t window;
		bool pin_window;
		uint64_t deadline;
		uint32_t max_nodes; /* 0: the default */
		bool count_drops;   /* of switches, beside the sweep */
		bool lid_routed;
	} sweep;

	struct collection_scenario {
		bool wanted;
		uint32_t attributes;
		bool look_closer; /* all ports added up are asked for first */
		bool clear;
		int timeout_ms, retries;
		uint32_t window;
		uint64_t deadline;
	} collection;
};

void scenario_draw(struct scenario *scenario, uint64_t seed);
void scenario_print(FILE *out, const struct scenario *scenario);

/*
 * Returns whether all requests are answered in the end, but for those to nodes that are silent from
 * the beginning.
 */
bool scenario_is_reliable(const struct scenario *scenario);

/* Returns whether nodes and links remain what they are. */
bool scenario_is_static(const struct scenario *scenario);

/* Returns how many attempts a program makes at most with @retries. */
unsigned int scenario_attempts(int retries);

#endif
