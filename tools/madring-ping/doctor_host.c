/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "common/advice.h"
#include "doctor_parts.h"

#define QUEUE_FILE    "/sys/module/ib_core/parameters/recv_queue_size"
#define DEFAULT_QUEUE 512u

/* A ring and one port with their lanes take about thirty files. */
#define FILES_NEEDED 64u

static void find_kernel(struct doctor *doctor)
{
	struct utsname name;

	if (uname(&name))
		finding_add(&doctor->findings, "kernel", "not known");
	else
		finding_add(&doctor->findings, "kernel", "%s %s", name.sysname, name.release);
}

/* Returns the size of the queue, or 0 and an errno if it cannot be read. */
static unsigned long read_queue_size(void)
{
	FILE *file = fopen(QUEUE_FILE, "re");
	char text[32] = "";

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	errno = EIO;
	return strtoul(text, NULL, 10);
}

/* The limits that a kernel has on MADs are parts of this queue. */
static void find_queue(struct doctor *doctor)
{
	unsigned long entries = read_queue_size();

	if (!entries) {
		finding_add(&doctor->findings, "recv_queue_size", "not known: %s",
			    errno == ENOENT ? "the module ib_core is not loaded" : strerror(errno));
		return;
	}
	finding_add(&doctor->findings, "recv_queue_size", "%lu%s", entries,
		    entries == DEFAULT_QUEUE ? ", the kernel's default" : "");
	if (entries < DEFAULT_QUEUE)
		finding_advise(&doctor->findings,
			       "it is below the default, and the kernel's limits on MADs are parts "
			       "of it: remove recv_queue_size of ib_core from /etc/modprobe.d and "
			       "the kernel's command line, and load ib_core again");
}

void doctor_host(struct doctor *doctor)
{
	find_kernel(doctor);
	find_queue(doctor);
}

void doctor_open_files(struct doctor *doctor)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	finding_add(&doctor->findings, "open files", "limit %ju, which may be raised to %ju",
		    (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max);
	if (limit.rlim_cur < FILES_NEEDED)
		finding_advise(&doctor->findings, "a ring with one port takes up to %u: %s",
			       FILES_NEEDED, ADVICE_NOFILE);
}
