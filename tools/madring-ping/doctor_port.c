/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/advice.h"
#include "common/plural.h"
#include "doctor_parts.h"

#define MAX_DEVICES   64u
#define ETHERNET      "Ethernet"
#define PKEY_FULL     0xffffu
#define PKEY_LIMITED  0x7fffu
#define PHYS_DISABLED 3

enum { STATE_DOWN = 1, STATE_INITIALIZE, STATE_ARMED, STATE_ACTIVE };

static bool is_ethernet(const struct madring_ca_port *port)
{
	return !strcmp(port->link_layer, ETHERNET);
}

/*
 * Takes the first port of a device, an InfiniBand one if there is one. Returns whether it has
 * one.
 */
static bool take_port_of(struct doctor *doctor, const char *name)
{
	struct madring_ca *ca;
	int error = madring_ca_get(name, &ca);
	unsigned int number;
	bool has_port;

	doctor_check_memory(error);
	if (error)
		return false;
	has_port = ca->port_count;
	number = has_port ? ca->ports[0]->number : 0;
	for (unsigned int i = ca->port_count; i > 0; i--)
		if (!is_ethernet(ca->ports[i - 1]))
			number = ca->ports[i - 1]->number;
	madring_ca_release(ca);
	error = has_port ? madring_ca_port_get(name, (int)number, &doctor->port) : -ENXIO;
	doctor_check_memory(error);
	return !error;
}

/* Looks for a port that is neither active nor up, which is not chosen by default. */
static void take_any_port(struct doctor *doctor)
{
	char names[MAX_DEVICES][MADRING_CA_NAME_BYTES];
	int count = madring_ca_names(names, MAX_DEVICES);

	doctor_check_memory(count);
	for (int i = 0; i < count && i < (int)MAX_DEVICES; i++)
		if (take_port_of(doctor, names[i]))
			return;
}

void doctor_choose_port(struct doctor *doctor)
{
	const struct options *options = doctor->options;
	int error = madring_ca_port_get(options->ca_name, options->port, &doctor->port);

	doctor_check_memory(error);
	doctor->choice_error = error;
	if (doctor->choice_error == -ENXIO && !options->port) {
		if (options->ca_name)
			take_port_of(doctor, options->ca_name);
		else
			take_any_port(doctor);
	}
	if (!doctor->port)
		return;
	error = madring_ca_get_pair(doctor->port->ca_name, (int)doctor->port->number,
				    &doctor->pair);
	doctor_check_memory(error);
	doctor->has_pair = !error;
}

static void advise_on_file(struct doctor *doctor, const char *path, int error)
{
	char text[ADVICE_BYTES];

	switch (error) {
	case EACCES:
	case EPERM:
		if (!advice_on_permission(path, text, sizeof(text)))
			snprintf(text, sizeof(text), "allow this user to read and write it");
		break;
	case ENOENT:
		snprintf(text, sizeof(text),
			 "udev has not made it; in a container, give it the file (--device %s)",
			 path);
		break;
	default:
		snprintf(text, sizeof(text), "see what the kernel says of this device: dmesg");
	}
	finding_advise(&doctor->findings, "%s", text);
}

/* Opens the umad file of a port, as a program would. */
static void find_umad_file(struct doctor *doctor, const struct madring_ca_port *port)
{
	char path[PATH_MAX], name[MADRING_CA_NAME_BYTES + 64];
	int file = -1, error;

	snprintf(name, sizeof(name), "%s port %u", port->ca_name, port->number);
	error = advice_find_file(port->ca_name, (int)port->number, path, sizeof(path));
	doctor_check_memory(error);
	if (error) {
		finding_add(&doctor->findings, name, "no umad file");
		finding_advise(&doctor->findings,
			       "load the kernel's module for these: modprobe ib_umad");
		return;
	}
	if (!access(path, R_OK | W_OK))
		file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		error = errno;
	else
		close(file);
	finding_add(&doctor->findings, name, "%s, %s", path,
		    error ? strerror(error) : "can be opened");
	if (error)
		advise_on_file(doctor, path, error);
}

void doctor_umad_files(struct doctor *doctor)
{
	char names[MAX_DEVICES][MADRING_CA_NAME_BYTES];
	const char *wanted = doctor->options->ca_name;
	int count = madring_ca_names(names, MAX_DEVICES);

	doctor_check_memory(count);
	if (count <= 0) {
		finding_add(&doctor->findings, "devices", "none");
		finding_advise(&doctor->findings,
			       "load the driver of the adapter (lspci -k tells which), or give its "
			       "device to the container");
		return;
	}
	for (int i = 0; i < count && i < (int)MAX_DEVICES; i++) {
		struct madring_ca *ca;
		int error;

		if (wanted && strcmp(wanted, names[i]) != 0)
			continue;
		error = madring_ca_get(names[i], &ca);
		doctor_check_memory(error);
		if (error)
			continue;
		for (unsigned int p = 0; p < ca->port_count; p++)
			find_umad_file(doctor, ca->ports[p]);
		madring_ca_release(ca);
	}
}

static void find_link_layer(struct doctor *doctor)
{
	const struct madring_ca_port *port = doctor->port;

	finding_add(&doctor->findings, "port", "%s port %u, link layer %s", port->ca_name,
		    port->number, port->link_layer);
	if (is_ethernet(port))
		finding_advise(
			&doctor->findings,
			"an Ethernet (RoCE) port carries no SMPs, and has no LIDs: choose an "
			"InfiniBand port by -C and -P, or have the adapter change the type of "
			"this one");
}

