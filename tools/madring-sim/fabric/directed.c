/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/directed.h"
#include "fabric/smp.h"

/* end_of returns where a route ends: here, or further on by its LID. */
static enum directed_step end_of(const uint8_t *mad, enum smp_offset which,
				 const struct place *place, uint16_t *lid)
{
	*lid = smp_get16(mad, which);
	if (*lid == LID_PERMISSIVE || port_has_lid(lid_port(place->node, place->port), *lid))
		return DIRECTED_HERE;
	return place->node->type == NODE_SWITCH ? DIRECTED_FORWARD : DIRECTED_INVALID;
}

/*
 * leave returns whether an SMP may go out by a port. The SMPs of a CA's or router's port leave by
 * that port. Only switches pass SMPs on.
 */
static enum directed_step leave(const struct place *place, bool starts, unsigned int out)
{
	if (place->node->type == NODE_SWITCH)
		return DIRECTED_OUT;
	return starts && out == place->port ? DIRECTED_OUT : DIRECTED_INVALID;
}

static enum directed_step go_on(const struct place *place, bool starts, uint8_t *mad,
				unsigned int *out, uint16_t *lid)
{
	const uint8_t *initial_path = mad + SMP_INITIAL_PATH;
	uint8_t *return_path = mad + SMP_RETURN_PATH;
	unsigned int pointer = mad[SMP_HOP_POINTER], count = mad[SMP_HOP_COUNT];

	if (pointer > count)
		return pointer == count + 1 && !starts ? DIRECTED_HERE : DIRECTED_INVALID;
	/*
	 * A hop pointer of 0 is valid at a sender, and at the switch where a LID-routed part ends.
	 */
	if (starts ? pointer : !pointer && smp_get16(mad, SMP_DR_SLID) == LID_PERMISSIVE)
		return DIRECTED_INVALID;
	if (pointer)
		return_path[pointer] = (uint8_t)place->port;
	mad[SMP_HOP_POINTER]++;
	if (pointer == count)
		return end_of(mad, SMP_DR_DLID, place, lid);
	*out = initial_path[pointer + 1];
	return leave(place, starts, *out);
}

static enum directed_step go_back(const struct place *place, bool starts, uint8_t *mad,
				  unsigned int *out, uint16_t *lid)
{
	const uint8_t *return_path = mad + SMP_RETURN_PATH;
	unsigned int pointer = mad[SMP_HOP_POINTER], count = mad[SMP_HOP_COUNT];

	if (pointer > count + 1 || (starts && pointer != count + 1))
		return DIRECTED_INVALID;
	if (!pointer)
		return DIRECTED_HERE;
	mad[SMP_HOP_POINTER]--;
	if (pointer == 1)
		return end_of(mad, SMP_DR_SLID, place, lid);
	*out = return_path[pointer - 1];
	return leave(place, starts, *out);
}

enum directed_step directed_step(const struct place *place, bool starts, uint8_t *mad,
				 unsigned int *out, uint16_t *lid)
{
	if (mad[SMP_HOP_COUNT] > SMP_MAX_HOPS)
		return DIRECTED_INVALID;
	return smp_returns(mad) ? go_back(place, starts, mad, out, lid)
				: go_on(place, starts, mad, out, lid);
}
