/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "common/complain.h"
#include "common/output.h"
#include "options.h"

enum {
	OPTION_NODE_NAME_MAP = 256,
	OPTION_WINDOW,
	OPTION_RETRIES,
	OPTION_CAPTURE,
};

static const struct option long_options[] = {
	{ "Ca", required_argument, NULL, 'C' },
	{ "Port", required_argument, NULL, 'P' },
	{ "timeout", required_argument, NULL, 't' },
	{ "m_key", required_argument, NULL, 'y' },
	{ "node-name-map", required_argument, NULL, OPTION_NODE_NAME_MAP },
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "retries", required_argument, NULL, OPTION_RETRIES },
	{ "capture", required_argument, NULL, OPTION_CAPTURE },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static const char short_options[] = ":C:P:t:y:hV";

static const char help[] =
	"Usage: madring-perf [options]\n"
	"\n"
	"Collects the performance counters of all ports of an InfiniBand fabric.\n"
	"\n"
	"      --node-name-map FILE names of nodes by GUID\n"
	"\n"
	"How it is done:\n"
	"  -C, --Ca NAME            device; default: the first with an active port\n"
	"  -P, --Port NUMBER        its port\n"
	"  -t, --timeout MS         each attempt's timeout; default: by the measured round trip\n"
	"      --retries N          attempts after the first, 0 to 254; default 5\n"
	"      --window N           requests in flight at most; default 4096\n"
	"  -y, --m_key KEY          M_Key of the discovery's requests\n"
	"      --capture FILE       all MADs, for Wireshark\n"
	"\n"
	"  -h, --help               this text\n"
	"  -V, --version            the version\n"
	"\n"
	"Exit status: 0 all counters were read; 1 not all, and standard error tells which;\n"
	"2 nothing could be done.\n";

static void __attribute__((noreturn)) refuse(const char *what, const char *why)
{
	complain("%s: %s; see madring-perf --help", what, why);
	exit(EXIT_UNABLE);
}

/* Ends the program, which has written to standard output what it was asked for. */
static void __attribute__((noreturn)) end(void)
{
	exit(output_close(stdout, NULL) ? EXIT_UNABLE : EXIT_COMPLETE);
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	unsigned long long value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 0);
	if (!errno && rest != text && !*rest && !strchr(text, '-') && value >= least &&
	    value <= most)
		return value;
	complain("%s \"%s\": takes a number from %" PRIu64 " to %" PRIu64 ", not this", option,
		 text, least, most);
	exit(EXIT_UNABLE);
}

static void take_manner(struct session_config *session, int option)
{
	int retries;

	switch (option) {
	case 'C':
		session->ca_name = optarg;
		break;
	case 'P':
		session->port = number("--Port", optarg, 0, 254);
		break;
	case 't':
		session->tuning.timeout_ms = number("--timeout", optarg, 1, INT_MAX);
		break;
	case 'y':
		session->mkey = number("--m_key", optarg, 0, UINT64_MAX);
		break;
	case OPTION_WINDOW:
		session->tuning.window = number("--window", optarg, 1, MADRING_MAX_TRANSACTIONS);
		break;
	case OPTION_RETRIES:
		retries = number("--retries", optarg, 0, 254);
		session->tuning.retries = retries ? retries : MADRING_NO_RETRIES;
		break;
	case OPTION_CAPTURE:
		session->capture = optarg;
		break;
	}
}

/* What getopt_long() did not know: a letter of several, or the long option @word. */
static void __attribute__((noreturn)) refuse_unknown(const char *word)
{
	char letter[] = { '-', (char)optopt, '\0' };

	if (!optopt)
		refuse(word, "no such option, or short for more than one");
	if (!strncmp(word, "--", 2) && strchr(word, '='))
		refuse(word, "this option takes no argument");
	refuse(letter, "no such option");
}

static void take_option(struct options *options, int option, const char *word)
{
	switch (option) {
	case 'h':
		fputs(help, stdout);
		end();
	case 'V':
		printf("madring-perf %s\n", madring_version());
		end();
	case '?':
		refuse_unknown(word);
	case ':':
		refuse(word, "this option takes an argument");
	case OPTION_NODE_NAME_MAP:
		options->node_name_map = optarg;
		break;
	}
	take_manner(&options->session, option);
}

void options_read(struct options *options, int argc, char *argv[])
{
	int option;

	*options = (struct options){ .attributes = PMA_SET_BASE };
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
		take_option(options, option, argv[optind - 1]);
	if (optind < argc)
		refuse(argv[optind], "no such argument");
}
