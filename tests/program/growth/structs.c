/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: structs [newer]
 *
 * A program that passes every struct that may grow to the libraries. Each stands between canaries,
 * and is filled with rubbish before a library fills it. old-and-new compiles this file against
 * headers of two versions: with -DLATER, the structs have members that this version of the
 * libraries does not know. With `newer`, the program runs with libraries of that version.
 */
#include <errno.h>
#include <madring.h>
#include <madring/compare.h>
#include <madring/fabric.h>
#include <madring/sa.h>
#include <madring/structs.h>
#include <madring/subnet.h>
#include <madring/sweep.h>
#include <madring/tables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "first_version.h"

#define CANARY_BYTES 64u
#define CANARY	     0xa5

static void expect(bool holds, const char *what, int line)
{
	if (holds)
		return;
	fprintf(stderr, "structs.c:%d: %s\n", line, what);
	exit(1);
}
#define EXPECT(holds) expect(holds, #holds, __LINE__)

/* Returns room for structs, which is full of rubbish, between canaries. */
static void *guarded(size_t size)
{
	unsigned char *memory = malloc(size + (size_t)2 * CANARY_BYTES);

	EXPECT(memory != NULL);
	memset(memory, CANARY, size + (size_t)2 * CANARY_BYTES);
	return memory + CANARY_BYTES;
}

static void check_canaries(const void *room, size_t size, int line)
{
	const unsigned char *bytes = room;

	for (size_t i = 0; i < CANARY_BYTES; i++)
		expect(bytes[-1 - (ptrdiff_t)i] == CANARY && bytes[size + i] == CANARY,
		       "a library has written beyond the struct", line);
}

static void release(void *room)
{
	free((unsigned char *)room - CANARY_BYTES);
}

/* With members that the library may not know. If it knows them, it leaves them zero, too. */
#ifdef LATER
#define CHECK_LATER(room)                                                                          \
	expect(!(room)->later[0] && !(room)->later[1], "what is not known is not zero", __LINE__)
#define SET_LATER(room, to) ((room)->later[1] = (to))
#else
#define CHECK_LATER(room)   ((void)(room))
#define SET_LATER(room, to) ((void)(room))
#endif

/* This program is of a later version than the libraries. */
static bool is_newer;

/* Has a library fill a struct, as *it, and checks what it must not touch. */
#define FILL(type, call)                                                                           \
	do {                                                                                       \
		struct type *it = guarded(sizeof(*it));                                            \
		call;                                                                              \
		check_canaries(it, sizeof(*it), __LINE__);                                         \
		CHECK_LATER(it);                                                                   \
		release(it);                                                                       \
	} while (0)

/*
 * Passes a struct that sets a member of a later version, which an older library refuses. @call
 * uses *it, and must not succeed by what @config has, or be harmless twice.
 */
