/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/complain.h"
#include "common/option_table.h"
#include "common/output.h"
#include "json/utf8.h"
#include "ctl.h"
#include "folder.h"
#include "loop/ctl_protocol.h"
#include "options.h"

/* The command line. Of @socket and @pid, which name the simulator, one at most is not NULL. */
struct ctl {
	const char *socket;
	const char *pid;
	bool json;
};

#define OPTION_STRUCT struct ctl

static void take_socket(void *field, const char *option, const char *text)
{
	struct ctl *ctl = field;

	(void)option;
	ctl->socket = text;
	ctl->pid = NULL;
}

static void take_pid(void *field, const char *option, const char *text)
{
	struct ctl *ctl = field;

	(void)option;
	ctl->pid = text;
	ctl->socket = NULL;
}

static const struct option_entry entries[] = {
	{ 's', "socket", "PATH", "the simulator that was given this as its --control PATH",
	  OPTION_CALL(take_socket) },
	{ 'p', "pid", "PID", "the simulator with this process ID", OPTION_CALL(take_pid) },
	{ 'j', "json", NULL, "answer in JSON", OPTION_FLAG(json) },
	OPTION_END,
};

static const struct option_table table = {
	.subcommand = "ctl",
	.usage = "Usage: " PROGRAM " ctl [--socket PATH | --pid PID] [--json] FABRIC-COMMAND...\n"
		 "\n"
		 "Changes a simulated fabric while it runs, or shows what it is like. By default\n"
		 "it is that of the simulator under which this runs.\n",
	.notes = "Fabric commands are such as: link switch1:3 down; node 'host-*' service 100us;\n"
		 "set loss 0.01; show model; see madring-sim-scenario(5).\n"
		 "\n"
		 "Exit status: 0; 1 when the command was refused, or walk says no; 2 when there\n"
		 "is no such simulator.\n",
	.is_command_last = true,
	.entries = entries,
};

/*
 * Returns the path of the socket in a simulator's private folder, to be freed; or NULL, when there
 * is no folder, or no memory.
 */
static char *socket_in(const char *folder)
{
	char *path;

	if (!folder || asprintf(&path, "%s/" SIM_CONTROL, folder) < 0)
		return NULL;
	return path;
}

/*
 * Returns the path of the socket of the simulator with process ID @text, to be freed; or NULL, with
 * a message written.
 */
static char *find_process(const char *text)
{
	const char *why = "no simulator of this process ID has its folder in TMPDIR";
	char *end, *folder = NULL, *path;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (end != text && !*end && !errno) {
		folder = folder_find(pid);
		if (!folder && errno == EACCES)
			why = "the folder in TMPDIR of this process ID is another user's, or open "
			      "to others; ask as the user who runs the simulator";
	}
	path = socket_in(folder);
	free(folder);
	if (!path)
		complain("%s: %s", text, why);
	return path;
}

/* Returns the path of the simulator's socket, to be freed; or NULL, with a message written. */
static char *find_socket(const struct ctl *ctl)
{
	char *path;

	if (ctl->pid)
		return find_process(ctl->pid);
	path = ctl->socket ? strdup(ctl->socket) : socket_in(getenv(SIM_ENVIRONMENT));
	if (path)
		return path;
	if (ctl->socket)
		complain("%s: %s", ctl->socket, strerror(ENOMEM));
	else
		complain("ctl: not run under " PROGRAM ": name one with --socket or --pid");
	return NULL;
}

/*
 * Connects to the simulator's socket, if a trusted user has opened it. Returns the file, or -1
 * after it has complained.
 */
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

/*
 * Copies text, made printable. Returns false, with a message written, when not all could be read.
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

/*
 * receive_reply writes the answer to standard output, or the reason to standard error. Returns the
 * status.
 */
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
	if (!copied || output_close_standard())
		return EXIT_NOT_STARTED;
	return status == CTL_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
}

int ctl_main(int argc, char **argv)
{
	struct ctl ctl = { 0 };
	char **words = argv + option_table_read(&table, &ctl, MADRING_SIM_VERSION, argc, argv);
	char *path;
	int fd;

	if (!*words) {
		complain("ctl: give a command; see madring-sim-scenario(5)");
		return EXIT_NOT_STARTED;
	}
	path = find_socket(&ctl);
	if (!path)
		return EXIT_NOT_STARTED;
	fd = connect_to(path);
	free(path);
	if (fd < 0)
		return EXIT_NOT_STARTED;
	if (send_request(fd, &ctl, words))
		return receive_reply(fd);
	close(fd);
	return EXIT_NOT_STARTED;
}
