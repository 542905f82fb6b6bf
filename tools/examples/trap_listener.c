/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: trap-listener: prints each notice of the subnet: the trap's number and the LIDs that it is
 * about and comes from. Ends on SIGINT or SIGTERM.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <madring.h>
#include <madring/sa.h>

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

static void print(const struct madring_notification *n)
{
	struct madring_notice_details details;

	if (n->kind == MADRING_NOTIFICATION_SUBSCRIBED) {
		printf("subscribed\n");
	} else if (n->kind == MADRING_NOTIFICATION_LOST) {
		printf("lost: %s\n", madring_error_text(n->status));
	} else {
		madring_notice_details_decode(&details, n->notice);
		printf("trap %u lid %u from %u\n", n->notice->trap_number, details.lid,
		       n->notice->issuer_lid);
	}
	fflush(stdout);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct madring_subscription *subscription;
	struct madring_subnet *subnet = NULL;
	struct madring_sa *sa = NULL;
	int error = madring_subnet_open(NULL, &subnet);

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!error)
		error = madring_sa_open(subnet, NULL, &sa);
	if (!error)
		error = madring_subscribe(sa, NULL, print, NULL, &subscription);
	while (!ended && error >= 0)
		error = madring_run(madring_subnet_ring(subnet), 1000);
	if (error == -EINTR)
		error = 0;
	if (error < 0)
		fprintf(stderr, "trap-listener: %s\n", madring_error_text(error));
	madring_sa_close(sa); /* unsubscribes */
	madring_subnet_close(subnet);
	return error < 0;
}
