/* SPDX-License-Identifier: BSD-2-Clause */
#include <madring/dump.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <infiniband/umad_str.h>
#include <madring/address.h>
#include <madring/rmpp.h>

#include "base/mad_class.h"
#include "attributes/attribute.h"

#define API __attribute__((visibility("default")))

#define TEXT_BYTES 16384
#define HEX_LINE   16

/* A MAD, and its first 256 bytes with zeros where it is shorter. */
struct view {
	const uint8_t *mad;
	size_t length;
	uint8_t head[MADRING_MAD_BYTES]; /* its first bytes */
	struct madring_mad_hdr header;
};

static uint64_t read_number(const struct view *view, size_t offset, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | view->head[offset++];
	return value;
}

API void madring_dump_address(FILE *out, const struct ib_mad_addr *address)
{
	char gid[INET6_ADDRSTRLEN];

	if (!out)
		out = stderr;
	fprintf(out,
		"address: LID %u, QP 0x%06x, Q_Key 0x%08x, SL %u, path bits %u, P_Key index %u\n",
		be16toh(address->lid), be32toh(address->qpn), be32toh(address->qkey), address->sl,
		address->path_bits, address->pkey_index);
	if (!address->grh_present)
		return;
	inet_ntop(AF_INET6, address->gid, gid, sizeof(gid));
	fprintf(out, "GRH: GID %s, index %u, flow label 0x%05x, traffic class %u, hop limit %u\n",
		gid, address->gid_index, be32toh(address->flow_label), address->traffic_class,
		address->hop_limit);
}

static const char *attribute_name_of(const struct view *view)
{
	const struct attribute *attribute =
		attribute_find(view->header.mgmt_class, be16toh(view->header.attr_id));

	if (attribute)
		return attribute_name(attribute);
	return umad_attribute_str(view->header.mgmt_class, view->header.attr_id);
}

static const char *status_text(const struct view *view, uint16_t status)
{
	if (view->header.mgmt_class == MADRING_CLASS_SA && status >> 8)
		return umad_sa_mad_status_str(htobe16(status));
	return umad_common_mad_status_str(htobe16(status));
}

static void write_header(FILE *out, const struct view *view)
{
	const struct madring_mad_hdr *header = &view->header;
	bool directed = header->mgmt_class == MADRING_CLASS_SMP_DIRECTED;
	/* The highest bit of a directed-route SMP's status is its direction. */
	uint16_t status = be16toh(header->status) & (directed ? MAD_STATUS_MASK : UINT16_MAX);

	fprintf(out, "MAD: %s %s(%s), %zu bytes\n", umad_class_str(header->mgmt_class),
		umad_method_str(header->mgmt_class, header->method), attribute_name_of(view),
		view->length);
	fprintf(out,
		"header: base version 0x%02x, class 0x%02x, class version %u, method 0x%02x, "
		"attribute 0x%04x, modifier 0x%08x, TID 0x%016" PRIx64 "\n",
		header->base_version, header->mgmt_class, header->class_version, header->method,
		be16toh(header->attr_id), be32toh(header->attr_mod), be64toh(header->tid));
	fprintf(out, "status: 0x%04x (%s)\n", status, status_text(view, status));
}

static void write_route(FILE *out, const struct view *view)
{
	unsigned int hops = view->head[SMP_HOP_COUNT];

	fprintf(out, "M_Key: 0x%016" PRIx64 "\n", read_number(view, SMP_MKEY, 8));
	if (view->header.mgmt_class != MADRING_CLASS_SMP_DIRECTED)
		return;
	fprintf(out, "route: %s, %u hops, pointer %u, DrSLID %u, DrDLID %u, path 0",
		be16toh(view->header.status) & SMP_DIRECTION ? "returning" : "outgoing", hops,
		view->head[SMP_HOP_POINTER], (unsigned int)read_number(view, SMP_DR_SLID, 2),
		(unsigned int)read_number(view, SMP_DR_DLID, 2));
	for (unsigned int hop = 1; hop <= hops && hop <= SMP_MAX_HOPS; hop++)
		fprintf(out, ",%u", view->head[SMP_INITIAL_PATH + hop]);
	fputc('\n', out);
}

