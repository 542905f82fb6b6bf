/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round trips by madring to the hosts of vhca-fabric. Each request has to complete once, from
 * the host it went to, with its own reply; no worker thread of io_uring may ever exist; and the
 * receive strategy has to be the one that is expected.
 */
#include <argp.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <madring.h>

#define NODE_INFO    0x0011
#define GUID_IN_INFO 12	 /* the node's, in NodeInfo */
#define MARK	     100 /* where a GMP's mark stands */
#define HOST_LID     0x100u
#define FIRST_GUID   0x0002c90300001000ull
#define OUI	     0x001405
#define HOSTS	     16
#define FIRST_HOST   2 /* the switch's port behind that of a one-port HCA */
#define CLASS_DIRECT 0x81
#define CLASS_ROUTED 0x01

enum { KEY_EXPECT = 256 };

struct trips {
	uint8_t mgmt_class;
	uint32_t count, window, lanes;
	enum madring_receive receive;
	const char *expected;
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	uint32_t answered;
	bool *seen;
};
static struct trips trips = { .mgmt_class = CLASS_DIRECT, .count = 1000, .window = 64 };

static const struct argp_option options[] = {
	{ "class", 'c', "CLASS", 0, "Of the MADs (0x81)", 0 },
	{ "count", 'n', "COUNT", 0, "Requests (1000)", 0 },
	{ "window", 'w', "COUNT", 0, "In flight (64)", 0 },
	{ "lanes", 'l', "COUNT", 0, "umad files (the default)", 0 },
	{ "receive", 'r', "STRATEGY", 0, "multishot or posted; else by the probe", 0 },
	{ "expect", KEY_EXPECT, "STRATEGY", 0, "multishot, posted or refused", 0 },
	{ 0 },
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "madring-trips: %s: %s\n", what, madring_strerror(error));
	exit(EXIT_FAILURE);
}

static uint32_t number(const char *text, uint32_t most, struct argp_state *state)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end || !value || value > most)
		argp_error(state, "%s: a number from 1 to %u is wanted", text, most);
	return (uint32_t)value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'c':
		trips.mgmt_class = (uint8_t)number(text, 0xff, state);
		return 0;
	case 'n':
		trips.count = number(text, 10000000, state);
		return 0;
	case 'w':
		trips.window = number(text, 65536, state);
		return 0;
	case 'l':
		trips.lanes = number(text, MADRING_MAX_LANES, state);
		return 0;
	case 'r':
		trips.receive = strcmp(text, "multishot") ? MADRING_RECEIVE_POSTED
							  : MADRING_RECEIVE_MULTISHOT;
		return 0;
	case KEY_EXPECT:
		trips.expected = text;
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_smp(void)
{
	return trips.mgmt_class == CLASS_DIRECT || trips.mgmt_class == CLASS_ROUTED;
}

static unsigned int host_of(uint32_t mark)
{
	return FIRST_HOST + mark % HOSTS;
}

static struct madring_mad *prepare(uint32_t mark)
{
	struct madring_mad *mad = madring_mad_get(trips.agent);
	uint16_t lid = (uint16_t)(HOST_LID + host_of(mark));
	uint8_t path[] = { 0, 1, (uint8_t)host_of(mark) };
	uint8_t *data;

	if (!mad)
		fail("no buffer", -ENOMEM);
	data = madring_mad_data(mad);
	if (trips.mgmt_class == CLASS_DIRECT) {
		madring_smp_dr_prepare(mad, path, 2, MADRING_GET, NODE_INFO, 0);
	} else if (trips.mgmt_class == CLASS_ROUTED) {
		madring_smp_prepare(mad, lid, MADRING_GET, NODE_INFO, 0);
	} else {
		madring_gmp_prepare(mad, lid, MADRING_GET, NODE_INFO, 0);
		memcpy(data + MARK, &mark, sizeof(mark));
		/* A vendor class's MAD has its OUI behind the RMPP header. */
		data[37] = OUI >> 16;
		data[38] = (OUI >> 8) & 0xff;
		data[39] = OUI & 0xff;
	}
	return mad;
}

