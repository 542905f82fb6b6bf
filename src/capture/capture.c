/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <madring/version.h>

#include "capture/file.h"
#include "capture/packet.h"
#include "capture/pcapng.h"

#define MAX_BYTES   ((uint64_t)64 << 20)
#define LEAST_BYTES CAPTURE_FILE_PIECE
#define MAD_BYTES   4096u
#define MOST_BYTES  65000u /* of a MAD: an ERF record has at most 64 KiB */

/* MADs stay in the buffer for at most this time while more arrive. */
#define FLUSH_NS 1000000000u

#define PROGRAM "madring " MADRING_VERSION

struct capture {
	struct capture_file file;
	struct madring_capture_config config;
	uint64_t real_ns;
	uint64_t flushed_at;
	struct madring_ca_port **port; /* by interface */
	unsigned int ports;
	unsigned int described; /* interfaces that the current file describes */
	struct madring_capture_state state;
};

static bool is_valid_config(const struct madring_capture_config *config)
{
	return (!config->max_bytes || config->max_bytes >= LEAST_BYTES) &&
	       config->mad_bytes <= MOST_BYTES;
}

int capture_open(struct capture **out, const char *path,
		 const struct madring_capture_config *config, uint64_t real_ns)
{
	struct capture *capture;
	int error;

	if (config && !is_valid_config(config))
		return -EINVAL;
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return -ENOMEM;
	if (config)
		capture->config = *config;
	if (!capture->config.max_bytes)
		capture->config.max_bytes = MAX_BYTES;
	if (!capture->config.mad_bytes)
		capture->config.mad_bytes = MAD_BYTES;
	capture->real_ns = real_ns;
	error = capture_file_open(&capture->file, path, capture->config.max_bytes);
	/* Rotating renames the file, and a device such as /dev/null must keep its name. */
	if (!error && capture->file.is_device && capture->config.rotate) {
		capture_file_close(&capture->file);
		error = -EINVAL;
	}
	if (error) {
		free(capture);
		return error;
	}
	pcapng_section(&capture->file, PROGRAM);
	*out = capture;
	return 0;
}

int capture_close(struct capture *capture)
{
	int error = capture_file_close(&capture->file);

	for (unsigned int i = 0; i < capture->ports; i++)
		free(capture->port[i]);
	free(capture->port);
	free(capture);
	return error;
}

void capture_discard(struct capture *capture)
{
	capture->file.used = 0;
	capture_close(capture);
}

int capture_add_port(struct capture *capture, struct madring_ca_port *port)
{
	struct madring_ca_port **more =
		realloc(capture->port, (capture->ports + 1) * sizeof(struct madring_ca_port *));

	if (!more)
		return -ENOMEM;
	capture->port = more;
	capture->port[capture->ports] = port;
	return (int)capture->ports++;
}

/*
 * Describes the interfaces that the current file does not describe yet. Returns false if it is
 * full.
 */
static bool describe_interfaces(struct capture *capture)
{
	char name[MADRING_CA_NAME_BYTES + 16];

	while (capture->described < capture->ports) {
		const struct madring_ca_port *port = capture->port[capture->described];

		snprintf(name, sizeof(name), "%s:%u", port->ca_name, port->number);
		if (!pcapng_interface(&capture->file, name))
			return false;
		capture->described++;
	}
	return true;
}

static bool renew_file(struct capture *capture)
{
	if (!capture->file.full || !capture->config.rotate)
		return false;
	capture_file_renew(&capture->file);
	capture->described = 0;
	return pcapng_section(&capture->file, PROGRAM);
}

static uint8_t *packet_room(struct capture *capture, const struct pcapng_packet *packet)
{
	uint8_t *bytes =
		describe_interfaces(capture) ? pcapng_packet(&capture->file, packet) : NULL;

	if (bytes || !renew_file(capture))
		return bytes;
	return describe_interfaces(capture) ? pcapng_packet(&capture->file, packet) : NULL;
}

static void flush_if_due(struct capture *capture, uint64_t now)
{
	if (now - capture->flushed_at < FLUSH_NS)
		return;
	capture_file_flush(&capture->file);
	capture->flushed_at = now;
}

void capture_mad(struct capture *capture, unsigned int interface, bool sent,
		 const struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	size_t mad_bytes = bytes - sizeof(*umad);
	size_t headers = packet_headers_bytes(umad);
	size_t kept = mad_bytes;
	struct pcapng_packet packet = {
		.interface = interface,
		.sent = sent,
		.time_ns = now + capture->real_ns,
		.bytes = headers + mad_bytes + PACKET_CHECKSUMS,
	};
	uint8_t *to;

	if (kept > capture->config.mad_bytes)
		kept = capture->config.mad_bytes;
	packet.kept = headers + kept + (kept == mad_bytes ? PACKET_CHECKSUMS : 0);
	to = packet_room(capture, &packet);
	if (!to) {
		capture->state.missed++;
		return;
	}
	packet_headers(to, umad, mad_bytes, capture->port[interface], sent);
	memcpy(to + headers, umad->data, kept);
	if (kept == mad_bytes)
		memset(to + headers + kept, 0, PACKET_CHECKSUMS);
	capture->state.captured++;
	flush_if_due(capture, now);
}

void capture_state(const struct capture *capture, struct madring_capture_state *state)
{
	const struct capture_file *file = &capture->file;
	uint64_t lost = file->lost < capture->state.captured ? file->lost : capture->state.captured;

	*state = capture->state;
	state->captured -= lost;
	state->missed += lost;
	state->bytes = file->written + file->used;
	state->error = file->error;
	state->full = file->full;
}
