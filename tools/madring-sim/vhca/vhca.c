/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "report/report.h"
#include "vhca/vhca.h"
#include "vhca/virtual_hca.h"

#define MODULE	   "vhca"
#define UMAD_CLASS "/sys/class/infiniband_mad"

struct endpoint {
	struct vhca_hca *hca; /* NULL: not one of these */
	unsigned int port;
};

struct vhca_face {
	struct loop loop;
	struct vhca_hca *hcas, **last;
	struct endpoint *endpoint;
	size_t endpoint_count;
};

static struct vhca_face *face_of(struct loop *loop)
{
	return (struct vhca_face *)loop;
}

static uint64_t face_next(struct loop *loop)
{
	uint64_t next = FABRIC_NEVER;

	for (const struct vhca_hca *hca = face_of(loop)->hcas; hca; hca = hca->next) {
		uint64_t due = late_answers_next(&hca->late);

		if (due < next)
			next = due;
	}
	return next;
}

static void face_expire(struct loop *loop)
{
	for (struct vhca_hca *hca = face_of(loop)->hcas; hca; hca = hca->next)
		vhca_hca_expire(loop, hca);
}

static void face_receive(struct loop *loop, int number, const struct fabric_packet *packet)
{
	const struct vhca_face *face = face_of(loop);
	const struct endpoint *endpoint;

	if ((size_t)number >= face->endpoint_count)
		return;
	endpoint = &face->endpoint[number];
	if (endpoint->hca)
		vhca_hca_receive(endpoint->hca, endpoint->port, packet);
}

static int face_settle(struct loop *loop)
{
	int error = 0;

	for (struct vhca_hca *hca = face_of(loop)->hcas; hca && !error; hca = hca->next)
		error = vhca_hca_settle(loop, hca);
	return error;
}

static void report_hca(struct json_writer *writer, const struct vhca_hca *hca)
{
	json_write_open(writer, NULL, '{');
	json_write_text(writer, "name", hca->name);
	json_write_number(writer, "sent", hca->counts.sent);
	json_write_number(writer, "received", hca->counts.received);
	json_write_number(writer, "overflowed", hca->counts.overflowed);
	json_write_number(writer, "refused", hca->urgent.refused + hca->mads.refused);
	json_write_number(writer, "upcalls", hca->counts.upcalls);
	json_write_number(writer, "upcalls_failed", hca->counts.upcalls_failed);
	json_write_close(writer, '}');
}

static void face_report(const struct loop *loop, struct json_writer *writer)
{
	const struct vhca_hca *hca = ((const struct vhca_face *)loop)->hcas;

	json_write_open(writer, "hcas", '[');
	for (; hca; hca = hca->next)
		report_hca(writer, hca);
	json_write_close(writer, ']');
}

static void face_close(struct loop *loop)
{
	struct vhca_face *face = face_of(loop);

	free(face->endpoint);
	free(face);
}

static const struct face face_type = {
	.next = face_next,
	.expire = face_expire,
	.receive = face_receive,
	.settle = face_settle,
	.report = face_report,
	.close = face_close,
};

int vhca_open(struct vhca_face **opened, const struct loop_config *config, char *why, size_t size)
{
	struct vhca_face *face = calloc(1, sizeof(*face));
	int error;

	if (!face)
		return loop_explain(-ENOMEM, why, size, "virtual HCAs");
	face->last = &face->hcas;
	error = loop_open(&face->loop, &face_type, config, why, size);
	if (error)
		loop_close(&face->loop);
	else
		*opened = face;
	return error;
}

static int list_port(struct vhca_face *face, struct vhca_hca *hca, unsigned int port)
{
	size_t number = (size_t)hca->port[port].endpoint, needed = number + 1;

	if (needed > face->endpoint_count) {
		struct endpoint *grown = reallocarray(face->endpoint, needed, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + face->endpoint_count, 0,
		       (needed - face->endpoint_count) * sizeof(*grown));
		face->endpoint = grown;
		face->endpoint_count = needed;
	}
	face->endpoint[number] = (struct endpoint){ .hca = hca, .port = port };
	return 0;
}

static int list_hca(struct vhca_face *face, struct vhca_hca *hca)
{
	int error = 0;

	*face->last = hca;
	face->last = &hca->next;
	for (unsigned int port = 1; port <= hca->port_count && !error; port++) {
		if (hca->port[port].endpoint >= 0)
			error = list_port(face, hca, port);
	}
	return error;
}

static const char *reason_of(int error)
{
	switch (error) {
	case -EPROTO:
		return "the module speaks another version than this program";
	case -EBADMSG:
		return "it does not answer as the module vhca does";
	case -EINVAL:
		return "it can't be an HCA with such a port: switches can't, and there are ports 1 "
		       "and 2 only";
	default:
		return strerror(-error);
	}
}

static const char *advice_for(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "; is the module " MODULE " loaded?";
	case EACCES:
	case EPERM:
		return "; only root may use it, unless its mode is changed";
	default:
		return "";
	}
}

/* is_vhca tells whether a device is a vhca. Another device might obey what is written to it. */
static bool is_vhca(int fd)
{
	char link[64], target[PATH_MAX];
	const char *name;
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) || !S_ISCHR(status.st_mode))
		return false;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u", major(status.st_rdev),
		 minor(status.st_rdev));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	name = strrchr(target, '/');
	return name && !strcmp(name, "/" MODULE);
}

/* Opens a device file. Returns the fd, or -errno with the reason in @why. */
static int vhca_device_open(const char *path, char *why, size_t size)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), error = errno;

	if (fd < 0) {
		snprintf(why, size, "%s: %s%s", path, strerror(error), advice_for(error));
		return -error;
	}
	if (!is_vhca(fd)) {
		snprintf(why, size, "%s: not the device of the module " MODULE, path);
		close(fd);
		return -ENOTTY;
	}
	if (access(UMAD_CLASS, F_OK)) {
		snprintf(why, size, "%s: not there; is the module ib_umad loaded?", UMAD_CLASS);
		close(fd);
		return -ENODEV;
	}
	return fd;
}

int vhca_add_open(struct vhca_face *face, int fd, const struct attachment *place, char *why,
		  size_t size)
{
	struct vhca_hca *hca;
	int error = vhca_hca_open(&hca, &face->loop, fd, place);

	if (!error)
		error = list_hca(face, hca);
	if (error)
		snprintf(why, size, "the HCA of %s: %s", place->node->description,
			 reason_of(error));
	return error;
}

int vhca_add(struct vhca_face *face, const char *device, const struct attachment *place, char *why,
	     size_t size)
{
	int fd = vhca_device_open(device, why, size);

	return fd < 0 ? fd : vhca_add_open(face, fd, place, why, size);
}

struct loop *vhca_loop(struct vhca_face *face)
{
	return &face->loop;
}
