/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: lid-counters LID:PORT...: prints the bytes that each port has sent and received, as CSV.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <madring/batch.h>
#include <madring/field.h>
#include <madring/names.h>
#include <madring/prepare.h>
#include <madring/subnet.h>
#include <madring/version.h>

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	char ***arguments = user, *name = **arguments, *rest;
	uint16_t lid;

	(void)batch;
	if (!name)
		return 0;
	++*arguments;
	send->user = name;
	lid = (uint16_t)strtoul(name, &rest, 0);
	if (*rest != ':')
		return -EDESTADDRREQ;
	madring_gmp_prepare(mad, lid, MADRING_GET, MADRING_ATTR_PORT_COUNTERS_EXTENDED, 0);
	madring_mad_set_field(mad, "PortSelect", strtoul(rest + 1, NULL, 0));
	return 1;
}

static void done(void *user, const struct madring_completion *c)
{
	const char *name = c->user, *error = madring_completion_text(c);
	uint64_t sent = 0, received = 0;

	(void)user;
	if (!error && (madring_mad_get_field(c->mad, "PortXmitData", &sent) ||
		       madring_mad_get_field(c->mad, "PortRcvData", &received)))
		error = "the reply has no counters";
	if (error)
		fprintf(stderr, "%s: %s\n", name, error);
	else
		printf("%s,%" PRIu64 ",%" PRIu64 "\n", name, 4 * sent, 4 * received);
}

int main(int argc, char **argv)
{
	char **names = argv + 1;
	struct madring_batch_config config = { .next = next, .done = done, .user = &names };
	struct madring_subnet *subnet = NULL;
	struct madring_agent *pma;
	int error = argc > 1 ? madring_subnet_open(NULL, &subnet) : -EDESTADDRREQ;

	if (!error)
		error = madring_subnet_agent(subnet, MADRING_CLASS_PMA, &pma);
	if (!error)
		error = madring_batch_call(pma, &config);
	madring_subnet_close(subnet);
	if (error)
		fprintf(stderr, "lid-counters: %s\n", madring_error_text(error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
