/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor.h"

#include <stdio.h>

#include "common/interrupt.h"
#include "doctor_parts.h"

static void find_all(struct doctor *doctor)
{
	doctor_choose_port(doctor);
	doctor_open(doctor);
	if (doctor->local.ring)
		interrupt_watch(doctor->local.ring);
	doctor_host(doctor);
	doctor_ring(doctor);
	doctor_open_files(doctor);
	doctor_umad_files(doctor);
	doctor_port(doctor);
	doctor_agents(doctor);
	doctor_probe(doctor);
	interrupt_unwatch();
}

int doctor_run(const struct options *options)
{
	struct doctor doctor = { .options = options };
	int status;

	find_all(&doctor);
	if (options->json)
		findings_print_json(stdout, &doctor.findings);
	else
		findings_print(stdout, &doctor.findings);
	status = findings_count_problems(&doctor.findings) ? EXIT_PROBLEMS : EXIT_HEALTHY;
	findings_free(&doctor.findings);
	madring_ca_port_put(doctor.port);
	if (doctor.local.ring)
		local_close(&doctor.local);
	return status;
}
