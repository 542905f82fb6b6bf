/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ftw.h>
#include <limits.h>

/*
 * The variable that tells the preloaded library where to look, and the folder that it looks for
 * there.
 */
#define VARIABLE "MADRING_SIM"
#define TREE	 "root.0/sys/class"

static char folder[PATH_MAX], fabric[PATH_MAX];

void machine_open(void)
{
	const char *old = getenv(VARIABLE);
	const char *parent = getenv("TMPDIR");

	assert_non_null(old);
	assert_in_range(snprintf(fabric, sizeof(fabric), "%s", old), 1, sizeof(fabric) - 1);
	snprintf(folder, sizeof(folder), "%s/madring-machine.XXXXXX", parent ? parent : "/tmp");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv(VARIABLE, folder, 1), 0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	return remove(path);
}

static void remove_all(const char *path)
{
	assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void machine_close(void)
{
	assert_int_equal(setenv(VARIABLE, fabric, 1), 0);
	remove_all(folder);
}

void machine_remove(const char *path)
{
	char full[3 * PATH_MAX];

	snprintf(full, sizeof(full), "%s/" TREE "/%s", folder, path);
	remove_all(full);
}

void machine_rename(const char *from, const char *to)
{
	char full[2][2 * PATH_MAX];

	snprintf(full[0], sizeof(full[0]), "%s/" TREE "/%s", folder, from);
	snprintf(full[1], sizeof(full[1]), "%s/" TREE "/%s", folder, to);
	assert_int_equal(rename(full[0], full[1]), 0);
}

void machine_link(const char *name, const char *to)
{
	char full[2 * PATH_MAX];

	snprintf(full, sizeof(full), "%s/" TREE "/%s", folder, name);
	assert_int_equal(symlink(to, full), 0);
}

static void make_folders(char *path)
{
	for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* Writes a line to a file whose folders are made. */
static void __attribute__((format(printf, 2, 3))) put(const char *path, const char *format, ...)
{
	char full[2 * PATH_MAX];
	va_list arguments;
	FILE *file;

	snprintf(full, sizeof(full), "%s/" TREE "/%s", folder, path);
	make_folders(full);
	file = fopen(full, "w");
	assert_non_null(file);
	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
	fputc('\n', file);
	assert_int_equal(fclose(file), 0);
}

static const char *in_folder(char *path, const char *parent, const char *name)
{
	assert_in_range(snprintf(path, PATH_MAX, "%s/%s", parent, name), 1, PATH_MAX - 1);
	return path;
}

static void put_guid(const char *path, const char *prefix, uint64_t guid)
{
	put(path, "%s%04x:%04x:%04x:%04x", prefix, (unsigned int)(guid >> 48),
	    (unsigned int)(guid >> 32) & 0xffff, (unsigned int)(guid >> 16) & 0xffff,
	    (unsigned int)guid & 0xffff);
}

void machine_add_ca(const char *name, unsigned int node_type, uint64_t node_guid)
{
	char parent[PATH_MAX / 2], path[PATH_MAX];

	snprintf(parent, sizeof(parent), "infiniband/%s", name);
	put(in_folder(path, parent, "node_type"), "%u: of a test", node_type);
	put(in_folder(path, parent, "fw_ver"), "1.2.3");
	put(in_folder(path, parent, "hw_rev"), "0xa1");
	put(in_folder(path, parent, "hca_type"), "MT4129");
	put_guid(in_folder(path, parent, "node_guid"), "", node_guid);
	put_guid(in_folder(path, parent, "sys_image_guid"), "", node_guid + 1);
	put(in_folder(path, parent, "ports/empty"), "0");
	machine_remove(in_folder(path, parent, "ports/empty"));
}

void machine_add_pkey(const char *ca, unsigned int port, const char *name, uint16_t pkey)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "infiniband/%s/ports/%u/pkeys/%s", ca, port, name);
	put(path, "0x%04x", pkey);
}

static void add_device(const struct machine_port *port, const char *kind)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "infiniband_mad/%s%d/ibdev", kind, port->umad);
	put(path, "%s", port->ca);
	snprintf(path, sizeof(path), "infiniband_mad/%s%d/port", kind, port->umad);
	put(path, "%u", port->number);
}

void machine_add_port(const struct machine_port *port)
{
	char parent[PATH_MAX / 2], path[PATH_MAX];

	snprintf(parent, sizeof(parent), "infiniband/%s/ports/%u", port->ca, port->number);
	put(in_folder(path, parent, "lid_mask_count"), "2");
	put(in_folder(path, parent, "sm_lid"), "0x11");
	put(in_folder(path, parent, "sm_sl"), "3");
	put(in_folder(path, parent, "lid"), "0x1234");
	put(in_folder(path, parent, "state"), "%u: of a test", port->state);
	put(in_folder(path, parent, "phys_state"), "%u: of a test", port->phys_state);
	put(in_folder(path, parent, "rate"), "100 Gb/sec (4X EDR)");
	put(in_folder(path, parent, "cap_mask"), "0x%08x", port->capability_mask);
	put(in_folder(path, parent, "link_layer"), "%s",
	    port->link_layer ? port->link_layer : "InfiniBand");
	put_guid(in_folder(path, parent, "gids/0"), "fe80:0000:0000:0001:", port->guid);
	machine_add_pkey(port->ca, port->number, "0", 0xffff);
	machine_add_pkey(port->ca, port->number, "1", 0x8001);
	machine_add_pkey(port->ca, port->number, "2", 0);
	if (port->umad >= 0) {
		add_device(port, "umad");
		add_device(port, "issm");
	}
	put("infiniband_mad/abi_version", "5");
}
