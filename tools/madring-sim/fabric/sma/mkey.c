/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/notice.h"
#include "fabric/sma/mkey.h"
#include "fabric/smp.h"

#define MKEY_OFFSET 0 /* in PortInfo */

#define HIDES_KEY  1 /* protection bits, and all above */
#define HIDES_REST 2

#define MAX_VIOLATIONS 0xffff
#define SECOND	       1000000000ull

/*
 * has_key tells whether a port has an M_Key. Keys are compared as they stand in the attribute and
 * the SMP, in network order.
 */
static bool has_key(const struct port *port)
{
	static const uint8_t none[8];

	return memcmp(port->port_info + MKEY_OFFSET, none, sizeof(none));
}

static bool fits(const struct port *port, const uint8_t *mad)
{
	return !memcmp(port->port_info + MKEY_OFFSET, mad + SMP_MKEY, 8);
}

static uint32_t protection(struct fabric *fabric, struct port *port)
{
	if (port->lease_end <= fabric->now) {
		port->lease_end = FABRIC_NEVER;
		mad_set_field(port->port_info, 0, IB_PORT_MKEY_PROT_BITS_F, 0);
	}
	return mad_get_field(port->port_info, 0, IB_PORT_MKEY_PROT_BITS_F);
}

static void violate(struct agent_request *request, struct port *port)
{
	uint32_t count = mad_get_field(port->port_info, 0, IB_PORT_MKEY_VIOL_F);
	uint64_t lease = mad_get_field(port->port_info, 0, IB_PORT_MKEY_LEASE_F);

	if (count < MAX_VIOLATIONS)
		mad_set_field(port->port_info, 0, IB_PORT_MKEY_VIOL_F, count + 1);
	if (lease && port->lease_end == FABRIC_NEVER)
		port->lease_end = request->fabric->now + lease * SECOND;
	notice_bad_mkey(request);
}

bool mkey_admits(struct agent_request *request)
{
	struct port *port = lid_port(request->node, request->port);
	const uint8_t *mad = request->packet->mad;
	uint32_t bits;

	if (request->any_mkey || !has_key(port))
		return true;
	bits = protection(request->fabric, port);
	if (fits(port, mad)) {
		port->lease_end = FABRIC_NEVER;
		return true;
	}
	if (mad[SMP_METHOD] == IB_MAD_METHOD_GET && bits < HIDES_REST)
		return true;
	violate(request, port);
	return false;
}

bool mkey_is_shown(const struct request *request, struct port *port)
{
	return request->any_mkey || !has_key(port) || fits(port, request->mad) ||
	       protection(request->fabric, port) < HIDES_KEY;
}
