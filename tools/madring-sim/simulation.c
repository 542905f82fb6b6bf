/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common/complain.h"
#include "common/file_limit.h"
#include "common/output.h"
#include "fabric/model.h"
#include "fabric/routing.h"
#include "folder.h"
#include "loop/ctl_protocol.h"
#include "loop/ctl_socket.h"
#include "place.h"
#include "report/report.h"
#include "scenario/scenario.h"
#include "server/server.h"
#include "simulation.h"
#include "vhca/vhca.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct simulation {
	const struct options *options;
	struct fabric *fabric;
	struct attachment *places; /* as many as options->attach; the command runs at the first */
	struct scenario *scenario;
	struct loop *loop;
	struct ctl_socket *ctl;
	struct command command;
};

static void take_signals(void *user)
{
	struct simulation *simulation = user;

	if (command_signals(&simulation->command))
		loop_stop(simulation->loop);
}

/*
 * complain_of_loop writes a message about the error that ended the loop. A device may go away while
 * programs use it; the message says so.
 */
static void complain_of_loop(const struct simulation *simulation, int error)
{
	const char *device = simulation->options->device;

	if (!device)
		complain("server: %s", strerror(-error));
	else if (error == -ENODEV)
		complain("%s: the virtual HCA has gone away", device);
	else
		complain("%s: %s", device, strerror(-error));
}

static int serve_command(struct simulation *simulation)
{
	struct command *command = &simulation->command;
	int error;

	/* The server has one descriptor for each umad file of all programs. */
	file_limit_raise();
	error = loop_watch(simulation->loop, command->signal_fd, take_signals, simulation);
	if (!error)
		error = loop_run(simulation->loop);
	if (!error)
		return command_exit_status(command);
	complain_of_loop(simulation, error);
	command_kill(command);
	return EXIT_NOT_STARTED;
}

/* find_shim returns the path of the library to preload, or NULL with a message written. */
static char *find_shim(void)
{
	const char *expected;
	char *shim = command_find_shim(&expected);

	if (!shim) {
		complain("%s: %s: the library to preload; MADRING_SIM_SHIM may name another",
			 expected, strerror(errno));
		return NULL;
	}
	if (strpbrk(shim, ": ")) {
		complain("%s: a library with a colon or a space in its path can't be preloaded",
			 shim);
		free(shim);
		return NULL;
	}
	return shim;
}

static bool start_command(struct simulation *simulation, const char *folder)
{
	const struct options *options = simulation->options;
	char *shim = NULL;
	int error;

	if (!options->device) {
		shim = find_shim();
		if (!shim)
			return false;
	}
	error = command_start(&simulation->command, options->command, folder, shim);
	free(shim);
	if (error)
		complain("%s: %s", options->command[0], strerror(-error));
	return !error;
}

/* write_report writes the report of the run so far. ferror() tells of write errors. */
static void write_report(void *user, FILE *out)
{
	const struct simulation *simulation = user;
	const struct report_run run = {
		.profile = simulation->options->profile,
		.seed = simulation->options->seed,
	};
	struct json_writer writer;

	report_begin(&writer, out, simulation->fabric, &run);
	simulation->loop->face->report(simulation->loop, &writer);
	report_end(&writer);
}

/* Writes the statistics. Returns false, with a message written, when it cannot. */
static bool write_stats(struct simulation *simulation, const char *path)
{
	struct output *output = output_open(path);
	FILE *out;

	if (!output)
		return false;
	out = output_begin(output);
	if (out)
		write_report(simulation, out);
	return !output_close(output) && out;
}

static int run_command(struct simulation *simulation, const char *folder)
{
	const struct options *options = simulation->options;
	int status;

	if (!start_command(simulation, folder))
		return EXIT_NOT_STARTED;
	status = serve_command(simulation);
	if (scenario_failure(simulation->scenario))
		complain("scenario: a command failed: %s",
			 strerror(-scenario_failure(simulation->scenario)));
	if (options->stats && !write_stats(simulation, options->stats) && !status)
		return EXIT_NOT_STARTED;
	return status;
}

