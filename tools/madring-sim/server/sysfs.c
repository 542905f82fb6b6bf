/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the files that the driver has in sysfs and /dev, as far as libibumad reads them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/capability.h"
#include "server/device.h"

#define DEVICES_DIR  "sys/class/infiniband"
#define MAD_DIR	     "sys/class/infiniband_mad"
#define PATH_LENGTH  256
#define VALUE_LENGTH 128

/* The node whose files are written. */
struct place {
	const char *folder;
	uint32_t tree;
};

static int full_path(const struct place *place, const char *path, char full[PATH_MAX])
{
	int length =
		snprintf(full, PATH_MAX, "%s/" SIM_TREE "%u/%s", place->folder, place->tree, path);

	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/*
 * has_parent tells whether the folder of a file exists. Most folders do since another file was
 * written there.
 */
static bool has_parent(char *path)
{
	char *slash = strrchr(path, '/');
	bool has;

	*slash = '\0';
	has = !access(path, F_OK);
	*slash = '/';
	return has;
}

static int make_parents(char *path, size_t start)
{
	if (has_parent(path))
		return 0;
	for (char *slash = path + start; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* write_file replaces a file as a whole: no reader sees half of it. */
static int write_file(const struct place *place, const char *path, const char *text)
{
	char full[PATH_MAX], fresh[PATH_MAX];
	size_t length = strlen(text);
	ssize_t written;
	int fd, error;

	error = full_path(place, path, full);
	if (!error)
		error = full_path(place, "new", fresh);
	if (!error)
		error = make_parents(full, strlen(place->folder));
	if (error)
		return error;
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	written = write(fd, text, length);
	error = written < 0 ? -errno : 0;
	close(fd);
	if (!error && (size_t)written != length)
		error = -ENOSPC;
	if (!error && rename(fresh, full))
		error = -errno;
	return error;
}

/* Writes a value and a newline to the file @name in @folder; keeps the first error in @*error. */
static void __attribute__((format(printf, 5, 6))) put(const struct place *place, int *error,
						      const char *folder, const char *name,
						      const char *format, ...)
{
	char path[PATH_LENGTH], value[VALUE_LENGTH], line[VALUE_LENGTH + 1];
	va_list arguments;

	if (*error)
		return;
	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(line, sizeof(line), "%s\n", value);
	*error = write_file(place, path, line);
}

static void put_guid(const struct place *place, int *error, const char *folder, const char *name,
		     uint64_t guid)
{
	put(place, error, folder, name, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
	    (unsigned int)(guid >> 32) & 0xffff, (unsigned int)(guid >> 16) & 0xffff,
	    (unsigned int)guid & 0xffff);
}

static const char *state_name(uint8_t state)
{
	static const char *const name[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE" };

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "UNKNOWN";
}

static const char *phys_state_name(uint8_t state)
{
	static const char *const name[] = { "<unknown>",
					    "Sleep",
					    "Polling",
					    "Disabled",
					    "PortConfigurationTraining",
					    "LinkUp",
					    "LinkErrorRecovery",
					    "Phy Test" };

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "<unknown>";
}

static unsigned int lanes(uint8_t width)
{
	switch (width) {
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 1;
	}
}

/* lane_rate returns a lane's rate in tenths of Gb/s, as the driver counts it. */
static unsigned int lane_rate(const struct fabric_port_state *state, const char **name)
{
	static const struct {
		uint8_t code;
		unsigned int rate;
		const char *name;
	} extended[] = { { TOPOLOGY_SPEED_XDR, 2000, "XDR" },
			 { 8, 1000, "NDR" },
			 { 4, 500, "HDR" },
			 { 2, 250, "EDR" },
			 { 1, 140, "FDR" } },
	  plain[] = { { 4, 100, "QDR" }, { 2, 50, "DDR" } };

	for (size_t i = 0; i < sizeof(extended) / sizeof(extended[0]); i++) {
		if (state->speed_ext & extended[i].code) {
			*name = extended[i].name;
			return extended[i].rate;
		}
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (state->speed & plain[i].code) {
			*name = plain[i].name;
			return plain[i].rate;
		}
	}
	*name = "SDR";
	return 25;
}

static void put_gid(const struct place *place, int *error, const char *folder,
		    const struct fabric_port_state *state)
{
	uint64_t half[2] = { state->gid_prefix, state->guid };
	char text[40];
	int length = 0;

	for (int i = 0; i < 8; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%04x",
				   i ? ":" : "",
				   (unsigned int)(half[i / 4] >> (48 - 16 * (i % 4))) & 0xffff);
	put(place, error, folder, "gids/0", "%s", text);
}

/* capability_mask returns that of PortInfo. A port without QP0 has no SM, and says so. */
static uint32_t capability_mask(const struct device_port *port)
{
	uint32_t mask = port->state.capability_mask;

	return port_has_qp(port, 0) ? mask : (mask & ~(uint32_t)CAP_SM) | CAP_SM_DISABLED;
}

/* Writes the files of a port below the simulated sysfs. Returns 0 or a negative errno. */
static int write_port(const struct place *place, const struct device_port *port)
{
	const struct fabric_port_state *state = &port->state;
	const char *speed;
	unsigned int width = lanes(state->width) * (port->planes ? port->planes : 1);
	unsigned int rate = lane_rate(state, &speed) * width;
	char folder[PATH_LENGTH];
	int error = 0;

	snprintf(folder, sizeof(folder), DEVICES_DIR "/%s/ports/%u", port->device, port->number);
	put(place, &error, folder, "lid", "0x%x", state->lid);
	put(place, &error, folder, "lid_mask_count", "%u", state->lmc);
	put(place, &error, folder, "sm_lid", "0x%x", state->sm_lid);
	put(place, &error, folder, "sm_sl", "%u", state->sm_sl);
	put(place, &error, folder, "state", "%u: %s", state->state, state_name(state->state));
	put(place, &error, folder, "phys_state", "%u: %s", state->phys_state,
	    phys_state_name(state->phys_state));
	put(place, &error, folder, "rate", "%u%s Gb/sec (%uX %s)", rate / 10, rate % 10 ? ".5" : "",
	    width, speed);
	put(place, &error, folder, "cap_mask", "0x%08x", capability_mask(port));
	put(place, &error, folder, "link_layer", "InfiniBand");
	put_gid(place, &error, folder, state);
	return error;
}

static int write_pkeys(const struct server *server, const struct place *place,
		       const struct device_port *port)
{
	uint16_t pkeys[FABRIC_PKEYS];
	unsigned int count = fabric_pkeys(server->loop.fabric, port->endpoint, pkeys);
	char folder[PATH_LENGTH], name[16];
	int error = 0;

	snprintf(folder, sizeof(folder), DEVICES_DIR "/%s/ports/%u/pkeys", port->device,
		 port->number);
	for (unsigned int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%u", i);
		put(place, &error, folder, name, "0x%04x", pkeys[i]);
	}
	return error;
}

static int write_mad_device(const struct place *place, const struct device_port *port,
			    const char *name)
{
	char folder[PATH_LENGTH], node[PATH_LENGTH];
	int error = 0;

	snprintf(folder, sizeof(folder), MAD_DIR "/%s%u", name, port->index);
	put(place, &error, folder, "ibdev", "%s", port->device);
	put(place, &error, folder, "port", "%u", port->number);
	snprintf(node, sizeof(node), "dev/infiniband/%s%u", name, port->index);
	return error ? error : write_file(place, node, "");
}

static int write_device(const struct place *place, const struct topology_node *node,
			const char *device)
{
	char folder[PATH_LENGTH];
	int error = 0;

	snprintf(folder, sizeof(folder), DEVICES_DIR "/%s", device);
	put(place, &error, folder, "node_type", "%s",
	    node->type == NODE_SWITCH	? "2: switch"
	    : node->type == NODE_ROUTER ? "3: router"
					: "1: CA");
	put(place, &error, folder, "fw_ver", "1.0.0");
	put(place, &error, folder, "hw_rev", "0");
	put(place, &error, folder, "hca_type", "madring-sim");
	put(place, &error, folder, "board_id", "madring-sim");
	put(place, &error, folder, "node_desc", "%.64s", node->description);
	put_guid(place, &error, folder, "node_guid", node->node_guid);
	put_guid(place, &error, folder, "sys_image_guid", node->system_guid);
	put(place, &error, MAD_DIR, "abi_version", "%d", IB_UMAD_ABI_VERSION);
	return error;
}

int sysfs_create(const struct server *server, const struct hca *hca)
{
	const struct place place = { .folder = server->loop.folder, .tree = hca->tree };
	int error = 0;

	for (size_t i = 0; i < hca->port_count && !error; i++) {
		error = write_device(&place, hca->node, hca->port[i]->device);
		if (!error)
			error = write_port(&place, hca->port[i]);
		if (!error)
			error = write_pkeys(server, &place, hca->port[i]);
		if (!error)
			error = write_mad_device(&place, hca->port[i], "umad");
		if (!error && port_has_qp(hca->port[i], 0))
			error = write_mad_device(&place, hca->port[i], "issm");
	}
	return error;
}

int sysfs_create_kernel(const struct server *server)
{
	const struct place place = { .folder = server->loop.folder, .tree = SIM_KERNEL_TREE };
	const struct kernel *kernel = &server->kernel;
	int error = 0;

	put(&place, &error, "proc/sys/kernel", "osrelease", "%s", kernel->version->release);
	put(&place, &error, "sys/module/ib_core/parameters", "recv_queue_size", "%" PRIu32,
	    kernel->recv_queue_size);
	return error;
}

static bool same_state(const struct fabric_port_state *a, const struct fabric_port_state *b)
{
	return a->lid == b->lid && a->lmc == b->lmc && a->sm_lid == b->sm_lid &&
	       a->sm_sl == b->sm_sl && a->state == b->state && a->phys_state == b->phys_state &&
	       a->width == b->width && a->speed == b->speed && a->speed_ext == b->speed_ext &&
	       a->capability_mask == b->capability_mask && a->gid_prefix == b->gid_prefix &&
	       a->guid == b->guid && a->pkey_sets == b->pkey_sets;
}

int sysfs_update(const struct server *server, struct device_port *port)
{
	const struct place place = { .folder = server->loop.folder, .tree = port->hca->tree };
	struct fabric_port_state state;
	bool same_pkeys;
	int error;

	fabric_port_state(server->loop.fabric, port->endpoint, &state);
	if (same_state(&state, &port->state))
		return 0;
	same_pkeys = state.pkey_sets == port->state.pkey_sets;
	port->state = state;
	error = write_port(&place, port);
	return error || same_pkeys ? error : write_pkeys(server, &place, port);
}
