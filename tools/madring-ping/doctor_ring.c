/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "common/advice.h"
#include "doctor_parts.h"

#define MIB 1048576.0
#define KIB 1024u

static int open_side(struct doctor *doctor, const char *name, unsigned int number,
		     struct madring_port **port)
{
	int error = madring_port_open(doctor->local.ring, name, (int)number, NULL, port);

	doctor_check_memory(error);
	return error;
}

void doctor_open(struct doctor *doctor)
{
	const struct madring_config config = { .pin = MADRING_PIN_BEST_EFFORT };
	const struct madring_ca_pair *pair = &doctor->pair;
	struct local *local = &doctor->local;

	doctor->gsi_error = doctor->smi_error = -ENODEV;
	doctor->ring_error = madring_open(&local->ring, &config);
	doctor_check_memory(doctor->ring_error);
	if (doctor->ring_error || !doctor->port)
		return;
	if (!doctor->has_pair) {
		doctor->gsi_error = open_side(doctor, doctor->port->ca_name, doctor->port->number,
					      &local->port);
		local->smi = local->port;
		doctor->smi_error = doctor->gsi_error;
		return;
	}
	if (pair->gsi_name[0])
		doctor->gsi_error = open_side(doctor, pair->gsi_name, pair->gsi_port, &local->port);
	if (!strcmp(pair->smi_name, pair->gsi_name) && pair->smi_port == pair->gsi_port) {
		local->smi = local->port;
		doctor->smi_error = doctor->gsi_error;
	} else if (pair->smi_name[0]) {
		doctor->smi_error = open_side(doctor, pair->smi_name, pair->smi_port, &local->smi);
	}
}

/* Says how a process gets io_uring. @error: why it does not have it. */
static void advise_on_io_uring(struct doctor *doctor, int error)
{
	char text[ADVICE_BYTES];

	switch (-error) {
	case EPERM:
		advice_on_io_uring(text, sizeof(text));
		finding_advise(&doctor->findings, "%s", text);
		break;
	case ENOSYS:
		finding_advise(
			&doctor->findings,
			"use a kernel with CONFIG_IO_URING, and a madring that was built with "
			"liburing");
		break;
	case EOPNOTSUPP:
		finding_advise(&doctor->findings, "use Linux 5.19 or later");
		break;
	case ENOBUFS:
		finding_advise(&doctor->findings, "%s", ADVICE_MEMLOCK);
		break;
	case ENOMEM:
		finding_advise(&doctor->findings, "give the kernel more memory, or the container");
		break;
	default:
		finding_advise(&doctor->findings, "no program can open a ring; madring_open(3) "
						  "says what this error means");
	}
}

static void find_driver(struct doctor *doctor)
{
	struct madring_stats stats;

	/* Too little memory to lock is the next finding. */
	if (doctor->ring_error == -ENOBUFS)
		return;
	if (doctor->ring_error) {
		finding_add(&doctor->findings, "driver", "none: %s",
			    madring_error_text(doctor->ring_error));
		advise_on_io_uring(doctor, doctor->ring_error);
		return;
	}
	madring_get_stats(doctor->local.ring, &stats);
	doctor_check_memory(stats.driver_reason);
	finding_add(&doctor->findings, "driver", "%s", madring_driver_text(doctor->local.ring));
	if (!stats.driver_reason)
		return;
	finding_advise(&doctor->findings,
		       "the programs work, but need a system call for each MAD; for io_uring:");
	advise_on_io_uring(doctor, stats.driver_reason);
}

/* Reports how much memory may be locked, and whether that is enough for a default ring. */
static void find_memory_lock(struct doctor *doctor)
{
	struct madring_stats stats = { 0 };
	char limit_text[64] = "unlimited";
	struct rlimit limit;
	uint64_t bytes;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur != RLIM_INFINITY)
		snprintf(limit_text, sizeof(limit_text), "%ju KiB",
			 (uintmax_t)limit.rlim_cur / KIB);
	if (doctor->ring_error) {
		finding_add(&doctor->findings, "memory lock", "limit %s", limit_text);
		if (doctor->ring_error == -ENOBUFS)
			finding_advise(&doctor->findings, "it is too low to open a ring: %s",
				       ADVICE_MEMLOCK);
		return;
	}
	madring_get_stats(doctor->local.ring, &stats);
	bytes = stats.pool_pinned_bytes + stats.pool_unpinned_bytes;
	finding_add(&doctor->findings, "memory lock", "limit %s; a default ring pins %.1f MiB%s",
		    limit_text, (double)bytes / MIB,
		    stats.pool_unpinned_bytes ? ", but here it cannot" : "");
	if (stats.pool_unpinned_bytes)
		finding_advise(&doctor->findings,
			       "the programs run all the same, and slower; a program that asks for "
			       "pinned memory fails: %s",
			       ADVICE_MEMLOCK);
}

void doctor_ring(struct doctor *doctor)
{
	find_driver(doctor);
	find_memory_lock(doctor);
}

/*
 * Writes what the kernel puts on the wire at once for one registration of a class. Returns 0, or
 * the -errno for which the class cannot be registered.
 */
static int write_limit(const struct doctor *doctor, uint8_t mgmt_class, uint8_t version, char *text,
		       size_t room)
{
	const struct madring_agent_config config = { .mgmt_class = mgmt_class,
						     .class_version = version };
	struct madring_port *port = local_port_of(&doctor->local, mgmt_class);
	struct madring_agent_state state;
	struct madring_agent *agent;
	int error = port ? madring_agent_open(port, &config, &agent) : -ENODEV;

	doctor_check_memory(error);
	if (error) {
		snprintf(text, room, "none (%s)", madring_error_text(error));
		return error;
	}
	madring_agent_get_state(agent, &state);
	madring_agent_close(agent);
	if (state.kernel_limit)
		snprintf(text, room, "%" PRIu32, state.kernel_limit);
	else
		snprintf(text, room, "no limit");
	return 0;
}

/* Says why a side of the port cannot be opened. */
static void find_open_error(struct doctor *doctor, const char *name, int error)
{
	finding_add(&doctor->findings, name, "%s", madring_error_text(error));
	switch (-error) {
	case EMFILE:
	case ENFILE:
		finding_advise(&doctor->findings, ADVICE_NOFILE);
		break;
	case EACCES:
		finding_advise(&doctor->findings, "see its umad file above");
		break;
	default:
		finding_advise(&doctor->findings,
			       "madring_port_open(3) says what this error means; see also dmesg");
	}
}

void doctor_agents(struct doctor *doctor)
{
	char smp[256], sa[256], pma[256];
	int error;

	if (!doctor->port || doctor->ring_error)
		return;
	if (doctor->gsi_error)
		find_open_error(doctor, "opening the port", doctor->gsi_error);
	else if (doctor->has_pair && doctor->pair.smi_name[0] && doctor->smi_error)
		find_open_error(doctor, "opening the port", doctor->smi_error);
	if (!doctor->local.port && !doctor->local.smi)
		return;
	error = write_limit(doctor, MADRING_CLASS_SMP_DIRECTED, 1, smp, sizeof(smp));
	error |= write_limit(doctor, MADRING_CLASS_SA, 2, sa, sizeof(sa));
	error |= write_limit(doctor, MADRING_CLASS_PMA, 1, pma, sizeof(pma));
	finding_add(&doctor->findings, "MADs on the wire",
		    "of one agent on one umad file: SMP %s, SA %s, PMA %s", smp, sa, pma);
	if (error)
		finding_advise(&doctor->findings,
			       "no program can send MADs of a class that has none: see what is "
			       "marked above, and dmesg");
}
