/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may run the ring of an SA. */

#include "sa/sa_state.h"

#include <errno.h>

int sa_check_caller(const struct madring_sa *sa)
{
	struct madring_completion none;
	int error;

	if (sa->is_closing)
		return -EBUSY;
	/*
	 * madring_call() looks at its caller before it refuses the NULL. madring_dispatch() would
	 * call back, even in a child of fork(2).
	 */
	error = madring_call(sa->agent, NULL, NULL, &none);
	return error == -EBUSY || error == -EREMOTE ? error : 0;
}
