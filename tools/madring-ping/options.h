/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of madring-ping. */
#ifndef PING_OPTIONS_H
#define PING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "common/local.h"
#include "kind.h"
#include "target.h"

/* The exit statuses besides EXIT_UNABLE; the first two are those of ping(8). */
#define EXIT_ANSWERED 0
#define EXIT_SILENT   1
#define EXIT_PARTIAL  3

/* Those of --doctor. */
#define EXIT_HEALTHY  0
#define EXIT_PROBLEMS 1

struct mkeys;

enum mode {
	MODE_INTERVAL, /* one now and then */
	MODE_CLOSED,   /* so many in flight: a reply lets the next one go */
	MODE_OPEN,     /* at a rate, whatever is answered */
	MODE_RAMP,     /* at rising rates */
};

struct options {
	bool server;
	bool doctor;
	enum kind kind;
	uint32_t oui;
	uint8_t gid_index;
	struct mkeys *mkeys; /* of the nodes that SMPs go to; NULL: none have one */
	const char *ca_name;
	int port;
	uint16_t pkey_index; /* of the requests that are no SMPs */

	struct targets targets; /* as they were named */
	bool guids;		/* those of the command line are GUIDs */
	uint16_t sm_lid;	/* 0: that of the port */
	bool all;		/* every node of the fabric */
	bool directed;		/* these by directed route */

	enum mode mode;
	uint64_t interval_ns; /* of MODE_INTERVAL */
	uint64_t rate_mhz;    /* of MODE_OPEN; where MODE_RAMP begins */
	uint32_t in_flight;   /* of MODE_CLOSED */
	double max_loss;      /* of MODE_RAMP: percent; below 0: does not matter */
	uint64_t max_p99_ns;  /* of MODE_RAMP; 0: does not matter */
	uint64_t step_ns;
	uint64_t count;	      /* requests; 0: no limit */
	uint64_t duration_ns; /* 0: no limit */
	uint64_t deadline_ns; /* how long the discovery of the fabric may take */
	size_t max_nodes;     /* the limit of nodes in that discovery */
	struct tuning tuning; /* of that discovery */

	int timeout_ms;
	int retries;		 /* as in madring_agent_config */
	uint32_t sqpoll_idle_ms; /* as in madring_config */

	uint64_t report_ns; /* between two lines */
	bool quiet;	    /* the summary only */
	bool each;	    /* with all targets */
	bool json;
	const char *histogram; /* files; NULL: none */
	const char *plot;
	const char *capture;
};

/* Reads the command line. Ends the program for --help, --version and what is wrong. */
void options_read(struct options *options, int argc, char *argv[]);
void options_free(struct options *options);

#endif
