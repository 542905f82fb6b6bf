/* SPDX-License-Identifier: BSD-2-Clause */
#include "serve.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring/subnet.h>

#include "run.h"

/* Keeps a received request until Python takes it, or counts it as dropped. */
static void keep_request(const struct madring_received *received)
{
	struct server *server = received->user;
	struct serve_request *kept;
	const struct madring_mad_hdr *header;

	if (!received->mad) {
		server->error = received->status;
		return;
	}
	if (received->status || received->length != MADRING_MAD_BYTES ||
	    server->count == server->limit) {
		server->dropped++;
		return;
	}
	header = madring_mad_const_header(received->mad);
	kept = &server->requests[server->count++];
	*kept = (struct serve_request){
		.tid = be64toh(header->tid),
		.attr_mod = be32toh(header->attr_mod),
		.attr_id = be16toh(header->attr_id),
		.lid = be16toh(madring_mad_const_umad(received->mad)->addr.lid),
		.method = header->method,
	};
	memcpy(kept->mad, header, sizeof(kept->mad));
	memcpy(&kept->umad, madring_mad_const_umad(received->mad), sizeof(kept->umad));
}

static int open_agent(struct server *server, struct madring_subnet *subnet, uint8_t mgmt_class,
		      uint32_t oui, const uint64_t methods[2])
{
	struct madring_agent_config config;

	madring_subnet_get_agent_config(subnet, mgmt_class, &config);
	config.oui = oui;
	config.rmpp = MADRING_RMPP_NONE;
	memcpy(config.method_mask, methods, sizeof(config.method_mask));
	config.receive = keep_request;
	config.receive_user = server;
	return madring_subnet_agent_open(subnet, &config, &server->agent);
}

int serve_open(struct madring_subnet *subnet, uint8_t mgmt_class, uint32_t oui,
	       const uint64_t methods[2], size_t limit, struct server **server)
{
	struct server *new;
	int error = -ENOMEM;

	if (!limit)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->ring = madring_subnet_ring(subnet);
	new->limit = limit;
	new->requests = calloc(limit, sizeof(*new->requests));
	if (new->requests)
		error = open_agent(new, subnet, mgmt_class, oui, methods);
	if (error) {
		free(new->requests);
		free(new);
		return error;
	}
	*server = new;
	return 0;
}

void serve_taken(struct server *server)
{
	server->count = 0;
}

static bool has_received(const void *state)
{
	const struct server *server = state;

	return server->count || server->error;
}

int serve_run(const struct server *server, int timeout_ms)
{
	return run_until(server->ring, has_received, server, timeout_ms);
}

int serve_answer(struct server *server, const struct serve_request *request, const void *data,
		 size_t offset, size_t bytes, uint16_t status)
{
	const struct madring_send_options send = { .no_reply = true };
	struct madring_mad *mad;
	int error;

	if (offset > MADRING_MAD_BYTES || bytes > MADRING_MAD_BYTES - offset)
		return -EINVAL;
	mad = madring_mad_alloc(server->agent);
	if (!mad)
		return -ENOBUFS;
	memcpy(madring_mad_umad(mad), &request->umad, sizeof(request->umad));
	memcpy(madring_mad_data(mad), request->mad, sizeof(request->mad));
	madring_response_prepare(mad, mad);
	memcpy((uint8_t *)madring_mad_data(mad) + offset, data, bytes);
	madring_mad_header(mad)->status |= htobe16(status);
	error = madring_send(server->agent, mad, &send);
	if (error) {
		madring_mad_free(server->ring, mad);
		return error;
	}
	error = madring_submit(server->ring);
	return error < 0 ? error : 0;
}

void serve_close(struct server *server)
{
	madring_agent_close(server->agent);
	free(server->requests);
	free(server);
}
