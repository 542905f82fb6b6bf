/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: follow: prints how the fabric changes. Looks again only at the nodes that notices name,
 * which takes a few requests. Ends on SIGINT or SIGTERM.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <madring.h>
#include <madring/compare.h>
#include <madring/sa.h>
#include <madring/sweep.h>

#define MOST_NAMED 64

struct follower {
	struct madring_fabric *fabric;
	uint64_t named[MOST_NAMED]; /* the GUIDs of nodes to look at */
	size_t count;
	bool looks_at_all; /* at all switches */
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

static uint64_t guid_of(const struct madring_gid *gid)
{
	uint64_t guid = 0;

	for (size_t i = 8; i < sizeof(gid->raw); i++)
		guid = guid << 8 | gid->raw[i];
	return guid;
}

/* Names the node that a notice is about: by LID, as of trap 128, or by GID, as of 64 and 65. */
static void on_notice(const struct madring_notification *n)
{
	struct follower *follower = n->user;
	const struct madring_node_port *port = NULL;
	struct madring_notice_details details;

	if (n->kind == MADRING_NOTIFICATION_SUBSCRIBED)
		puts("subscribed");
	if (n->notice) {
		madring_notice_details_decode(&details, n->notice);
		port = details.lid ? madring_fabric_port_by_lid(follower->fabric, details.lid)
				   : madring_fabric_port_by_guid(follower->fabric,
								 guid_of(&details.gid));
	}
	if (port && follower->count < MOST_NAMED)
		follower->named[follower->count++] = port->node->guid;
	else
		follower->looks_at_all = true;
}

static int print(void *user, const struct madring_difference *difference)
{
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	(void)user;
	puts(madring_difference_text(difference, text));
	return 0;
}

/*
 * Sweeps what notices have named since the last look, or everything, and prints what has changed.
 */
static int look(struct follower *follower, struct madring_subnet *subnet)
{
	const struct madring_node *nodes[MOST_NAMED];
	struct madring_fabric *now, *before = follower->fabric;
	bool all = follower->looks_at_all;
	size_t named = all ? 0 : follower->count, count = 0;
	int error;

	/* A node may be gone since a notice named it. */
	for (size_t i = 0; i < named; i++) {
		nodes[count] = madring_fabric_node_by_guid(before, follower->named[i]);
		count += nodes[count] != NULL;
	}
	follower->count = 0;
	follower->looks_at_all = false;
	error = madring_fabric_update(subnet, before, all ? NULL : nodes, count, NULL, &now);
	if (error) {
		madring_fabric_free(now);
		return error;
	}
	madring_fabric_compare(before, now, print, NULL);
	follower->fabric = now;
	madring_fabric_free(before);
	return 0;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct follower follower = { .fabric = NULL };
	struct madring_subscription *subscription;
	struct madring_subnet *subnet = NULL;
	struct madring_sa *sa = NULL;
	int error = madring_subnet_open(NULL, &subnet);

	setlinebuf(stdout);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!error)
		error = madring_sweep(subnet, NULL, &follower.fabric);
	if (!error)
		error = madring_sa_open(subnet, NULL, &sa);
	if (!error)
		error = madring_subscribe(sa, NULL, on_notice, &follower, &subscription);
	while (!ended && error >= 0) {
		error = madring_run(madring_subnet_ring(subnet), 1000);
		if (error >= 0 && (follower.count || follower.looks_at_all))
			error = look(&follower, subnet);
	}
	if (error < 0 && error != -EINTR)
		fprintf(stderr, "follow: %s\n", madring_error_text(error));
	madring_sa_close(sa); /* unsubscribes */
	madring_subnet_close(subnet);
	madring_fabric_free(follower.fabric);
	return error < 0 && error != -EINTR;
}
