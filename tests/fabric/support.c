/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/mad.h>

#include "support.h"

#define MAX_HOPS 63

struct topology *read_data(const char *name)
{
	struct topology_error error;
	struct topology *topology;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", FABRIC_DATA, name);
	if (topology_read(&topology, path, &error))
		fail_msg("%s:%u: %s", error.file, error.line, error.text);
	return topology;
}

int read_text(struct topology **topology, const char *text, size_t length,
	      struct topology_error *error)
{
	char path[] = "/tmp/madring-fabric-XXXXXX";
	int fd = mkstemp(path);
	size_t done = 0;
	ssize_t wrote;
	int ret;

	assert_true(fd >= 0);
	while (done < length) {
		wrote = write(fd, text + done, length - done);
		assert_true(wrote > 0);
		done += (size_t)wrote;
	}
	close(fd);
	ret = topology_read(topology, path, error);
	unlink(path);
	return ret;
}

struct topology *generate(const char *spec)
{
	struct topology_error error;
	struct topology *topology;

	if (topology_generate(&topology, spec, &error))
		fail_msg("%s: %s", spec, error.text);
	return topology;
}

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