/* obey does a command from the control socket. */
static int obey(void *user, const char *const *words, size_t count, bool json, FILE *out)
{
	struct simulation *simulation = user;
	struct scenario_answer answer = { .out = out, .json = json };
	const uint64_t now = fabric_now(simulation->fabric);
	struct scenario_error error;
	int result;

	/* A single word is a whole line, which a shell's quotes have kept together. */
	if (count == 1)
		result = scenario_do(simulation->scenario, now, words[0], &answer, &error);
	else
		result =
			scenario_do_words(simulation->scenario, now, words, count, &answer, &error);
	if (!result)
		return answer.no ? CTL_NO : CTL_DONE;
	fprintf(out, "%s\n", error.text);
	return CTL_REFUSED;
}

static struct loop_config config_in(const struct simulation *simulation, const char *folder)
{
	return (struct loop_config){
		.fabric = simulation->fabric,
		.folder = folder,
	};
}

static void close_loop(struct simulation *simulation)
{
	loop_close(simulation->loop);
	ctl_close(simulation->ctl);
}

/* open_server opens the server. Returns 0, or -errno with the reason in @why. */
static int open_server(struct simulation *simulation, const char *folder, char *why, size_t size)
{
	const struct options *options = simulation->options;
	const struct server_config config = {
		.loop = config_in(simulation, folder),
		.place = simulation->places[0],
		.kernel = {
			.version = options->kernel ? kernel_find(options->kernel) : NULL,
			.recv_queue_size = options->recv_queue_size,
		},
		.planes = (unsigned int)simulation->options->planes,
	};
	struct server *server;
	int error = server_open(&server, &config, why, size);

	if (!error)
		simulation->loop = server_loop(server);
	return error;
}

static int open_hcas(struct simulation *simulation, const char *folder, char *why, size_t size)
{
	const struct loop_config config = config_in(simulation, folder);
	const struct options *options = simulation->options;
	struct vhca_face *face;
	int error = vhca_open(&face, &config, why, size);

	for (size_t i = 0; i < options->attach_count && !error; i++) {
		error = vhca_add(face, options->device, &simulation->places[i], why, size);
		if (error)
			loop_close(vhca_loop(face));
	}
	if (!error)
		simulation->loop = vhca_loop(face);
	return error;
}

/*
 * open_loop opens the face that programs see, and the control socket. Returns false with a message
 * written.
 */
static bool open_loop(struct simulation *simulation, const char *folder)
{
	const struct ctl_config config = {
		.path = simulation->options->control,
		.obey = obey,
		.user = simulation,
	};
	bool has_device = simulation->options->device;
	char why[256];
	int error = has_device ? open_hcas(simulation, folder, why, sizeof(why))
			       : open_server(simulation, folder, why, sizeof(why));

	if (!error) {
		error = ctl_open(&simulation->ctl, simulation->loop, &config, why, sizeof(why));
		if (error)
			close_loop(simulation);
	}
	if (error)
		complain("%s: %s", has_device ? "--device" : "server", why);
	return !error;
}

static int serve_in(struct simulation *simulation, const char *folder)
{
	int status;

	if (!open_loop(simulation, folder))
		return EXIT_NOT_STARTED;
	status = run_command(simulation, folder);
	close_loop(simulation);
	return status;
}

static int serve(struct simulation *simulation)
{
	char *folder;
	int status;

	command_hold_signals();
	folder = folder_create();
	if (!folder) {
		complain("temporary folder: %s; TMPDIR may name another place", strerror(errno));
		return EXIT_NOT_STARTED;
	}
	status = serve_in(simulation, folder);
	folder_remove(folder);
	return status;
}

static bool read_file(struct scenario *scenario, const char *path)
{
	struct scenario_error error;
	int result = scenario_read(scenario, path, &error);

	if (result && error.line)
		complain("%s:%u: %s", path, error.line, error.text);
	else if (result)
		complain("%s: %s", path, error.text);
	return !result;
}