static bool is_own_reply(const struct madring_mad *reply, uint32_t mark)
{
	const uint8_t *data = madring_mad_data(reply);
	uint64_t guid;
	uint32_t got;

	if (is_smp()) {
		memcpy(&guid, data + MADRING_SMP_DATA + GUID_IN_INFO, sizeof(guid));
		return be64toh(guid) == FIRST_GUID + 0x100 + 0x10 * host_of(mark);
	}
	memcpy(&got, data + MARK, sizeof(got));
	return got == mark;
}

static void on_outcome(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	if (completion->status)
		fail("a request", completion->status);
	if (trips.seen[mark] || !is_own_reply(completion->mad, mark)) {
		fprintf(stderr, "madring-trips: request %u: %s\n", mark,
			trips.seen[mark] ? "completed twice" : "not its own reply");
		exit(EXIT_FAILURE);
	}
	trips.seen[mark] = true;
	trips.answered++;
}

/* A worker thread is the sign of a request that the kernel could not do at once. */
static void check_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && strstr(name, "iou-wrk")) {
			fprintf(stderr, "madring-trips: there is a worker thread\n");
			exit(EXIT_FAILURE);
		}
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
}

/* False: the strategy that was asked for does not work here. */
static bool open_port(void)
{
	const struct madring_config config = {
		.receive = trips.receive,
		.lanes = trips.lanes,
		.transactions = trips.window,
	};
	const struct madring_agent_config agent = {
		.mgmt_class = trips.mgmt_class,
		.class_version = 1,
		.oui = trips.mgmt_class >= 0x30 && trips.mgmt_class <= 0x4f ? OUI : 0,
		.window = trips.window,
		.pin_window = true,
		.flow_window = trips.window,
		.pin_flow_window = true,
		.timeout_ms = 60000,
	};
	int error = madring_open(&trips.ring, &config);

	if (error)
		fail("madring_open", error);
	error = madring_port_open(trips.ring, NULL, 0, NULL, &trips.port);
	if (error == -ENOSYS)
		return false;
	if (error)
		fail("madring_port_open", error);
	error = madring_agent_open(trips.port, &agent, &trips.agent);
	if (error)
		fail("madring_agent_open", error);
	return true;
}

static void travel(void)
{
	uint32_t sent = 0, checked = 0;

	while (trips.answered < trips.count) {
		int done;

		while (sent < trips.count && madring_outstanding(trips.ring) < trips.window) {
			const struct madring_send send = {
				.callback = on_outcome,
				.user = (void *)(uintptr_t)sent,
			};
			int error = madring_send(trips.agent, prepare(sent), &send);

			if (error)
				fail("madring_send", error);
			sent++;
		}
		done = madring_run(trips.ring, -1);
		if (done < 0)
			fail("madring_run", done);
		if (trips.answered >= checked) {
			check_threads();
			checked = trips.answered + trips.count / 10;
		}
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check_strategy(const char *found)
{
	if (!trips.expected || !strcmp(trips.expected, found))
		return;
	fprintf(stderr, "madring-trips: receive strategy: %s, not %s\n", found, trips.expected);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Requests and their replies, by madring.",
	};
	struct madring_stats stats;
	const char *strategy;
	double start, end;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	trips.seen = calloc(trips.count, sizeof(*trips.seen));
	if (!trips.seen)
		fail("memory", -ENOMEM);
	if (!open_port()) {
		check_strategy("refused");
		printf("the strategy does not work on this kernel\n");
		madring_close(trips.ring);
		free(trips.seen);
		return EXIT_SUCCESS;
	}
	start = seconds();
	travel();
	end = seconds();
	check_threads();
	madring_stats(trips.ring, &stats);
	strategy = stats.multishot ? "multishot" : "posted";
	printf("figure: class 0x%02x, %u in flight%s%s: %.0f a second, %.3f entries each\n",
	       trips.mgmt_class, trips.window, trips.receive ? ", " : "",
	       trips.receive ? strategy : "", (double)trips.count / (end - start),
	       (double)stats.entries / trips.count);
	if (stats.retried)
		printf("%lu were retried\n", (unsigned long)stats.retried);
	check_strategy(strategy);
	madring_close(trips.ring);
	free(trips.seen);
	return EXIT_SUCCESS;
}
