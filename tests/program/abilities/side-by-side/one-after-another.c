/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: one-after-another LIDS
 *
 * Names the nodes of the LIDs from 1 on, with what their first ports have sent, as users of
 * libibumad write it: a request, its reply, the next. all-at-once does the same by madring.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad.h>
#include <infiniband/umad_types.h>

#define NODE_DESCRIPTION 0x0010
#define COUNTERS	 0x001d /* PortCountersExtended */
#define TRANSMITTED	 8	/* where it has PortXmitData */
#define GSI_QKEY	 0x80010000
#define TIMEOUT_MS	 250
#define RETRIES		 3
#define DATA		 64

static int port;
static uint64_t tid = 1;

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void prepare(void *umad, unsigned int lid, uint8_t mgmt_class, uint16_t attribute)
{
	struct umad_hdr *header = umad_get_mad(umad);
	unsigned int qp = mgmt_class == UMAD_CLASS_PERF_MGMT;

	memset(umad, 0, umad_size() + UMAD_LEN_DATA + sizeof(*header));
	umad_set_addr(umad, (int)lid, (int)qp, 0, qp ? (int)GSI_QKEY : 0);
	header->base_version = 1;
	header->mgmt_class = mgmt_class;
	header->class_version = 1;
	header->method = UMAD_METHOD_GET;
	header->tid = htobe64(tid++);
	header->attr_id = htobe16(attribute);
}

/* Sends what is prepared and waits; the reply's attribute, or NULL. */
static const uint8_t *ask(int agent, void *umad)
{
	struct umad_hdr *header = umad_get_mad(umad);
	uint32_t expected = (uint32_t)be64toh(header->tid);
	int length = 256;

	if (umad_send(port, agent, umad, length, TIMEOUT_MS, RETRIES) < 0)
		die("umad_send");
	do {
		length = 256;
		if (umad_recv(port, umad, &length, -1) < 0)
			die("umad_recv");
	} while ((uint32_t)be64toh(header->tid) != expected);
	if (umad_status(umad) || header->status)
		return NULL;
	return (const uint8_t *)header + DATA;
}

static void show(unsigned int lid, int smi, int pma, void *umad)
{
	const uint8_t *attribute;
	uint64_t transmitted;
	char name[65] = "";

	prepare(umad, lid, UMAD_CLASS_SUBN_LID_ROUTED, NODE_DESCRIPTION);
	attribute = ask(smi, umad);
	if (attribute)
		memcpy(name, attribute, sizeof(name) - 1);
	prepare(umad, lid, UMAD_CLASS_PERF_MGMT, COUNTERS);
	((uint8_t *)umad_get_mad(umad))[DATA + 1] = 1;
	attribute = ask(pma, umad);
	if (!*name || !attribute) {
		printf("LID %u: no answer\n", lid);
		return;
	}
	memcpy(&transmitted, attribute + TRANSMITTED, sizeof(transmitted));
	printf("LID %u: %s has sent %" PRIu64 "\n", lid, name, be64toh(transmitted));
}

int main(int argc, char *argv[])
{
	unsigned int lids = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	void *umad;
	int smi, pma;

	if (!lids || lids >= 0xc000 || umad_init() < 0)
		return EXIT_FAILURE;
	port = umad_open_port(NULL, 0);
	umad = umad_alloc(1, umad_size() + 256);
	if (port < 0 || !umad)
		die("the port");
	smi = umad_register(port, UMAD_CLASS_SUBN_LID_ROUTED, 1, 0, NULL);
	pma = umad_register(port, UMAD_CLASS_PERF_MGMT, 1, 0, NULL);
	if (smi < 0 || pma < 0)
		die("umad_register");
	for (unsigned int lid = 1; lid <= lids; lid++)
		show(lid, smi, pma, umad);
	umad_unregister(port, pma);
	umad_unregister(port, smi);
	umad_free(umad);
	umad_close_port(port);
	return umad_done() < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