#define REFUSED(type, config, call)                                                                \
	do {                                                                                       \
		struct type *it = guarded(sizeof(*it));                                            \
		*it = (config);                                                                    \
		SET_LATER(it, 1);                                                                  \
		if (is_newer)                                                                      \
			expect((call) == -E2BIG, #call " takes what it does not know", __LINE__);  \
		check_canaries(it, sizeof(*it), __LINE__);                                         \
		release(it);                                                                       \
	} while (0)

static void check_attributes(void)
{
	uint8_t attribute[256] = { 0 }, written[256];

	attribute[11] = 7;
#define BOTH(name)                                                                                 \
	FILL(madring_##name, madring_##name##_decode(it, attribute);                               \
	     EXPECT(!madring_##name##_encode(written, it)));                                       \
	REFUSED(madring_##name, (struct madring_##name){ 0 }, madring_##name##_encode(written, it))
	BOTH(node_info);
	BOTH(port_info);
	BOTH(switch_info);
	BOTH(port_counters);
	BOTH(port_counters_extended);
	BOTH(path_record);
	BOTH(node_record);
	BOTH(inform_info);
	FILL(madring_node_info, madring_node_info_decode(it, attribute);
	     EXPECT((it->system_guid & 0xff) == 7));
}

static void check_notices(void)
{
	uint8_t attribute[MADRING_NOTICE_BYTES] = { [0] = 0x80, [5] = 128, [11] = 7 }, written[64];
	struct madring_notice notice;

	FILL(madring_notice, EXPECT(!madring_notice_decode(it, attribute, sizeof(attribute)));
	     EXPECT(!madring_notice_encode(written, sizeof(written), it)));
	REFUSED(madring_notice, (struct madring_notice){ 0 },
		madring_notice_encode(written, sizeof(written), it));
	EXPECT(!madring_notice_decode(&notice, attribute, sizeof(attribute)));
	FILL(madring_notice_details, EXPECT(!madring_notice_details_decode(it, &notice)));
}

static void check_devices(void)
{
	struct madring_ca_pair *pairs = guarded(8 * sizeof(*pairs));
	int count = madring_ca_pairs(pairs, 8);
	struct madring_ca *ca;

	EXPECT(count > 0 && count <= 8);
	for (int i = 0; i < count; i++) {
		EXPECT(pairs[i].guid && pairs[i].gsi_port);
		CHECK_LATER(&pairs[i]);
	}
	check_canaries(pairs, 8 * sizeof(*pairs), __LINE__);
	release(pairs);
	FILL(madring_ca_pair, EXPECT(!madring_ca_get_pair(NULL, 0, it)); EXPECT(it->guid));
	EXPECT(!madring_ca_get(NULL, &ca));
	for (unsigned int i = 0; i < ca->port_count; i++)
		EXPECT(ca->ports[i]->guid && !strcmp(ca->ports[i]->ca_name, ca->name));
	madring_ca_release(ca);
}

static struct madring_mad *prepare(struct madring_agent *agent)
{
	struct madring_mad *mad = madring_mad_alloc(agent);

	EXPECT(mad != NULL);
	EXPECT(!madring_smp_dr_prepare(mad, NULL, 0, MADRING_GET, MADRING_ATTR_NODE_INFO, 0));
	return mad;
}

static void check_sending(struct madring *ring, struct madring_agent *agent)
{
	struct madring_mad *mad = prepare(agent);
	struct madring_completion outcome;

	REFUSED(madring_send_options, (struct madring_send_options){ 0 },
		madring_send(agent, mad, it));
	REFUSED(madring_send_options, (struct madring_send_options){ 0 },
		madring_call(agent, mad, it, &outcome));
	EXPECT(!madring_send(agent, mad, &(struct madring_send_options){ .retries = 3 }));
	EXPECT(!madring_send(agent, prepare(agent), NULL));
	while (madring_outstanding(ring))
		EXPECT(madring_run(ring, -1) >= 0);
	mad = prepare(agent);
	FILL(madring_completion, EXPECT(!madring_call(agent, mad, NULL, it));
	     EXPECT(!it->status && it->mad && it->request == mad && it->attempts);
	     madring_mad_free(ring, it->mad));
	madring_mad_free(ring, mad);
}

struct job {
	unsigned int left;
	unsigned int answered;
	bool sets_later;
};

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	struct job *job = user;

	(void)batch;
	CHECK_LATER(send);
	if (!job->left)
		return 0;
	job->left--;
	EXPECT(!madring_smp_dr_prepare(mad, NULL, 0, MADRING_GET, MADRING_ATTR_NODE_INFO, 0));
	send->user = job;
	SET_LATER(send, job->sets_later);
	return 1;
}

static void done(void *user, const struct madring_completion *completion)
{
	struct job *job = user;

	EXPECT(completion->user == job || completion->status);
	job->answered += !completion->status;
}

static void check_batches(struct madring_agent *agent)
{
	struct job job = { .left = 100 };
	const struct madring_batch_config config = { .next = next, .done = done, .user = &job };
	struct madring_batch *batch;

	REFUSED(madring_batch_config, config, madring_batch_start(agent, it, &batch));
	REFUSED(madring_batch_config, config, madring_batch_call(agent, it));
	EXPECT(!madring_batch_start(agent, &config, &batch));
	EXPECT(!madring_batch_run(batch));
	FILL(madring_batch_state, madring_batch_get_state(batch, it); EXPECT(it->answered == 100));
	EXPECT(!madring_batch_end(batch));
	EXPECT(job.answered == 100);
	job = (struct job){ .left = 100, .sets_later = true };
	EXPECT(madring_batch_call(agent, &config) == (is_newer ? -E2BIG : 0));
}

static void check_ring(void)
{
	const struct madring_config config = { .transactions = 64, .pin = MADRING_PIN_BEST_EFFORT };
	const struct madring_agent_config smp = { .mgmt_class = MADRING_CLASS_SMP_DIRECTED,
						  .class_version = 1 };
	struct madring_agent *agent;
	struct madring_port *port;
	struct madring *ring;

	REFUSED(madring_config, config, madring_open(&ring, it));
	EXPECT(!madring_open(&ring, &config));
	REFUSED(madring_port_config, (struct madring_port_config){ 0 },
		madring_port_open(ring, NULL, 0, it, &port));
	REFUSED(madring_adopt_config, (struct madring_adopt_config){ 0 },
		madring_port_adopt(ring, 0, it, &port));
	EXPECT(!madring_port_open(ring, NULL, 0, &(struct madring_port_config){ .lanes = 2 },
				  &port));
	REFUSED(madring_agent_config, smp, madring_agent_open(port, it, &agent));
	REFUSED(madring_agent_config, smp, madring_agent_adopt(port, 0, it, &agent));
	EXPECT(!madring_agent_open(port, &smp, &agent));
	FILL(madring_agent_state, madring_agent_get_state(agent, it); EXPECT(it->window));
	REFUSED(madring_capture_config, (struct madring_capture_config){ 0 },
		madring_capture_open(ring, "/dev/null", it));
	EXPECT(!madring_capture_open(ring, "/dev/null",
				     &(struct madring_capture_config){ .mad_bytes = 256 }));
	check_sending(ring, agent);
	FILL(madring_capture_state, EXPECT(!madring_capture_get_state(ring, it));
	     EXPECT(it->captured == 6));
	check_batches(agent);
	FILL(madring_stats, madring_get_stats(ring, it);
	     EXPECT(it->accepted && it->accepted == it->completed && it->rtt_count));
	EXPECT(!madring_close(ring));
}

static void count_table(void *user, struct madring_table *table)
{
	EXPECT(!madring_table_error(table) && madring_table_port(table, 1) >= 0);
	++*(unsigned int *)user;
	madring_table_free(table);
}

static void check_tables(struct madring_subnet *subnet, const struct madring_fabric *fabric)
{
	unsigned int count = 0;
	const struct madring_ask_tables_config config = { .kind = MADRING_TABLE_LINEAR,
							  .done = count_table,
							  .user = &count };
	struct madring_reading *reading;

	REFUSED(madring_ask_tables_config, config,
		madring_ask_tables_start(subnet, fabric, it, &reading));
	REFUSED(madring_ask_tables_config, config, madring_ask_tables(subnet, fabric, it));
	EXPECT(!madring_ask_tables(subnet, fabric, &config) && count == 3);
}

static void check_sweeps(struct madring_subnet *subnet)
{
	const struct madring_sweep_config config = { .max_nodes = 100 };
	const struct madring_node_port *port = NULL;
	struct madring_fabric *fabric, *again;
	struct madring_discovery *sweep;
	unsigned int ports = 0;

	REFUSED(madring_sweep_config, config, madring_sweep_start(subnet, it, &sweep));
	REFUSED(madring_sweep_config, config, madring_sweep(subnet, it, &fabric));
	EXPECT(!madring_sweep_start(subnet, &config, &sweep));
	EXPECT(!madring_sweep_run(sweep));
	FILL(madring_sweep_state, madring_sweep_get_state(sweep, it); EXPECT(it->nodes == 7));
	EXPECT(!madring_sweep_end(sweep, &fabric));
	FILL(madring_sweep_state, madring_fabric_get_sweep_state(fabric, it);
	     EXPECT(it->nodes == 7));
	FILL(madring_fabric_counts, madring_fabric_get_counts(fabric, it); EXPECT(it->nodes == 7));
	FILL(madring_switch_info, EXPECT(!madring_node_get_switch_info(
					  madring_fabric_local_port(fabric)->peer->node, it));
	     EXPECT(it->linear_fdb_cap));
	check_tables(subnet, fabric);
	while ((port = madring_fabric_port(fabric, port))) {
		EXPECT(port == madring_node_port_by_number(port->node, port->number));
		ports++;
	}
	EXPECT(ports >= 12);
	REFUSED(madring_sweep_config, config,
		madring_fabric_update(subnet, fabric, NULL, 0, it, &again));
	EXPECT(!madring_fabric_update(subnet, fabric, NULL, 0, &config, &again));
	madring_fabric_free(again);
	madring_fabric_free(fabric);
}

static void on_answer(struct madring_sa_answer *answer)
{
	(void)answer;
}

static void on_notification(const struct madring_notification *notification)
{
	(void)notification;
}

/* There is no SM on this fabric. */
static void check_sa(struct madring_subnet *subnet)
{
	const struct madring_sa_component component = { .name = "DLID", .value = 1 };
	const struct madring_sa_request query = { .attr_id = MADRING_ATTR_PATH_RECORD,
						  .components = &component,
						  .component_count = 1 };
	struct madring_agent_config agent = { .patience_ms = 100 };
	struct madring_subscription *subscription;
	struct madring_path_record path;
	struct madring_sa *sa;

	REFUSED(madring_sa_config, (struct madring_sa_config){ 0 },
		madring_sa_open(subnet, it, &sa));
	REFUSED(madring_agent_config, agent,
		madring_sa_open(subnet, &(struct madring_sa_config){ .agent = it }, &sa));
	EXPECT(!madring_sa_open(subnet, &(struct madring_sa_config){ .agent = &agent }, &sa));
	FILL(madring_sa_state, madring_sa_get_state(sa, it); EXPECT(it->port_state == 4));
	REFUSED(madring_sa_request, query, madring_sa_query(sa, it, on_answer, NULL));
	FILL(madring_sa_answer, EXPECT(madring_sa_call(sa, &query, it) < 0);
	     EXPECT(it->status < 0 && it->text); madring_sa_answer_release(sa, it));
	EXPECT(madring_sa_path_by_lid(sa, 0, 1, &path) < 0);
	REFUSED(madring_subscription_config, (struct madring_subscription_config){ 0 },
		madring_subscribe(sa, it, on_notification, NULL, &subscription));
	EXPECT(!madring_subscribe(sa, NULL, on_notification, NULL, &subscription));
	EXPECT(!madring_sa_close(sa));
}

static void check_subnet(void)
{
	const struct madring_config ring = { .pin = MADRING_PIN_BEST_EFFORT, .transactions = 256 };
	struct madring_subnet_config config = { .ring = &ring };
	struct madring_agent *agent;
	struct madring_subnet *subnet;

	REFUSED(madring_subnet_config, config, madring_subnet_open(it, &subnet));
	REFUSED(madring_config, ring,
		madring_subnet_open(&(struct madring_subnet_config){ .ring = it }, &subnet));
	FILL(madring_subnet_failure, config.ca_name = "none"; config.failure = it;
	     EXPECT(madring_subnet_open(&config, &subnet) == -ENODEV);
	     EXPECT(it->step == MADRING_SUBNET_PORT && strstr(it->text, "none")));
	config = (struct madring_subnet_config){ .ring = &ring };
	EXPECT(!madring_subnet_open(&config, &subnet));
	FILL(madring_agent_config, madring_subnet_get_agent_config(subnet, MADRING_CLASS_PMA, it);
	     EXPECT(it->class_version == 1));
	REFUSED(madring_agent_config, ((struct madring_agent_config){ .mgmt_class = 4 }),
		madring_subnet_agent_open(subnet, it, &agent));
	check_sweeps(subnet);
	check_sa(subnet);
	EXPECT(!madring_subnet_close(subnet));
}

int main(int argc, char **argv)
{
	is_newer = argc > 1 && !strcmp(argv[1], "newer");
	check_attributes();
	check_notices();
	check_devices();
	check_ring();
	check_subnet();
	return 0;
}