static void write_rmpp(FILE *out, const struct view *view)
{
	struct madring_rmpp_hdr rmpp;

	memcpy(&rmpp, view->head + sizeof(struct madring_mad_hdr), sizeof(rmpp));
	if (!(rmpp.flags & MADRING_RMPP_ACTIVE))
		return;
	fprintf(out, "RMPP: version %u, type %u, flags 0x%02x, status %u, data 0x%08x 0x%08x\n",
		rmpp.version, rmpp.type, rmpp.flags, rmpp.status,
		(unsigned int)read_number(view, sizeof(struct madring_mad_hdr) + 4, 4),
		(unsigned int)read_number(view, sizeof(struct madring_mad_hdr) + 8, 4));
}

static void write_class(FILE *out, const struct view *view)
{
	uint8_t mgmt_class = view->header.mgmt_class;
	const struct mad_class *properties = mad_class_of(mgmt_class);

	if (properties->is_smp)
		write_route(out, view);
	else if (properties->has_rmpp)
		write_rmpp(out, view);
	if (mgmt_class == MADRING_CLASS_SA)
		fprintf(out, "SM_Key: 0x%016" PRIx64 ", component mask 0x%016" PRIx64 "\n",
			read_number(view, SA_SM_KEY, 8), read_number(view, SA_COMPONENT_MASK, 8));
}

/* Writes text from the fabric, which may hold anything, so that a terminal can show it. */
static void write_text(FILE *out, const char *text)
{
	char last = '\n';

	for (; *text; text++) {
		last = *text;
		if (last != '\n' && last != '\t' && !isprint((unsigned char)last))
			last = '?';
		fputc(last, out);
	}
	if (last != '\n')
		fputc('\n', out);
}

static void write_hex(FILE *out, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (i % HEX_LINE == 0)
			fprintf(out, "%s%04zx:", i ? "\n" : "", i);
		fprintf(out, " %02x", data[i]);
	}
	if (bytes)
		fputc('\n', out);
}

/* Writes one attribute or record of @bytes bytes. */
static void write_attribute(FILE *out, const struct view *view, const uint8_t *data, size_t bytes)
{
	const struct attribute *attribute =
		attribute_find(view->header.mgmt_class, be16toh(view->header.attr_id));
	uint8_t padded[ATTRIBUTE_BYTES] = { 0 };
	char text[TEXT_BYTES];

	if (!attribute) {
		write_hex(out, data, bytes);
		return;
	}
	memcpy(padded, data, bytes < sizeof(padded) - 1 ? bytes : sizeof(padded) - 1);
	attribute_text(attribute, text, sizeof(text), padded);
	write_text(out, text);
}

/* Writes the records of a table. Each begins at a multiple of the record's size. */
static void write_records(FILE *out, const struct view *view, size_t size)
{
	size_t number = 0;

	for (size_t at = MADRING_SA_DATA; at + size <= view->length; at += size) {
		fprintf(out, "record %zu:\n", ++number);
		write_attribute(out, view, view->mad + at, size);
	}
}

static void write_data(FILE *out, const struct view *view)
{
	const struct mad_class *properties = mad_class_of(view->header.mgmt_class);
	size_t offset = properties->data_offset;
	size_t bytes = view->length > offset ? view->length - offset : 0;
	size_t record = 8 * (size_t)read_number(view, SA_RECORD_WORDS, 2);

	if (view->header.mgmt_class == MADRING_CLASS_SA &&
	    view->header.method == MADRING_GET_TABLE_RESP && record) {
		write_records(out, view, record);
		return;
	}
	if (properties->is_smp && bytes > MADRING_SMP_DATA_BYTES)
		bytes = MADRING_SMP_DATA_BYTES;
	write_attribute(out, view, view->mad + offset, bytes);
}

static void write_umad(FILE *out, const struct ib_user_mad *umad)
{
	fprintf(out, "umad: agent %u, status %u (%s), timeout %d ms, retries %u, length %u\n",
		umad->agent_id, umad->status,
		umad->status ? strerror((int)umad->status) : "received or to be sent",
		(int)umad->timeout_ms, umad->retries, umad->length);
}

API void madring_dump_mad(FILE *out, const struct madring_mad *mad, size_t length)
{
	struct view view = { .mad = madring_mad_const_data(mad), .length = length };

	if (!out)
		out = stderr;
	memcpy(view.head, view.mad, length < sizeof(view.head) ? length : sizeof(view.head));
	memcpy(&view.header, view.head, sizeof(view.header));
	write_umad(out, madring_mad_const_umad(mad));
	madring_dump_address(out, madring_mad_const_address(mad));
	write_header(out, &view);
	write_class(out, &view);
	write_data(out, &view);
}
