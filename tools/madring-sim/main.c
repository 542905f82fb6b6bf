/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-sim: runs a command on a node of a simulated fabric. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/output.h"
#include "ctl.h"
#include "options.h"
#include "simulation.h"

/*
 * can_write tells whether a file can be written, so that an error is reported before the command
 * runs.
 */
static bool can_write(const char *path)
{
	struct output *output = output_open(path);

	return output && !output_close(output);
}

/*
 * open_standard_streams opens the standard streams that are closed. The next file that is opened
 * would take the number of a closed one, and its output.
 */
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
	struct options options;
	int status;

	/*
	 * 128 KiB is the default, but setting it keeps malloc() from raising it: a large block that
	 * is freed goes back to the system.
	 */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	if (!open_standard_streams())
		return EXIT_NOT_STARTED;
	if (argc > 1 && !strcmp(argv[1], "ctl"))
		return ctl_main(argc - 1, argv + 1);
	options_read(&options, argc, argv);
	if (options.stats && !can_write(options.stats))
		status = EXIT_NOT_STARTED;
	else
		status = simulation_run(&options);
	options_free(&options);
	return status;
}
