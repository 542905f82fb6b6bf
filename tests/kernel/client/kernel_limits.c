/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: kernel-limits MADRING-SIM TABLE
 *
 * Checks what TABLE says of the limits of a kernel's agents, on that kernel or on madring-sim's
 * device; guest/limits explains its lines. MADRING-SIM is the program under which this one runs:
 * its fabric knows what is on the wire. No statement depends on how fast the machine is: events are
 * compared in their order, and timeouts differ by seconds.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>

#include "../common/kernel_clock.h"
#include "../common/kernel_fail.h"
#include "counterpart.h"
#include "request.h"
#include "wire.h"

#define RECV_QUEUE_SIZE "/sys/module/ib_core/parameters/recv_queue_size"
#define LONG_MS		600000 /* a timeout that does not end */
#define PATIENCE_NS	(120 * 1000000000ull)
#define MARKER_CLASS	0x04 /* it has no limit */
#define MARKER_TID	0x7fffffffu
#define MOST_FILES	32
#define MOST_WORDS	9

/* A line of the table: its words, without the two of which one is expected. */
struct statement {
	char *word[MOST_WORDS];
	unsigned int count;
	const char *expected;
};

static unsigned long number_at(const struct statement *statement, unsigned int index)
{
	return strtoul(statement->word[index], NULL, 0);
}

static uint8_t class_at(const struct statement *statement, unsigned int index)
{
	return (uint8_t)number_at(statement, index);
}

static const char *yes_or_no(bool yes)
{
	return yes ? "yes" : "no";
}

static const char *as_text(uint64_t value)
{
	static char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return text;
}

/*
 * Waits until the fabric has received all that was written to a file before: an agent of its own
 * writes a request, and each QP sends in order.
 */
static void settle(int fd, uint8_t mgmt_class)
{
	const struct request request = { .agent = request_register(fd, mgmt_class),
					 .mgmt_class = mgmt_class,
					 .host = HOST_DEAD,
					 .attribute = GUID_INFO,
					 .tid = MARKER_TID,
					 .timeout_ms = LONG_MS };
	uint64_t before = wire_sent(mgmt_class, GUID_INFO), end = clock_ns() + PATIENCE_NS;

	request_write(fd, &request);
	while (wire_sent(mgmt_class, GUID_INFO) == before) {
		if (clock_ns() > end)
			fail("waiting for a request on the wire", -ETIMEDOUT);
		usleep(10000);
	}
	request_unregister(fd, request.agent);
}

/* Writes requests to the dead host, with the TIDs from 1 to @count. */
static void write_dead(int fd, int agent, uint8_t mgmt_class, uint32_t count, int timeout_ms)
{
	struct request request = { .agent = agent,
				   .mgmt_class = mgmt_class,
				   .host = HOST_DEAD,
				   .attribute = NODE_DESCRIPTION,
				   .timeout_ms = timeout_ms };

	for (request.tid = 1; request.tid <= count; request.tid++)
		request_write(fd, &request);
}

/* Writes a request whose notice comes after so many ms, by an agent of its own. */
static void write_marker(int fd, int timeout_ms)
{
	const struct request request = { .agent = request_register(fd, MARKER_CLASS),
					 .mgmt_class = MARKER_CLASS,
					 .host = HOST_DEAD,
					 .attribute = NODE_INFO,
					 .tid = MARKER_TID,
					 .timeout_ms = timeout_ms };

	request_write(fd, &request);
}

/* check_wire counts the requests on the wire: "wire AGENT MADS AGENTS FILES WRITTEN". */
static const char *check_wire(const struct statement *statement)
{
	uint8_t mgmt_class = class_at(statement, 2);
	unsigned long agents = number_at(statement, 3), files = number_at(statement, 4);
	uint64_t before = wire_sent(mgmt_class, NODE_DESCRIPTION), sent;
	int fd[MOST_FILES];

	for (unsigned long file = 0; file < files && file < MOST_FILES; file++) {
		fd[file] = request_open();
		for (unsigned long agent = 0; agent < agents; agent++)
			write_dead(fd[file], request_register(fd[file], class_at(statement, 1)),
				   mgmt_class, (uint32_t)number_at(statement, 5), LONG_MS);
	}
	for (unsigned long file = 0; file < files && file < MOST_FILES; file++)
		settle(fd[file], mgmt_class);
	sent = wire_sent(mgmt_class, NODE_DESCRIPTION) - before;
	for (unsigned long file = 0; file < files && file < MOST_FILES; file++)
		counterpart_close(fd[file]);
	return as_text(sent);
}

