/* SPDX-License-Identifier: BSD-2-Clause */
#include "vhca_hca.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct vhca_record hca_head(uint16_t type, size_t length, uint8_t port)
{
	return (struct vhca_record){ .length = (uint32_t)length, .type = type, .port = port };
}

int hca_tell(struct hca *hca, const struct vhca_record *record)
{
	return write(hca->fd, record, record->length) < 0 ? -errno : 0;
}

int hca_open(struct hca *hca, const struct vhca_create *create, size_t out_room)
{
	int error;

	memset(hca, 0, sizeof(*hca));
	hca->out = calloc(out_room, sizeof(*hca->out));
	if (!hca->out)
		return -ENOMEM;
	hca->out_room = out_room;
	hca->fd = open(HCA_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	error = hca->fd < 0 ? -errno : hca_tell(hca, &create->head);
	if (error)
		hca_close(hca);
	return error;
}

void hca_close(struct hca *hca)
{
	if (hca->fd >= 0)
		close(hca->fd);
	free(hca->out);
}

bool hca_has_room(const struct hca *hca, size_t mads)
{
	return hca->out_room - hca->out_count >= mads;
}

bool hca_send(struct hca *hca, const struct vhca_mad *mad)
{
	if (!hca_has_room(hca, 1))
		return false;
	hca->out[(hca->out_head + hca->out_count) % hca->out_room] = *mad;
	hca->out_count++;
	return true;
}

int hca_flush(struct hca *hca)
{
	while (hca->out_count) {
		size_t run = hca->out_room - hca->out_head;
		ssize_t written;

		if (run > hca->out_count)
			run = hca->out_count;
		written = write(hca->fd, &hca->out[hca->out_head], run * sizeof(*hca->out));
		if (written < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		run = (size_t)written / sizeof(*hca->out);
		hca->out_head = (hca->out_head + run) % hca->out_room;
		hca->out_count -= run;
	}
	return 0;
}

int hca_fill(struct hca *hca)
{
	ssize_t length;

	if (hca->in_taken < hca->in_length)
		return 0;
	hca->in_taken = 0;
	hca->in_length = 0;
	length = read(hca->fd, hca->in, sizeof(hca->in));
	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	hca->in_length = (size_t)length;
	return 0;
}

bool hca_next(struct hca *hca, union hca_record *record)
{
	if (hca->in_taken == hca->in_length)
		return false;
	memcpy(&record->head, hca->in + hca->in_taken, sizeof(record->head));
	memcpy(record, hca->in + hca->in_taken, record->head.length);
	hca->in_taken += record->head.length;
	return true;
}
