/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/complain.h"
#include "common/utf8.h"
#include "ctl.h"
#include "folder.h"
#include "loop/ctl_protocol.h"
#include "options.h"

struct ctl {
	char *path; /* of the socket */
	bool json;
};

static const struct option long_options[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "pid", required_argument, NULL, 'p' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void print_help(void)
{
	puts("Usage: " PROGRAM " ctl [--socket PATH | --pid PID] [--json] FABRIC-COMMAND...\n"
	     "Changes a simulated fabric while it runs, or shows what it is like: that of the "
	     "simulator\nwhich this runs under, or of another.\n"
	     "\n"
	     "  -s, --socket PATH  the simulator that was given this as its --control PATH\n"
	     "  -p, --pid PID      the simulator with this process ID\n"
	     "  -j, --json         answer in JSON\n"
	     "  -h, --help         print this help\n"
	     "\n"
	     "Such as: link switch1:3 down; node 'host-*' service 100us; set loss 0.01; show "
	     "model;\nsee madring-sim-scenario(5).\n"
	     "\n"
	     "Exit status: 0; 1 when the command was refused, or walk says no; 2 when there is no "
	     "such\nsimulator.");
}

/* The socket in a simulator's private folder. NULL: there is no folder, or no memory. */
static char *socket_in(const char *folder)
{
	char *path;

	if (!folder || asprintf(&path, "%s/" SIM_CONTROL, folder) < 0)
		return NULL;
	return path;
}

static int set_path(struct ctl *ctl, char *path, const char *what, const char *why)
{
	free(ctl->path);
	ctl->path = path;
	if (path)
		return -1;
	complain("%s: %s", what, why);
	return EXIT_NOT_STARTED;
}

static int set_process(struct ctl *ctl, const char *pid)
{
	const char *why = "no simulator of this process ID has its folder in TMPDIR";
	char *end, *folder = NULL, *path;
	long number;

	errno = 0;
	number = strtol(pid, &end, 10);
	if (end != pid && !*end && !errno) {
		folder = folder_find(number);
		if (!folder && errno == EACCES)
			why = "the folder in TMPDIR of this process ID is another user's, or open "
			      "to others; ask as the user who runs the simulator";
	}
	path = socket_in(folder);
	free(folder);
	return set_path(ctl, path, pid, why);
}

static int parse_one(struct ctl *ctl, int option, const char *argument)
{
	switch (option) {
	case 's':
		return set_path(ctl, strdup(argument), argument, strerror(ENOMEM));
	case 'p':
		return set_process(ctl, argument);
	case 'j':
		ctl->json = true;
		return -1;
	case 'h':
		print_help();
		return options_printed();
	default:
		fprintf(stderr, "Try '" PROGRAM " ctl --help'.\n");
		return EXIT_NOT_STARTED;
	}
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(path);
	int fd;

	if (length >= sizeof(address.sun_path)) {
		complain("%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	memcpy(address.sun_path, path, length);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		complain("%s: %s: no simulator to talk to", path, strerror(errno));
	else if (!peer_is_trusted(fd))
		complain("%s: another user listens here; ask as the user who runs the simulator",
			 path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool send_word(int fd, const char *word, size_t *room)
{
	size_t left = strlen(word) + 1;
	ssize_t sent;

	if (left > *room) {
		complain("ctl: the command is too long");
		return false;
	}
	*room -= left;
	for (; left; left -= (size_t)sent, word += sent) {
		sent = send(fd, word, left, MSG_NOSIGNAL);
		if (sent < 0) {
			complain("ctl: %s", strerror(errno));
			return false;
		}
	}
	return true;
}

static bool send_request(int fd, const struct ctl *ctl, char **words)
{
	size_t room = CTL_REQUEST_BYTES - 1;

	if (!send_word(fd, ctl->json ? CTL_AS_JSON : CTL_AS_TEXT, &room))
		return false;
	while (*words) {
		if (!send_word(fd, *words++, &room))
			return false;
	}
	return !shutdown(fd, SHUT_WR);
}

/* Copies text, made printable. Returns false, with a message written, when not all could be read.
 */
static bool copy_lines(FILE *from, FILE *to)
{
	char *line = NULL;
	size_t room = 0;
	bool complete;

	while (getline(&line, &room, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		utf8_make_printable(line);
		fprintf(to, "%s\n", line);
	}
	/* getline() sets neither flag of the stream when memory is exhausted. */
	complete = feof(from);
	if (!complete)
		complain("ctl: %s", strerror(errno));
	free(line);
	return complete;
}

/* The answer goes to standard output; a reason, to standard error. */
static int receive_reply(int fd)
{
	FILE *from = fdopen(fd, "r"), *to = stdout;
	bool copied;
	int status;

	if (!from) {
		complain("ctl: %s", strerror(errno));
		return EXIT_NOT_STARTED;
	}
	status = getc(from) - '0';
	if (status == CTL_REFUSED) {
		fputs(PROGRAM ": ctl: ", stderr);
		to = stderr;
	} else if (status != CTL_DONE && status != CTL_NO) {
		fclose(from);
		complain("ctl: the simulator has gone, or obeys its own user and root only");
		return EXIT_NOT_STARTED;
	}
	copied = copy_lines(from, to);
	fclose(from);
	if (!copied || options_printed())
		return EXIT_NOT_STARTED;
	return status == CTL_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int ask(struct ctl *ctl, char **words)
{
	int fd;

	if (!*words) {
		complain("ctl: give a command; see madring-sim-scenario(5)");
		return EXIT_NOT_STARTED;
	}
	if (!ctl->path)
		ctl->path = socket_in(getenv(SIM_ENVIRONMENT));
	if (!ctl->path) {
		complain("ctl: not run under " PROGRAM ": name one with --socket or --pid");
		return EXIT_NOT_STARTED;
	}
	fd = connect_to(ctl->path);
	if (fd < 0)
		return EXIT_NOT_STARTED;
	if (send_request(fd, ctl, words))
		return receive_reply(fd);
	close(fd);
	return EXIT_NOT_STARTED;
}

static int parse(struct ctl *ctl, int argc, char **argv)
{
	int option, status = -1;

	while (status < 0 && (option = getopt_long(argc, argv, "+s:p:jh", long_options, NULL)) >= 0)
		status = parse_one(ctl, option, optarg);
	return status;
}

int ctl_main(int argc, char **argv)
{
	struct ctl ctl = { 0 };
	int status = parse(&ctl, argc, argv);

	if (status < 0)
		status = ask(&ctl, argv + optind);
	free(ctl.path);
	return status;
}