/* check_clock counts the requests that end late: "clock AGENT WRITTEN". */
static const char *check_clock(const struct statement *statement)
{
	const int timeout_ms = 4000;
	uint8_t mgmt_class = class_at(statement, 1);
	uint32_t count = (uint32_t)number_at(statement, 2), late = 0;
	bool has_marker = false;
	int fd = request_open();

	write_dead(fd, request_register(fd, mgmt_class), mgmt_class, count, timeout_ms);
	write_marker(fd, timeout_ms * 3 / 2);
	for (uint32_t i = 0; i < count + 1; i++) {
		struct outcome outcome = request_read(fd);

		if (!outcome.is_notice)
			fail("an answer by a dead host", -EPROTO);
		late += has_marker;
		has_marker |= outcome.tid == MARKER_TID;
	}
	counterpart_close(fd);
	return as_text(late);
}

/* check_block tells whether an answer comes before notices: "block AGENT DEAD". */
static const char *check_block(const struct statement *statement)
{
	uint8_t mgmt_class = class_at(statement, 1);
	uint32_t dead = (uint32_t)number_at(statement, 2);
	bool expects_block = !strcmp(statement->expected, "no");
	int fd = request_open();
	struct request live = { .agent = request_register(fd, mgmt_class),
				.mgmt_class = mgmt_class,
				.host = HOST_LIVE,
				.attribute = NODE_INFO,
				.tid = MARKER_TID,
				.timeout_ms = LONG_MS };
	bool is_notice;

	/* Each outcome that is expected comes sooner or later, however slow the machine is. */
	write_dead(fd, live.agent, mgmt_class, dead, expects_block ? 2000 : 60000);
	request_write(fd, &live);
	is_notice = request_read(fd).is_notice;
	counterpart_close(fd);
	return yes_or_no(!is_notice);
}

/* check_retry tells whether a retry is sent before its late answer comes: "retry AGENT WRITTEN". */
static const char *check_retry(const struct statement *statement)
{
	uint8_t mgmt_class = class_at(statement, 1);
	uint32_t others = (uint32_t)number_at(statement, 2);
	int fd = request_open();
	/* The host's answer comes after 4 s. */
	const struct request late = { .agent = request_register(fd, mgmt_class),
				      .mgmt_class = mgmt_class,
				      .host = HOST_LATE,
				      .attribute = NODE_INFO,
				      .tid = MARKER_TID,
				      .timeout_ms = 2000,
				      .retries = 10 };
	uint64_t before = wire_sent(mgmt_class, NODE_INFO), sent;
	struct outcome outcome;

	request_write(fd, &late);
	write_dead(fd, late.agent, mgmt_class, others, late.timeout_ms);
	do {
		outcome = request_read(fd);
	} while (outcome.tid != late.tid);
	if (outcome.is_notice)
		fail("no late answer", -ETIMEDOUT);
	sent = wire_sent(mgmt_class, NODE_INFO) - before;
	counterpart_close(fd);
	return yes_or_no(sent > 1);
}

/* check_again tells whether a TID can be written again: "again AGENT WRITTEN TID BY". */
static const char *check_again(const struct statement *statement)
{
	uint8_t mgmt_class = class_at(statement, 1);
	int fd = request_open(), error;
	struct request again = { .agent = request_register(fd, mgmt_class),
				 .mgmt_class = mgmt_class,
				 .host = HOST_DEAD,
				 .attribute = NODE_DESCRIPTION,
				 .tid = (uint32_t)number_at(statement, 3),
				 .timeout_ms = LONG_MS };
	uint64_t before = wire_duplicates(), after;

	write_dead(fd, again.agent, mgmt_class, (uint32_t)number_at(statement, 2), LONG_MS);
	if (!strcmp(statement->word[4], "other"))
		again.agent = request_register(fd, mgmt_class);
	error = request_try(fd, &again);
	settle(fd, mgmt_class);
	after = wire_duplicates();
	counterpart_close(fd);
	if (error && error != -EINVAL)
		fail("writing a TID again", error);
	return error || after > before ? "refused" : "sent";
}

/*
 * check_end counts the requests that are sent in spite of their agent's end: "end AGENT WRITTEN
 * HOW".
 */
