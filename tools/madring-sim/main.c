/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-sim: runs a command on a node of a simulated fabric. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "fabric/fabric.h"
#include "folder.h"
#include "options.h"
#include "server/server.h"

#define EXIT_NOT_STARTED 2

struct simulation {
	struct options options;
	struct command command;
	struct server *server;
};

static void __attribute__((format(printf, 2, 3)))
complain(const char *what, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, PROGRAM ": %s: ", what);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static struct topology *load_topology(const struct options *options)
{
	struct topology_error error = { 0 };
	struct topology *topology;
	const char *source;
	int ret;

	if (options->topology) {
		source = options->topology;
		ret = topology_read(&topology, source, &error);
	} else {
		source = options->generate;
		ret = topology_generate(&topology, source, &error);
	}
	if (!ret)
		return topology;
	if (error.file[0])
		source = error.file;
	if (!error.text[0])
		snprintf(error.text, sizeof(error.text), "%s", strerror(-ret));
	if (error.line)
		complain(source, "line %u: %s", error.line, error.text);
	else
		complain(source, "%s", error.text);
	return NULL;
}

static struct topology_node *first_hca(const struct topology *topology)
{
	size_t i;

	for (i = 0; i < topology->node_count; i++) {
		if (topology->nodes[i]->type == NODE_CA)
			return topology->nodes[i];
	}
	complain("fabric", "it has no HCA; name a node to attach to with --attach");
	return NULL;
}

/* NODE or NODE:PORT; a name may have colons of its own. */
static struct topology_node *find_place(const struct topology *topology, const char *place,
					unsigned int *port)
{
	struct topology_node *node;
	const char *colon;
	unsigned long number;
	unsigned int last;
	char *name, *end;

	*port = 0;
	if (!place)
		return first_hca(topology);
	node = topology_find(topology, place);
	colon = strrchr(place, ':');
	if (!node && colon && colon[1] >= '0' && colon[1] <= '9') {
		number = strtoul(colon + 1, &end, 10);
		name = strndup(place, (size_t)(colon - place));
		if (name && !*end && number <= UINT8_MAX) {
			node = topology_find(topology, name);
			*port = (unsigned int)number;
		}
		free(name);
	}
	if (!node) {
		complain(place, "no such node to attach to");
		return NULL;
	}
	last = node->type == NODE_SWITCH ? 0 : node->port_count;
	if (last > SERVER_PORT_MAX)
		last = SERVER_PORT_MAX;
	if (*port > last) {
		complain(place, "no port above %u of this node can be attached to", last);
		return NULL;
	}
	return node;
}

static bool kill_nodes(struct fabric *fabric, const struct options *options)
{
	struct topology_node *node;
	size_t i;

	for (i = 0; i < options->dead_count; i++) {
		node = topology_find(fabric_topology(fabric), options->dead[i]);
		if (!node) {
			complain(options->dead[i], "no such node for --dead");
			return false;
		}
		fabric_set_health(fabric, node, FABRIC_DEAD);
	}
	return true;
}

/* A file that can't be written is better known before the command has run. */
static bool can_write(const char *path)
{
	FILE *file = fopen(path, "ae");

	if (!file) {
		complain(path, "%s", strerror(errno));
		return false;
	}
	fclose(file);
	return true;
}

static void take_signals(void *user)
{
	struct simulation *simulation = user;

	if (command_signals(&simulation->command))
		server_stop(simulation->server);
}

/* Every umad file costs the server one, however many programs share them out. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int serve_command(struct simulation *simulation)
{
	struct command *command = &simulation->command;
	int ret;

	raise_file_limit();
	ret = server_watch(simulation->server, command->signal_fd, take_signals, simulation);
	if (!ret)
		ret = server_run(simulation->server);
	if (!ret)
		return command_exit_status(command);
	complain("server", "%s", strerror(-ret));
	command_kill(command);
	return EXIT_NOT_STARTED;
}

static bool start_command(struct simulation *simulation, const char *folder)
{
	char **argv = simulation->options.command;
	const char *expected;
	char *shim = command_find_shim(&expected);
	int ret;

	if (!shim) {
		complain(expected, "%s: the library to preload; MADRING_SIM_SHIM may name another",
			 strerror(errno));
		return false;
	}
	if (strpbrk(shim, ": ")) {
		complain(shim, "a library with a colon or a space in its path can't be preloaded");
		free(shim);
		return false;
	}
	ret = command_start(&simulation->command, argv, folder, shim);
	free(shim);
	if (ret)
		complain(argv[0], "%s", strerror(-ret));
	return !ret;
}

static int run_command(struct simulation *simulation, const char *folder)
{
	const struct options *options = &simulation->options;
	int ret, status;

	if (!start_command(simulation, folder))
		return EXIT_NOT_STARTED;
	status = serve_command(simulation);
	if (options->stats) {
		ret = server_write_stats(simulation->server, options->stats);
		if (ret)
			complain(options->stats, "%s", strerror(-ret));
	}
	return status;
}

static int open_server(struct simulation *simulation, struct fabric *fabric,
		       struct topology_node *node, unsigned int port)
{
	struct server_config config = {
		.fabric = fabric,
		.node = node,
		.port = port,
	};
	int status = EXIT_NOT_STARTED;
	char why[256], *folder;

	command_hold_signals();
	folder = folder_create();
	if (!folder) {
		complain("temporary folder", "%s; TMPDIR may name another place", strerror(errno));
		return status;
	}
	config.folder = folder;
	if (server_open(&simulation->server, &config, why, sizeof(why))) {
		complain("server", "%s", why);
	} else {
		status = run_command(simulation, folder);
		server_close(simulation->server);
	}
	folder_remove(folder);
	return status;
}

static int simulate(struct simulation *simulation)
{
	const struct options *options = &simulation->options;
	struct fabric_config config = { .seed = options->seed, .model.loss = options->loss };
	struct topology *topology = load_topology(options);
	struct topology_node *node;
	struct fabric *fabric;
	unsigned int port;
	int ret, status = EXIT_NOT_STARTED;

	if (!topology)
		return status;
	node = find_place(topology, options->attach, &port);
	if (!node) {
		topology_free(topology);
		return status;
	}
	ret = fabric_open(&fabric, topology, &config);
	if (ret) {
		complain("fabric", "%s", strerror(-ret));
		topology_free(topology);
		return status;
	}
	if (kill_nodes(fabric, options))
		status = open_server(simulation, fabric, node, port);
	fabric_close(fabric);
	return status;
}

/* A standard stream that is closed would be the next file opened, and get what isn't its own. */
static bool open_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	struct simulation simulation = { 0 };
	int status;

	if (!open_standard_streams())
		return EXIT_NOT_STARTED;
	status = options_parse(&simulation.options, argc, argv);
	if (status < 0 && simulation.options.stats && !can_write(simulation.options.stats))
		status = EXIT_NOT_STARTED;
	if (status < 0)
		status = simulate(&simulation);
	options_free(&simulation.options);
	return status;
}
