/* SPDX-License-Identifier: BSD-2-Clause */
/* The subscriptions of an SA. */

#include "sa/sa_state.h"

#include <stdlib.h>

void subscriptions_renew(struct madring_sa *sa)
{
	for (struct madring_subscription *each = sa->subscriptions; each; each = each->next) {
		if (each->is_ended || each->config.trap_class)
			continue;
		each->due = 0;
		each->is_active = false;
		if (each->query)
			sa_query_cancel(each->query);
	}
}

void subscriptions_sweep(struct madring_sa *sa)
{
	struct madring_subscription **link = &sa->subscriptions;

	if (sa->calling)
		return;
	while (*link) {
		struct madring_subscription *each = *link;

		/* The answer of its query refers to it. */
		if (each->is_ended && !each->query) {
			*link = each->next;
			free(each);
		} else {
			link = &each->next;
		}
	}
}
