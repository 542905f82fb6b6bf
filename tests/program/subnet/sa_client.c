/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: sa-client queries | listen
 *
 * queries: prints how many nodes and paths the SA knows, and the path to each node's LID.
 * listen: subscribes to notices, and prints each, until standard input ends.
 */
#include <errno.h>
#include <inttypes.h>
#include <madring.h>
#include <madring/names.h>
#include <madring/sa.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_LIDS 4096u

struct nodes {
	unsigned int count;
	uint16_t lids[MAX_LIDS];
};

static void on_node(void *user, const struct madring_node_record *record)
{
	struct nodes *nodes = user;

	printf("node 0x%016" PRIx64 " %s\n", record->node_guid, record->description);
	if (nodes->count < MAX_LIDS)
		nodes->lids[nodes->count++] = record->lid;
}

static int query(struct madring_sa *sa)
{
	static struct nodes nodes;
	const struct madring_sa_request paths = { .attr_id = MADRING_ATTR_PATH_RECORD };
	struct madring_path_record path;
	struct madring_sa_answer answer;
	int error = madring_sa_nodes(sa, on_node, &nodes);

	if (error < 0) {
		printf("no nodes: %s\n", madring_error_text(error));
		return 1;
	}
	error = madring_sa_call(sa, &paths, &answer);
	printf("paths %zu %s\n", answer.count, answer.text);
	madring_sa_answer_release(sa, &answer);
	for (unsigned int i = 0; i < nodes.count && !error; i++) {
		error = madring_sa_path_by_lid(sa, 0, nodes.lids[i], &path);
		if (!error && path.dlid != nodes.lids[i])
			error = -EPROTO;
		if (!error)
			error = madring_sa_path_by_gid(sa, NULL, &path.dgid, &path);
	}
	if (madring_sa_path_by_lid(sa, 0, 0xbff0, &path) != -ENOENT &&
	    madring_sa_path_by_lid(sa, 0, 0xbff0, &path) != -EREMOTEIO)
		error = -EPROTO;
	printf("end %s\n", error ? madring_error_text(error) : "good");
	return error != 0;
}

static void on_notification(const struct madring_notification *notification)
{
	const struct madring_notice *notice = notification->notice;
	struct madring_notice_details details;

	switch (notification->kind) {
	case MADRING_NOTIFICATION_SUBSCRIBED:
		printf("subscribed\n");
		break;
	case MADRING_NOTIFICATION_LOST:
		printf("lost %d\n", notification->status);
		break;
	case MADRING_NOTIFICATION_NOTICE:
		madring_notice_details_decode(&details, notice);
		printf("notice %u lid %u gid 0x%02x%02x\n", notice->trap_number, details.lid,
		       details.gid.raw[14], details.gid.raw[15]);
	}
	fflush(stdout);
}

static void on_change(void *user, const struct madring_sa_state *before,
		      const struct madring_sa_state *now)
{
	(void)user;
	printf("sm %u -> %u\n", before->sm_lid, now->sm_lid);
	fflush(stdout);
}

static int listen_to(struct madring_sa *sa, struct madring *ring)
{
	struct pollfd files[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				  { .fd = madring_fd(ring), .events = POLLIN } };
	struct madring_subscription *subscription;
	int error = madring_subscribe(sa, NULL, on_notification, NULL, &subscription);

	while (!error && !files[0].revents) {
		if (madring_step(ring) < 0 || poll(files, 2, -1) < 0)
			error = -EIO;
	}
	printf("end %s\n", error ? madring_error_text(error) : "good");
	return error != 0;
}

int main(int argc, char **argv)
{
	const struct madring_sa_config config = { .change = on_change,
						  .watch_ms = 100,
						  .renew_ms = 2000 };
	struct madring_subnet *subnet;
	struct madring_sa *sa;
	int status, error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sa_open(subnet, &config, &sa);
	if (error) {
		printf("cannot open: %s\n", madring_error_text(error));
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "listen"))
		status = listen_to(sa, madring_subnet_ring(subnet));
	else
		status = query(sa);
	if (madring_sa_close(sa) || madring_subnet_close(subnet))
		status = 1;
	return status;
}
