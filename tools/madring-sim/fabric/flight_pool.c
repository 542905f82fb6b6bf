/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/flight.h"

struct flight *flight_take(struct fabric *fabric)
{
	struct flight *flight = slab_take(&fabric->flights);

	if (!flight)
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
	return flight;
}

void flight_give_back(struct fabric *fabric, struct flight *flight)
{
	slab_give_back(&fabric->flights, flight);
}
