/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/capture.h"
#include "common/complain.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/plural.h"
#include "json/utf8.h"
#include "server.h"

#define TRANSACTIONS 16384u
#define NO_DOMAIN    "(none)"				     /* Linux' word for it */
#define METHODS	     (1u << MADRING_GET | 1u << MADRING_SET) /* those that ibping -S takes */

struct server {
	struct local local;
	struct madring_agent *agent;
	char host[IBPING_DATA_BYTES]; /* what it answers */
	uint64_t answered, unanswered;
	int error;
};

/* Reads the host's name and its domain with a dot between, as ibping does. The rest is 0. */
static void host_read(char host[IBPING_DATA_BYTES])
{
	char name[IBPING_DATA_BYTES / 2] = "", domain[IBPING_DATA_BYTES / 2] = "";
	bool has_domain;

	if (gethostname(name, sizeof(name) - 1))
		name[0] = '?';
	has_domain = !getdomainname(domain, sizeof(domain) - 1) && domain[0] &&
		     strcmp(domain, NO_DOMAIN) != 0;
	memset(host, 0, IBPING_DATA_BYTES);
	snprintf(host, IBPING_DATA_BYTES, "%s%s%s", name, has_domain ? "." : "",
		 has_domain ? domain : "");
	utf8_make_printable(host);
}

static int send_answer(struct server *server, struct madring_mad *mad)
{
	const struct madring_send_options how = { .no_reply = true };

	madring_response_prepare(mad, mad);
	memcpy((uint8_t *)madring_mad_data(mad) + IBPING_DATA, server->host, sizeof(server->host));
	return madring_send(server->agent, mad, &how);
}

static void on_request(const struct madring_received *received)
{
	struct server *server = received->user;

	if (received->status == -ENODEV) {
		server->error = -ENODEV;
		return;
	}
	/* A message longer than a MAD is not of this protocol. */
	if (received->status || received->length != MADRING_MAD_BYTES ||
	    madring_mad_keep(server->local.ring, received->mad)) {
		server->unanswered++;
		return;
	}
	if (send_answer(server, received->mad)) {
		madring_mad_free(server->local.ring, received->mad);
		server->unanswered++;
		return;
	}
	server->answered++;
}

static int open_agent(struct server *server, const struct options *options)
{
	const struct madring_agent_config config = {
		.mgmt_class = IBPING_CLASS,
		.class_version = 1,
		.oui = options->oui,
		.method_mask = { METHODS },
		.receive = on_request,
		.receive_user = server,
	};

	return local_agent_open(&server->local, &config, "ibping's class, as a server",
				&server->agent);
}

static void serve_requests(struct server *server)
{
	while (!server->error && !interrupted()) {
		int result = madring_run(server->local.ring, -1);

		if (result < 0 && result != -EINTR)
			server->error = result;
	}
}

/*
 * Serves until it is interrupted, and says so first. Flushes that line at once, because another
 * program may wait for it. Returns capture_end()'s result.
 */
static int serve_until_interrupted(struct server *server, const struct options *options)
{
	char ca_name[MADRING_CA_NAME_BYTES];

	interrupt_watch(server->local.ring);
	if (!options->quiet) {
		snprintf(ca_name, sizeof(ca_name), "%s", madring_port_ca_name(server->local.port));
		utf8_make_printable(ca_name);
		printf("madring-ping: answering as \"%s\" at %s port %d\n", server->host, ca_name,
		       madring_port_number(server->local.port));
		fflush(stdout);
	}
	serve_requests(server);
	interrupt_unwatch();
	return capture_end(server->local.ring, options->capture);
}

int server_run(const struct options *options)
{
	struct server server = { 0 };
	const struct local_config local = { .transactions = TRANSACTIONS,
					    .ca_name = options->ca_name,
					    .port = options->port,
					    .pkey_index = options->pkey_index };
	int failed;

	host_read(server.host);
	if (local_open(&server.local, &local))
		return EXIT_UNABLE;
	if (open_agent(&server, options) || capture_start(server.local.ring, options->capture)) {
		local_close(&server.local);
		return EXIT_UNABLE;
	}
	failed = serve_until_interrupted(&server, options);
	local_close(&server.local);
	if (!options->quiet)
		printf("madring-ping: %" PRIu64 " request%s answered, %" PRIu64 " not\n",
		       server.answered, plural(server.answered), server.unanswered);
	if (server.error)
		complain("the server ended: %s", server.error == -ENODEV
							 ? "the device is gone"
							 : madring_error_text(server.error));
	return server.error || failed ? EXIT_UNABLE : EXIT_ANSWERED;
}
