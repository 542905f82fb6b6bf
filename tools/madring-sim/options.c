/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/option_table.h"
#include "fabric/model.h"
#include "options.h"
#include "server/kernel.h"
#include "server/protocol.h"

#define OPTION_STRUCT struct options

/* Returns an array of @count elements with room for one more. */
static void *grow_array(void *array, size_t count, size_t size)
{
	array = reallocarray(array, count + 1, size);
	if (!array) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_UNABLE);
	}
	return array;
}

static void add_change(struct options *options, enum change_kind kind, const char *argument)
{
	options->changes =
		grow_array(options->changes, options->change_count, sizeof(*options->changes));
	options->changes[options->change_count++] =
		(struct change){ .kind = kind, .argument = argument };
}

static void take_scenario(void *field, const char *option, const char *text)
{
	(void)option;
	add_change(field, CHANGE_SCENARIO, text);
}

static void take_do(void *field, const char *option, const char *text)
{
	(void)option;
	add_change(field, CHANGE_DO, text);
}

static void take_loss(void *field, const char *option, const char *text)
{
	(void)option;
	add_change(field, CHANGE_LOSS, text);
}

static void take_dead(void *field, const char *option, const char *text)
{
	(void)option;
	add_change(field, CHANGE_DEAD, text);
}

/* Adds a node to run on. NULL stands for the first HCA. */
static void add_attach(struct options *options, const char *node)
{
	options->attach =
		grow_array(options->attach, options->attach_count, sizeof(*options->attach));
	options->attach[options->attach_count++] = node;
}

static void take_attach(void *field, const char *option, const char *text)
{
	(void)option;
	add_attach(field, text);
}

static const struct option_entry entries[] = {
	OPTION_HEADING("Fabric"),
	{ 't', "topology", "FILE", "an ibsim netlist, or saved ibnetdiscover output",
	  OPTION_TEXT(topology) },
	{ 'g', "generate", "SPEC", "a generated fabric, such as fat-tree:radix=36,levels=2",
	  OPTION_TEXT(generate) },
	{ 'r', "routed", NULL, "start with LIDs, active links and forwarding tables",
	  OPTION_FLAG(routed) },
	{ 'p', "profile", "NAME",
	  "ideal (the default), without delays, or modelled, with link and node delays",
	  OPTION_TEXT(profile) },
	{ 's', "seed", "N", "the seed of all random numbers; default 0",
	  OPTION_NUMBER(seed, 0, UINT64_MAX) },

	OPTION_HEADING("Command"),
	{ 'a', "attach", "NODE[:PORT]",
	  "the node to run on; default: $SIM_HOST, else the first HCA; more than one, with "
	  "--device, for an HCA each",
	  OPTION_CALL(take_attach) },
	{ 'P', "planes", "N",
	  "HCAs with N ports or more have one port of N planes, with a device for SMPs and one for "
	  "all else",
	  OPTION_NUMBER(planes, 2, SERVER_PORT_MAX) },
	{ 'D', "device", "PATH",
	  "go through the kernel's own driver, on a virtual HCA that PATH makes",
	  OPTION_TEXT(device) },

	OPTION_HEADING("Kernel"),
	{ 'k', "kernel", "VERSION",
	  "the kernel whose driver is imitated: 6.1, 6.12 (the default) or 7.3, which limits the "
	  "MADs on the wire",
	  OPTION_TEXT(kernel) },
	{ 'q', "recv-queue-size", "N",
	  "ib_core's parameter of that name, from 64 to 8192; default 512",
	  OPTION_NUMBER(recv_queue_size, KERNEL_RECV_QUEUE_LEAST, KERNEL_RECV_QUEUE_MOST) },

	OPTION_HEADING("Changes (any number of these, made in their order)"),
	{ 'f', "scenario", "FILE", "fabric commands, each with its time",
	  OPTION_CALL(take_scenario) },
	{ 'x', "do", "FABRIC-COMMAND", "a fabric command, such as \"set hop 1us\"",
	  OPTION_CALL(take_do) },
	{ 'l', "loss", "P", "the probability, 0 to 1, that a packet is lost on its way",
	  OPTION_CALL(take_loss) },
	{ 'd', "dead", "NODE", "a node that never answers", OPTION_CALL(take_dead) },

	OPTION_HEADING("Control and statistics"),
	{ 'c', "control", "PATH", "the socket for madring-sim ctl", OPTION_TEXT(control) },
	{ 'o', "stats", "FILE", "write the statistics to FILE, as JSON", OPTION_TEXT(stats) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: " PROGRAM " --topology FILE | --generate SPEC [OPTION]... --\n"
		 "           COMMAND [ARGUMENT]...\n"
		 "       " PROGRAM " ctl [--socket PATH | --pid PID] [--json] FABRIC-COMMAND...\n"
		 "\n"
		 "Runs a command on a node of a simulated InfiniBand fabric, or changes that\n"
		 "fabric while the command runs.\n",
	.notes = "Exit status: the command's; 128 + N when signal N ended it; 2 when it could not\n"
		 "start.\n",
	.is_command_last = true,
	.entries = entries,
};

/* Refuses options that do not go together, and a command line without a command. */
static void check_options(const struct options *options)
{
	if (!options->topology == !options->generate)
		option_refuse("fabric", "give one of --topology FILE and --generate SPEC");
	if (!model_profile_find(options->profile))
		option_refuse(options->profile, "no such profile; there are ideal and modelled");
	if (options->kernel && !kernel_find(options->kernel))
		option_refuse(options->kernel, "no such kernel; there are " KERNEL_NAMES);
	if (options->device && (options->kernel || options->recv_queue_size))
		option_refuse("--device", "the kernel is the machine's own: leave out --kernel and "
					  "--recv-queue-size");
	if (!*options->command)
		option_refuse("command", "give the command to run, after --");
	if (options->planes && options->device)
		option_refuse("--planes", "virtual HCAs have no planes: leave --device out");
	if (options->attach_count > 1 && !options->device)
		option_refuse("--attach",
			      "without --device there is one node to run on; a program that the "
			      "command starts may choose another by SIM_HOST");
}

void options_read(struct options *options, int argc, char *argv[])
{
	const char *host = getenv("MADRING_SIM_HOST");

	*options = (struct options){ .profile = "ideal" };
	options->command =
		argv + option_table_read(&table, options, MADRING_SIM_VERSION, argc, argv);
	check_options(options);
	/* The report has one name for one profile. */
	if (!strcmp(options->profile, "real"))
		options->profile = "modelled";
	if (!options->attach_count)
		add_attach(options, host ? host : getenv("SIM_HOST"));
}

void options_free(struct options *options)
{
	free(options->changes);
	free(options->attach);
}
