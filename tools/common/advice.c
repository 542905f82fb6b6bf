/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <madring.h>

#include "advice.h"
#include "complain.h"

#define READ_WRITE 06u
#define UDEV_RULE  "SUBSYSTEM==\"infiniband_mad\", KERNEL==\"umad*\", GROUP=\"rdma\", MODE=\"0660\""

static const char *state_word(uint8_t state)
{
	static const char *const words[] = { "no state", "down", "initialized", "armed", "active" };

	return state < sizeof(words) / sizeof(words[0]) ? words[state] : words[0];
}

static void list_ports_of(const char *name)
{
	struct madring_ca *ca;

	if (madring_ca_get(name, &ca))
		return;
	for (unsigned int i = 0; i < ca->port_count; i++)
		complain("available: %s port %u, %s, %s", name, ca->ports[i]->number,
			 ca->ports[i]->link_layer, state_word(ca->ports[i]->state));
	madring_ca_release(ca);
}

static void list_ports(void)
{
	int count = madring_ca_names(NULL, 0);
	char(*names)[MADRING_CA_NAME_BYTES];
	unsigned int room;

	if (count <= 0) {
		complain("this machine has no such device: is its driver loaded, and is it given "
			 "to the container?");
		return;
	}
	room = (unsigned int)count;
	names = calloc(room, sizeof(*names));
	if (!names)
		return;
	/* There may be more or fewer by now. */
	count = madring_ca_names(names, room);
	for (unsigned int i = 0; i < room && (int)i < count; i++)
		list_ports_of(names[i]);
	free(names);
}

int advice_find_file(const char *ca_name, int port, char *path, size_t room)
{
	char issm[PATH_MAX];
	const char *number;
	int error = madring_ca_issm_path(ca_name, port, issm, sizeof(issm));

	if (error)
		return error;
	number = strpbrk(issm, "0123456789");
	if (!number)
		return -ENODEV;
	snprintf(path, room, "/dev/infiniband/umad%s", number);
	return 0;
}

bool advice_on_permission(const char *path, char *text, size_t room)
{
	struct stat file;
	struct group *group;

	if (stat(path, &file))
		return false;
	group = getgrgid(file.st_gid);
	if ((file.st_mode & READ_WRITE) == READ_WRITE)
		snprintf(text, room,
			 "%s: its mode permits everybody; a container, or the network namespace of "
			 "the device, forbids it",
			 path);
	else if (file.st_gid && (file.st_mode >> 3 & READ_WRITE) == READ_WRITE)
		snprintf(text, room, "%s is for root and group %s (%u): add the user to that group",
			 path, group ? group->gr_name : "", (unsigned int)file.st_gid);
	else
		snprintf(text, room,
			 "%s is for root alone; for a group, write into a file in "
			 "/etc/udev/rules.d: %s",
			 path, UDEV_RULE);
	return true;
}

static void explain_permission(const char *ca_name, int port)
{
	char path[PATH_MAX], text[ADVICE_BYTES];

	if (!advice_find_file(ca_name, port, path, sizeof(path)) &&
	    advice_on_permission(path, text, sizeof(text)))
		complain("%s", text);
}

/* Returns the sysctl kernel.io_uring_disabled; 0 if the kernel has none. */
static long io_uring_disabled(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	char text[16] = "";

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strtol(text, NULL, 10);
}

void advice_on_io_uring(char *text, size_t room)
{
	long disabled = io_uring_disabled();

	if (!disabled)
		snprintf(text, room,
			 "the sysctl permits io_uring; the seccomp filter of a container, or of a "
			 "systemd unit, forbids it");
	else if (disabled == 1)
		snprintf(text, room,
			 "kernel.io_uring_disabled is 1, which forbids it to most users: run as "
			 "root, in the group of kernel.io_uring_group, or after sysctl -w "
			 "kernel.io_uring_disabled=0");
	else
		snprintf(text, room,
			 "kernel.io_uring_disabled is %ld, which forbids it to all users: sysctl "
			 "-w kernel.io_uring_disabled=0",
			 disabled);
}

static void explain_io_uring(void)
{
	char text[ADVICE_BYTES];

	advice_on_io_uring(text, sizeof(text));
	complain("%s", text);
}

static void explain_limit(int resource, unsigned int unit, const char *unit_name, const char *how)
{
	struct rlimit limit;

	if (!getrlimit(resource, &limit) && limit.rlim_cur != RLIM_INFINITY)
		complain("the limit is %ju%s: %s", (uintmax_t)limit.rlim_cur / unit, unit_name,
			 how);
}

static void explain_kernel(void)
{
	struct utsname name;

	if (!uname(&name))
		complain("this is %s %s", name.sysname, name.release);
}

void advice_print(const char *ca_name, int port, int error)
{
	switch (-error) {
	case ENODEV:
	case ENXIO:
	case EPROTONOSUPPORT:
		list_ports();
		break;
	case EACCES:
		explain_permission(ca_name, port);
		break;
	case EPERM:
		explain_io_uring();
		break;
	case ENOBUFS:
		explain_limit(RLIMIT_MEMLOCK, 1024, " KiB", ADVICE_MEMLOCK);
		break;
	case EMFILE:
		explain_limit(RLIMIT_NOFILE, 1, "", ADVICE_NOFILE);
		break;
	case ENOSYS:
		explain_kernel();
		break;
	}
}
