/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <string.h>

#include "sim_client.h"
#include "sim_subnet.h"

#define SWITCH_INFO 0x0012
#define PORT_INFO   0x0015
#define LINEAR_FDB  0x0019
#define TRIES	    40
#define ARMED	    3
#define ACTIVE	    4

/* Offsets in PortInfo and SwitchInfo. */
#define PORT_LID	  16
#define PORT_SM_LID	  18
#define PORT_STATE	  32
#define PORT_PHYS_STATE	  33
#define SWITCH_LINEAR_TOP 6

struct manager {
	int fd;
	uint32_t agent;
	uint32_t tid;
};

/* Sends an SMP to this HCA, or to the switch behind it; what is lost is sent again. */
static struct message ask(struct manager *manager, int hops, uint8_t method, uint16_t attribute,
			  uint32_t modifier, const uint8_t *data)
{
	struct message request, reply;

	request = client_request(manager->agent, ++manager->tid, 0, SHORT_MS / 2);
	request.header.retries = TRIES;
	request.smp.hop_cnt = (uint8_t)hops;
	request.smp.initial_path[1] = 1;
	request.smp.method = method;
	request.smp.attr_id = htobe16(attribute);
	request.smp.attr_mod = htobe32(modifier);
	if (data)
		memcpy(request.smp.data, data, sizeof(request.smp.data));
	client_write(manager->fd, &request);
	assert_int_equal(client_read(manager->fd, &reply), sizeof(reply));
	assert_int_equal(reply.smp.status & ~htobe16(0x8000), 0);
	return reply;
}

static void set_port(struct manager *manager, int hops, uint32_t port, uint8_t lid)
{
	struct message info = ask(manager, hops, UMAD_METHOD_GET, PORT_INFO, port, NULL);
	uint8_t state;

	info.smp.data[PORT_PHYS_STATE] = 0;
	if (lid) {
		info.smp.data[PORT_LID + 1] = lid;
		info.smp.data[PORT_SM_LID + 1] = LID_OF_PORT1;
	}
	for (state = ARMED; state <= ACTIVE; state++) {
		info.smp.data[PORT_STATE] = (uint8_t)((info.smp.data[PORT_STATE] & 0xf0) | state);
		ask(manager, hops, UMAD_METHOD_SET, PORT_INFO, port, info.smp.data);
	}
}

static void set_switch(struct manager *manager)
{
	struct message info = ask(manager, 1, UMAD_METHOD_GET, SWITCH_INFO, 0, NULL);
	uint8_t table[sizeof(info.smp.data)];

	info.smp.data[SWITCH_LINEAR_TOP] = 0;
	info.smp.data[SWITCH_LINEAR_TOP + 1] = LID_OF_PORT2;
	ask(manager, 1, UMAD_METHOD_SET, SWITCH_INFO, 0, info.smp.data);
	memset(table, 0xff, sizeof(table));
	table[LID_OF_PORT1] = 1;
	table[LID_OF_PORT2] = 2;
	ask(manager, 1, UMAD_METHOD_SET, LINEAR_FDB, 0, table);
	set_port(manager, 1, 1, 0);
	set_port(manager, 1, 2, 0);
}

static void manage(int port, bool with_switch)
{
	struct manager manager = { .fd = umad_open_port(NULL, port) };

	assert_true(manager.fd >= 0);
	manager.agent = client_agent(manager.fd);
	if (with_switch)
		set_switch(&manager);
	set_port(&manager, 0, (uint32_t)port, port == 1 ? LID_OF_PORT1 : LID_OF_PORT2);
	umad_close_port(manager.fd);
}

void subnet_bring_up(void)
{
	manage(1, true);
	manage(2, false);
}
