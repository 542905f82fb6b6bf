/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP headers. */
#include "api/state.h"

API void madring_rmpp_prepare(struct madring_mad *mad)
{
	*madring_rmpp_header(mad) = (struct madring_rmpp_hdr){
		.version = MADRING_RMPP_VERSION,
		.type = MADRING_RMPP_DATA,
		.flags = MADRING_RMPP_ACTIVE,
	};
}
