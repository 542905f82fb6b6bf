/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows the attributes of the port of an SA. */

#include "sa/sa_state.h"
#include "sized/sized.h"

#include <string.h>

static struct madring_port *port_of(const struct madring_sa *sa)
{
	return madring_subnet_port(sa->subnet, MADRING_CLASS_SA);
}

int sa_read_state(const struct madring_sa *sa, struct madring_sa_state *state)
{
	const struct madring_port *port = port_of(sa);
	struct madring_ca_port *attributes;
	int error;

	error = madring_ca_port_get_link(madring_port_ca_name(port), madring_port_number(port),
					 &attributes);
	if (error)
		return error;
	state->sm_lid = (uint16_t)attributes->sm_lid;
	state->sm_sl = attributes->sm_sl;
	state->lid = (uint16_t)attributes->lid;
	state->lmc = attributes->lmc;
	state->port_state = attributes->state;
	memcpy(state->gid.raw, attributes->gid, sizeof(state->gid.raw));
	madring_ca_port_release(attributes);
	return 0;
}

static bool states_are_equal(const struct madring_sa_state *one,
			     const struct madring_sa_state *other)
{
	return one->sm_lid == other->sm_lid && one->sm_sl == other->sm_sl &&
	       one->lid == other->lid && one->lmc == other->lmc &&
	       one->port_state == other->port_state &&
	       !memcmp(one->gid.raw, other->gid.raw, sizeof(one->gid.raw));
}

API int madring_sa_refresh(struct madring_sa *sa)
{
	struct madring_sa_state before = sa->state, now;
	int error = sa_read_state(sa, &now);

	if (error || states_are_equal(&before, &now))
		return error;
	sa->state = now;
	/* An SM forgets what a port that was gone has subscribed to. */
	subscriptions_renew(sa);
	sa->calling++;
	if (sa->config.change)
		sa->config.change(sa->config.user, &before, &now);
	sa->calling--;
	return 0;
}

API void madring_sa_get_state_sized(const struct madring_sa *sa, struct madring_sa_state *state,
				    size_t state_size)
{
	sized_give(state, state_size, &sa->state, sizeof(sa->state));
}
