/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor.h"

#include <errno.h>
#include <stdio.h>

#include "common/interrupt.h"
#include "common/memory.h"
#include "doctor_parts.h"

void doctor_check_memory(int error)
{
	if (error == -ENOMEM)
		memory_end();
}

void doctor_not_asked(struct doctor *doctor, const char *name, const char *why)
{
	finding_add(&doctor->findings, name, "not asked: %s", why);
	finding_advise(&doctor->findings, "repair what is marked above, and run this again");
}

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
	doctor_subnet(doctor);
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
	madring_ca_port_release(doctor.port);
	if (doctor.local.ring)
		local_close(&doctor.local);
	return status;
}