static void find_pair(struct doctor *doctor)
{
	const struct madring_ca_pair *pair = &doctor->pair;

	if (!doctor->has_pair)
		return;
	finding_add(&doctor->findings, "devices of the port",
		    "SMPs %s port %u, all else %s port %u",
		    pair->smi_name[0] ? pair->smi_name : "none", pair->smi_port,
		    pair->gsi_name[0] ? pair->gsi_name : "none", pair->gsi_port);
	if (!pair->smi_name[0])
		finding_advise(&doctor->findings,
			       "no device of this host has QP0 of the port, so that it cannot "
			       "discover the fabric: give the container the device of its SMI, or "
			       "run on the host rather than in a virtual machine");
	if (!pair->gsi_name[0])
		finding_advise(&doctor->findings,
			       "no device of this host has QP1 of the port, for counters and the "
			       "subnet administration: give the container that device");
}

/* Reports the state of the port, and what to do if it is not active. */
static void find_state(struct doctor *doctor)
{
	static const char *const words[] = { "no state", "Down", "Initialize", "Armed", "Active" };
	const struct madring_ca_port *port = doctor->port;

	finding_add(&doctor->findings, "port state", "%s",
		    port->state <= STATE_ACTIVE ? words[port->state] : "unknown");
	if (port->state == STATE_DOWN && port->phys_state == PHYS_DISABLED)
		finding_advise(&doctor->findings,
			       "the port is disabled: enable it, by ibportstate of the switch or a "
			       "reset of the adapter");
	else if (port->state <= STATE_DOWN)
		finding_advise(&doctor->findings,
			       "there is no link: check the cable, and whether the other end is on "
			       "and its port enabled");
	else if (port->state == STATE_INITIALIZE)
		finding_advise(
			&doctor->findings,
			"the link is up, but no subnet manager has set the port up: " START_ONE);
	else if (port->state == STATE_ARMED)
		finding_advise(&doctor->findings,
			       "the subnet manager has not activated the port yet; if it stays so, "
			       "look at the log of the subnet manager");
}

/* Without a link there is no need to say that nobody has given the port its addresses. */
static void find_addresses(struct doctor *doctor)
{
	const struct madring_ca_port *port = doctor->port;
	bool is_up = port->state > STATE_DOWN;

	finding_add(&doctor->findings, "LID", "%u, LMC %u", port->lid, port->lmc);
	if (is_up && !port->lid)
		finding_advise(&doctor->findings,
			       "without a LID only directed routes reach anybody: " START_ONE);
	finding_add(&doctor->findings, "LID of the SM", "%u, SL %u", port->sm_lid, port->sm_sl);
	if (is_up && !port->sm_lid)
		finding_advise(&doctor->findings, "no subnet manager has been here, and nobody "
						  "finds paths to GUIDs: " START_ONE);
}

/*
 * Reports the P_Keys of the port, and what to do if it is not a full member of the default
 * partition.
 */
static void find_pkeys(struct doctor *doctor)
{
	const struct madring_ca_port *port = doctor->port;
	unsigned int count = 0, full = UINT_MAX, limited = UINT_MAX;
	const char *member = "no member";

	for (unsigned int i = port->pkey_count; i > 0; i--) {
		count += port->pkeys[i - 1] != 0;
		if (port->pkeys[i - 1] == PKEY_FULL)
			full = i - 1;
		if (port->pkeys[i - 1] == PKEY_LIMITED)
			limited = i - 1;
	}
	if (limited != UINT_MAX)
		member = "limited member";
	if (full != UINT_MAX)
		member = "full member";
	finding_add(&doctor->findings, "P_Keys", "%u of %u, %s of the default partition", count,
		    port->pkey_count, member);
	if (full == UINT_MAX && limited != UINT_MAX)
		finding_advise(&doctor->findings,
			       "limited members do not reach each other: have the subnet manager "
			       "make this port a full member, or choose a P_Key by --pkey-idx");
	else if (full == UINT_MAX)
		finding_advise(&doctor->findings,
			       "other nodes answer in the default partition as a rule: have the "
			       "subnet manager make this port a member, or choose a P_Key by "
			       "--pkey-idx");
	else if (full)
		finding_advise(&doctor->findings,
			       "requests have the P_Key at index 0, and that of the default "
			       "partition is at index %u: add --pkey-idx %u",
			       full, full);
}

void doctor_port(struct doctor *doctor)
{
	/* Without devices doctor_umad_files() has said so. */
	if (!doctor->port && doctor->choice_error == -ENODEV && !doctor->options->ca_name)
		return;
	if (!doctor->port) {
		finding_add(&doctor->findings, "port", "%s",
			    madring_error_text(doctor->choice_error));
		finding_advise(&doctor->findings,
			       "name a port by -C and -P; ibstat -p, or madring-ping --doctor "
			       "without these options, lists what there is");
		return;
	}
	find_link_layer(doctor);
	find_pair(doctor);
	find_state(doctor);
	if (is_ethernet(doctor->port))
		return;
	find_addresses(doctor);
	find_pkeys(doctor);
}
