/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-ping: measures how long nodes take to answer, and how many replies are lost. */
#include <stdio.h>

#include "common/output.h"
#include "doctor.h"
#include "measure.h"
#include "server.h"

int main(int argc, char *argv[])
{
	struct options options;
	int status;

	output_prepare();
	options_read(&options, argc, argv);
	if (options.doctor)
		status = doctor_run(&options);
	else
		status = options.server ? server_run(&options) : measure_run(&options);
	if (output_close_standard())
		status = EXIT_UNABLE;
	options_free(&options);
	return status;
}
