/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include <infiniband/mad.h>

#include "support.h"

#define MAX_HOPS 63

struct fabric *open_fabric(struct topology *topology, const char *node, unsigned int port,
			   int *endpoint)
{
	const struct fabric_config config = { .seed = 1 };
	struct fabric *fabric;

	assert_int_equal(fabric_open(&fabric, topology, &config), 0);
	*endpoint = fabric_attach(fabric, topology_find(topology, node), port);
	assert_true(*endpoint >= 0);
	return fabric;
}

static struct fabric_packet smp(unsigned int class, uint16_t attribute, uint32_t modifier)
{
	struct fabric_packet packet = { .slid = 0xffff, .dlid = 0xffff };

	mad_set_field(packet.mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(packet.mad, 0, IB_MAD_MGMTCLASS_F, class);
	mad_set_field(packet.mad, 0, IB_MAD_CLASSVER_F, 1);
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, GET);
	mad_set_field64(packet.mad, 0, IB_MAD_TRID_F, 0x1122334455667788);
	mad_set_field(packet.mad, 0, IB_MAD_ATTRID_F, attribute);
	mad_set_field(packet.mad, 0, IB_MAD_ATTRMOD_F, modifier);
	return packet;
}

struct fabric_packet directed(uint16_t attribute, uint32_t modifier, unsigned int hops,
			      const uint8_t *path)
{
	struct fabric_packet packet = smp(IB_SMI_DIRECT_CLASS, attribute, modifier);

	mad_set_field(packet.mad, 0, IB_DRSMP_HOPCNT_F, hops);
	mad_set_field(packet.mad, 0, IB_DRSMP_DRSLID_F, 0xffff);
	mad_set_field(packet.mad, 0, IB_DRSMP_DRDLID_F, 0xffff);
	if (hops)
		memcpy(packet.mad + 129, path, hops < MAX_HOPS ? hops : MAX_HOPS);
	return packet;
}

struct fabric_packet to_lid(uint16_t lid, uint16_t attribute, uint32_t modifier)
{
	struct fabric_packet packet = smp(IB_SMI_CLASS, attribute, modifier);

	packet.slid = 0;
	packet.dlid = lid;
	return packet;
}

bool ask(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
	 struct fabric_packet *answer)
{
	int out = -1;

	fabric_send(fabric, endpoint, packet, 10);
	return fabric_receive(fabric, 10, &out, answer) && out == endpoint;
}

void ask_status(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		uint16_t status, struct fabric_packet *answer)
{
	assert_true(ask(fabric, endpoint, packet, answer));
	assert_int_equal(mad_get_field(answer->mad, 0, IB_DRSMP_STATUS_F), status);
}

uint8_t *data_of(struct fabric_packet *packet)
{
	return packet->mad + IB_SMP_DATA_OFFS;
}
