/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madring.h>

#include "reading.h"

/*
 * STATUS_CODE returns the code of a status. The codes below it say that the agent does not support
 * the method, or the attribute with this method.
 */
#define STATUS_CODE(status)	   ((status) >> 2 & 7)
#define STATUS_NO_METHOD	   2
#define STATUS_NO_METHOD_ATTRIBUTE 3
#define STATUS_BITS		   0x7fff

/* Returns why a MAD is no reply to the request for an attribute, or NULL if it is one. */
static const char *reply_check(uint16_t id, const struct madring_mad_hdr *header,
			       const struct outcome *outcome)
{
	if (outcome->length < MADRING_PMA_DATA + PMA_DATA_BYTES)
		return "it is too short";
	if (header->mgmt_class != MADRING_CLASS_PMA || header->method != MADRING_GET_RESP)
		return "it is no GetResp of performance management";
	if (be16toh(header->attr_id) != id || header->attr_mod)
		return "it is of another attribute than was asked for";
	if (outcome->source_lid != outcome->asked_lid)
		return "it is from another LID than was asked";
	return NULL;
}

static enum reading_state status_state(uint16_t status)
{
	unsigned int code = STATUS_CODE(status);

	if (!status)
		return READING_DONE;
	if (!(status & 1) && (code == STATUS_NO_METHOD || code == STATUS_NO_METHOD_ATTRIBUTE))
		return READING_UNSUPPORTED;
	return READING_STATUS;
}

static void take_reply(struct reading *reading, uint16_t id, unsigned int port,
		       const struct outcome *outcome)
{
	struct madring_mad_hdr header = { 0 };
	const uint8_t *data = (const uint8_t *)outcome->mad + MADRING_PMA_DATA;
	size_t length = outcome->length < sizeof(header) ? outcome->length : sizeof(header);

	memcpy(&header, outcome->mad, length);
	reading->state = READING_MALFORMED;
	reading->text = reply_check(id, &header, outcome);
	if (reading->text)
		return;
	reading->status = be16toh(header.status) & STATUS_BITS;
	reading->state = status_state(reading->status);
	if (reading->state != READING_DONE)
		return;
	if (port != PMA_NO_PORT && pma_port_select(data) != port) {
		reading->state = READING_MALFORMED;
		reading->text = "it is of another port than was asked for";
		return;
	}
	memcpy(reading->data, data, sizeof(reading->data));
}

void reading_take(struct reading *reading, uint16_t id, unsigned int port,
		  const struct outcome *outcome)
{
	reading->time_ns = outcome->now_ns;
	if (!outcome->error) {
		take_reply(reading, id, port, outcome);
		return;
	}
	reading->state = READING_NO_REPLY;
	reading->error = outcome->error;
}

const char *reading_text(const struct reading *reading, char text[READING_TEXT_BYTES])
{
	switch (reading->state) {
	case READING_OPEN:
		return "not asked for before the end";
	case READING_DONE:
		return "read";
	case READING_UNSUPPORTED:
		return "the node does not have it";
	case READING_STATUS:
		snprintf(text, READING_TEXT_BYTES, "error status 0x%04x", reading->status);
		return text;
	case READING_NO_REPLY:
		if (reading->error == -ETIMEDOUT)
			return "no reply";
		if (reading->error == -EDESTADDRREQ)
			return "the port has no LID";
		return madring_error_text(reading->error);
	case READING_MALFORMED:
		snprintf(text, READING_TEXT_BYTES, "malformed reply: %s", reading->text);
		return text;
	}
	return "";
}