static const char *check_end(const struct statement *statement)
{
	uint8_t mgmt_class = class_at(statement, 1);
	uint64_t before = wire_sent(mgmt_class, NODE_DESCRIPTION), sent;
	int fd = request_open(), agent = request_register(fd, mgmt_class);
	struct outcome outcome;

	/* A request's timeout is after all of them are on the wire, if they are ever to be. */
	write_dead(fd, agent, mgmt_class, (uint32_t)number_at(statement, 2), 2000);
	if (!strcmp(statement->word[3], "close")) {
		counterpart_close(fd);
		fd = request_open();
	} else {
		request_unregister(fd, agent);
	}
	write_marker(fd, 4000);
	outcome = request_read(fd);
	sent = wire_sent(mgmt_class, NODE_DESCRIPTION) - before;
	counterpart_close(fd);
	return outcome.tid == MARKER_TID ? as_text(sent) : "a notice";
}

/* check_nobody returns the error of a write by an unknown agent: "nobody NUMBER". */
static const char *check_nobody(const struct statement *statement)
{
	const struct request request = { .agent = (int)number_at(statement, 1),
					 .mgmt_class = 0x81,
					 .host = HOST_DEAD,
					 .attribute = NODE_DESCRIPTION,
					 .tid = 1,
					 .timeout_ms = LONG_MS };
	int fd = request_open(), error = request_try(fd, &request);

	counterpart_close(fd);
	return error == -EIO ? "EIO" : error == -EINVAL ? "EINVAL" : error ? "an error" : "none";
}

static const struct check {
	const char *name;
	unsigned int words; /* with the name */
	const char *(*run)(const struct statement *statement);
} checks[] = {
	{ "wire", 6, check_wire },     { "clock", 3, check_clock }, { "block", 3, check_block },
	{ "retry", 3, check_retry },   { "again", 5, check_again }, { "end", 4, check_end },
	{ "nobody", 2, check_nobody },
};

static const struct check *find_check(const struct statement *statement)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!strcmp(checks[i].name, statement->word[0]) &&
		    checks[i].words == statement->count)
			return &checks[i];
	}
	fail(statement->word[0], -EINVAL);
}

/* Splits a line in place. Returns false if it has no statement. */
static bool split(char *line, bool has_limits, struct statement *statement)
{
	char *rest = NULL, *word;

	statement->count = 0;
	line[strcspn(line, "#\n")] = '\0';
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (statement->count == MOST_WORDS)
			fail("a line of the table with too many words", -EINVAL);
		statement->word[statement->count++] = word;
	}
	if (!statement->count)
		return false;
	if (statement->count < 3)
		fail("a line of the table with too few words", -EINVAL);
	statement->count -= 2;
	statement->expected = statement->word[statement->count + has_limits];
	return true;
}

/* Returns false, with a message printed, if a statement is not true. */
static bool check(char *line, bool has_limits)
{
	struct statement statement;
	char text[256];
	const char *found;

	snprintf(text, sizeof(text), "%s", line);
	text[strcspn(text, "\n")] = '\0';
	if (!split(line, has_limits, &statement))
		return true;
	found = find_check(&statement)->run(&statement);
	if (!strcmp(found, statement.expected))
		return true;
	fprintf(stderr, "%s: %s, not %s\n", text, found, statement.expected);
	return false;
}

/* Returns whether the running kernel, by its version, has limits. */
static bool kernel_has_limits(void)
{
	unsigned long major, minor;
	struct utsname name;
	char *end;

	if (uname(&name))
		fail("uname", -errno);
	printf("kernel %s\n", name.release);
	major = strtoul(name.release, &end, 10);
	if (*end != '.')
		fail("the version of the kernel", -EPROTO);
	minor = strtoul(end + 1, NULL, 10);
	return major > 6 || (major == 6 && minor >= 17);
}

static void check_recv_queue_size(void)
{
	FILE *file = fopen(RECV_QUEUE_SIZE, "re");
	char text[32] = "";

	if (!file || !fgets(text, sizeof(text), file) || strcmp(text, "512\n") != 0)
		fail("ib_core's recv_queue_size is not 512", -EINVAL);
	fclose(file);
}

int main(int argc, char **argv)
{
	unsigned int lines = 0, wrong = 0;
	char line[256];
	bool has_limits;
	FILE *table;

	if (argc != 3)
		return 2;
	wire_ask(argv[1]);
	table = fopen(argv[2], "re");
	if (!table)
		fail(argv[2], -errno);
	has_limits = kernel_has_limits();
	check_recv_queue_size();
	for (; fgets(line, sizeof(line), table); lines++)
		wrong += !check(line, has_limits);
	fclose(table);
	return !lines || wrong;
}