/* Makes one change of the command line to the fabric. Returns false after it has complained. */
static bool make_one(struct scenario *scenario, const struct change *change)
{
	const char *const loss[] = { "set", "loss", change->argument };
	const char *const dead[] = { "node", change->argument, "dead" };
	struct scenario_error error;
	const char *option;
	int result;

	switch (change->kind) {
	case CHANGE_SCENARIO:
		return read_file(scenario, change->argument);
	case CHANGE_LOSS:
		option = "--loss";
		result = scenario_do_words(scenario, 0, loss, COUNT(loss), NULL, &error);
		break;
	case CHANGE_DEAD:
		option = "--dead";
		result = scenario_do_words(scenario, 0, dead, COUNT(dead), NULL, &error);
		break;
	default:
		option = change->argument;
		result = scenario_do(scenario, 0, change->argument, NULL, &error);
		break;
	}
	if (result)
		complain("%s: %s", option, error.text);
	return !result;
}

/* make_changes makes the changes that the options ask for. Returns false with a message written. */
static bool make_changes(struct scenario *scenario, const struct options *options)
{
	for (size_t i = 0; i < options->change_count; i++) {
		if (!make_one(scenario, &options->changes[i]))
			return false;
	}
	return true;
}

static int play_scenario(struct simulation *simulation)
{
	const struct scenario_config config = {
		.fabric = simulation->fabric,
		.seed = simulation->options->seed,
		.show_stats = write_report,
		.user = simulation,
	};
	int status = EXIT_NOT_STARTED;

	if (scenario_open(&simulation->scenario, &config)) {
		complain("scenario: %s", strerror(ENOMEM));
		return EXIT_NOT_STARTED;
	}
	if (make_changes(simulation->scenario, simulation->options)) {
		/* Changes at time 0 happen before a program can look. */
		fabric_run(simulation->fabric, 0);
		status = serve(simulation);
	}
	scenario_close(simulation->scenario);
	return status;
}

/*
 * route routes the subnet from the first port that is attached to, as a subnet manager there would.
 */
static int route(struct simulation *simulation)
{
	struct attachment place = simulation->places[0];
	int error;

	if (!place.port && place.node->type != NODE_SWITCH)
		place.port = 1;
	error = fabric_route(simulation->fabric, place.node, place.port);
	if (!error)
		return 0;
	complain("--routed: %s", strerror(-error));
	return EXIT_NOT_STARTED;
}

static int start(struct simulation *simulation)
{
	int status = simulation->options->routed ? route(simulation) : 0;

	return status ? status : play_scenario(simulation);
}

static int run_on(struct simulation *simulation, struct topology *topology)
{
	const struct options *options = simulation->options;
	struct fabric_config config = {
		.seed = options->seed,
		.model = *model_profile_find(options->profile),
	};
	int error, status;

	/* The kernel posts so many receive buffers to each QP. */
	if (options->recv_queue_size)
		config.model.local_receive_buffers = options->recv_queue_size;
	error = fabric_open(&simulation->fabric, topology, &config);
	if (error) {
		topology_free(topology);
		complain("fabric: %s", strerror(-error));
		return EXIT_NOT_STARTED;
	}
	status = start(simulation);
	fabric_close(simulation->fabric);
	return status;
}

/* find_places finds the nodes that are attached to. Returns false with a message written. */
static bool find_places(struct simulation *simulation, struct topology *topology)
{
	const struct options *options = simulation->options;

	for (size_t i = 0; i < options->attach_count; i++) {
		if (!place_find(topology, options->attach[i], &simulation->places[i]))
			return false;
	}
	return !options->planes ||
	       place_make_planes(topology, &simulation->places[0], (unsigned int)options->planes);
}

int simulation_run(const struct options *options)
{
	struct simulation simulation = { .options = options };
	struct topology *topology = place_load(options);
	int status = EXIT_NOT_STARTED;

	if (!topology)
		return status;
	simulation.places = calloc(options->attach_count, sizeof(*simulation.places));
	if (!simulation.places)
		complain("fabric: %s", strerror(ENOMEM));
	if (simulation.places && find_places(&simulation, topology))
		status = run_on(&simulation, topology);
	else
		topology_free(topology);
	free(simulation.places);
	return status;
}
