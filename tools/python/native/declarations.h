/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This file declares for cffi the part of the public headers that the package uses. The compiler
 * checks each declaration against the headers when the package is built, and cffi takes sizes and
 * offsets from it.
 */

/* version.h, names.h */
const char *madring_version(void);
const char *madring_error_text(int error);
const char *madring_class_name(uint8_t mgmt_class);
const char *madring_method_name(uint8_t mgmt_class, uint8_t method);
const char *madring_attribute_name(uint8_t mgmt_class, uint16_t attr_id);
const char *madring_status_name(uint8_t mgmt_class, uint16_t status);
const char *madring_status_text(uint8_t mgmt_class, uint16_t status);
int madring_class_number(const char *name);
int madring_attribute_number(uint8_t mgmt_class, const char *name);

/* ring.h */
struct madring;
int madring_step(struct madring *ring);
int madring_fd(struct madring *ring);
unsigned int madring_outstanding(const struct madring *ring);
const char *madring_driver_text(const struct madring *ring);

int madring_run(struct madring *ring, int timeout_ms);

/* stats.h */
struct madring_stats {
	uint64_t accepted;
	uint64_t completed;
	uint64_t sent;
	uint64_t received;
	uint64_t replies;
	uint64_t retried;
	uint64_t timed_out;
	uint64_t canceled;
	uint64_t send_failed;
	uint64_t device_gone;
	uint64_t too_long;
	uint64_t unmatched;
	uint64_t requests;
	uint64_t requests_left;
	uint64_t unsolicited;
	uint64_t others;
	uint64_t malformed;
	uint64_t notices;
	uint64_t late_replies;
	uint64_t busy;
	uint64_t redirected;
	uint64_t in_flight;
	uint64_t in_flight_peak;
	uint64_t entries;
	bool multishot;
	int driver_reason;
	uint64_t rtt_count;
	uint64_t rtt_min_ns, rtt_mean_ns, rtt_max_ns;
	uint64_t rtt_p50_ns, rtt_p90_ns, rtt_p99_ns, rtt_p999_ns;
	uint64_t pool_plain_capacity, pool_plain_in_use, pool_plain_peak, pool_plain_exhausted;
	uint64_t pool_large_capacity, pool_large_in_use, pool_large_peak, pool_large_exhausted;
	uint64_t pool_message_capacity, pool_message_in_use, pool_message_peak;
	uint64_t pool_message_exhausted;
	uint64_t pool_pinned_bytes;
	uint64_t pool_unpinned_bytes;
	uint64_t pool_huge_bytes;
	uint64_t rmpp_sent;
	uint64_t rmpp_received;
	uint64_t rmpp_send_failed, rmpp_receive_failed;
	uint64_t rmpp_segments_sent;
	uint64_t rmpp_segments_resent;
	uint64_t rmpp_segments_received;
	uint64_t rmpp_segments_repeated;
	uint64_t rmpp_acks_sent, rmpp_acks_received;
	uint64_t rmpp_aborts_sent, rmpp_aborts_received;
	uint64_t spin_hits;
	uint64_t spin_misses;
	uint64_t spin_ns;
	...;
};
void madring_get_stats(const struct madring *ring, struct madring_stats *stats);

/* capture.h */
struct madring_capture_config {
	uint64_t max_bytes;
	bool rotate;
	uint32_t mad_bytes;
	...;
};
int madring_capture_open(struct madring *ring, const char *path,
			 const struct madring_capture_config *config);
int madring_capture_close(struct madring *ring);
struct madring_capture_state {
	uint64_t captured, missed, bytes;
	int error;
	bool full;
	...;
};
int madring_capture_get_state(const struct madring *ring, struct madring_capture_state *state);

/* port.h */
struct madring_port;
const char *madring_port_ca_name(const struct madring_port *port);
int madring_port_number(const struct madring_port *port);

/* subnet.h */
struct madring_agent;
struct madring_subnet;
struct madring_subnet_failure {
	char text[...];
	...;
};
struct madring_subnet_config {
	const char *ca_name;
	int port;
	uint32_t in_flight;
	uint16_t pkey_index;
	bool pin_window, pin_flow_window;
	uint32_t window, flow_window;
	int timeout_ms, retries;
	uint32_t queue_us, patience_ms;
	struct madring_subnet_failure *failure;
	...;
};
int madring_subnet_open(const struct madring_subnet_config *config, struct madring_subnet **subnet);
int madring_subnet_close(struct madring_subnet *subnet);
struct madring *madring_subnet_ring(struct madring_subnet *subnet);
struct madring_port *madring_subnet_port(struct madring_subnet *subnet, uint8_t mgmt_class);
int madring_subnet_agent(struct madring_subnet *subnet, uint8_t mgmt_class,
			 struct madring_agent **agent);
struct madring_agent_config {
	uint8_t class_version;
	uint32_t oui;
	...;
};
void madring_subnet_get_agent_config(const struct madring_subnet *subnet, uint8_t mgmt_class,
				     struct madring_agent_config *config);
int madring_subnet_agent_open(struct madring_subnet *subnet,
			      const struct madring_agent_config *config,
			      struct madring_agent **agent);

/* field.h, record.h */
struct madring_field;
const struct madring_field *madring_field_each(uint8_t mgmt_class, uint16_t attr_id,
					       const struct madring_field *last);
const struct madring_field *madring_field_find(uint8_t mgmt_class, uint16_t attr_id,
					       const char *name);
const char *madring_field_name(const struct madring_field *field);
unsigned int madring_field_offset(const struct madring_field *field);
unsigned int madring_field_bits(const struct madring_field *field);
#define MADRING_FIELD_NUMBER ...
#define MADRING_FIELD_GUID   ...
#define MADRING_FIELD_GID    ...
#define MADRING_FIELD_TEXT   ...
#define MADRING_FIELD_BYTES  ...
enum madring_field_kind {... };
enum madring_field_kind madring_field_kind(const struct madring_field *field);
uint64_t madring_field_get(const struct madring_field *field, const void *attribute);
int madring_field_set(const struct madring_field *field, void *attribute, uint64_t value);
int madring_field_get_bytes(const struct madring_field *field, const void *attribute, void *bytes,
			    size_t size);
int madring_field_set_bytes(const struct madring_field *field, void *attribute, const void *bytes,
			    size_t size);
size_t madring_attribute_bytes(uint8_t mgmt_class, uint16_t attr_id);
uint64_t madring_component(uint16_t attr_id, const char *name);

/* fabric.h */
struct madring_fabric;
struct madring_node {
	uint64_t guid, system_guid, port_guid;
	uint32_t vendor_id, revision;
	uint16_t device_id;
	uint8_t port_count;
	uint8_t hops;
	uint8_t path[...];
	const char *description;
	...;
};
struct madring_node_port {
	const struct madring_node *node;
	const struct madring_node_port *peer;
	uint64_t guid;
	uint8_t number;
	bool found, known;
	uint8_t lmc;
	uint16_t lid;
	uint8_t state, physical_state;
	uint8_t width;
	uint32_t capability_mask;
	uint16_t capability_mask2;
	...;
};
struct madring_fabric_counts {
	size_t nodes, switches, cas, routers, ports, links;
	unsigned int hops;
	...;
};
struct madring_problem {
	uint8_t hops;
	uint8_t path[...];
	int error;
	uint16_t status;
	...;
};
void madring_fabric_free(struct madring_fabric *fabric);
void madring_fabric_get_counts(const struct madring_fabric *fabric,
			       struct madring_fabric_counts *counts);
size_t madring_fabric_node_count(const struct madring_fabric *fabric);
const struct madring_node *madring_fabric_node(const struct madring_fabric *fabric, size_t place);
const struct madring_node *madring_fabric_node_by_guid(const struct madring_fabric *fabric,
						       uint64_t guid);
const struct madring_node *madring_fabric_node_by_name(const struct madring_fabric *fabric,
						       const char *description);
const struct madring_node *madring_fabric_node_by_route(const struct madring_fabric *fabric,
							const char *route);
const struct madring_node_port *madring_fabric_port_by_guid(const struct madring_fabric *fabric,
							    uint64_t guid);
const struct madring_node_port *madring_fabric_port_by_lid(const struct madring_fabric *fabric,
							   uint16_t lid);
const struct madring_node_port *madring_fabric_local_port(const struct madring_fabric *fabric);
const struct madring_node_port *madring_node_port_by_number(const struct madring_node *node,
							    unsigned int number);
const struct madring_node_port *madring_node_end_port(const struct madring_node *node);
const struct madring_node_port *madring_fabric_port(const struct madring_fabric *fabric,
						    const struct madring_node_port *last);
const struct madring_node_port *madring_fabric_link(const struct madring_fabric *fabric,
						    const struct madring_node_port *last);
const char *madring_link_width_text(uint8_t width);
bool madring_link_is_slow(const struct madring_node_port *port);
const char *madring_link_speed_text(const struct madring_node_port *port);
size_t madring_fabric_problem_count(const struct madring_fabric *fabric);
const struct madring_problem *madring_fabric_problem(const struct madring_fabric *fabric,
						     size_t place);
const char *madring_problem_text(const struct madring_problem *problem, char text[]);
#define MADRING_PROBLEM_TEXT_BYTES ...
bool madring_fabric_is_complete(const struct madring_fabric *fabric);
int madring_fabric_load(const char *path, struct madring_fabric **fabric, char text[]);
#define MADRING_LOAD_TEXT_BYTES ...

/* compare.h */
enum madring_difference_kind {... };
struct madring_difference {
	enum madring_difference_kind kind;
	const struct madring_node *old_node, *node;
	const struct madring_node_port *old_port, *port;
	const char *change_name, *old_value, *value;
	...;
};
typedef int (*madring_difference_seen)(void *user, const struct madring_difference *difference);
int madring_fabric_compare(const struct madring_fabric *old, const struct madring_fabric *now,
			   madring_difference_seen seen, void *user);
const char *madring_difference_text(const struct madring_difference *difference, char text[]);
#define MADRING_DIFFERENCE_TEXT_BYTES ...
const char *madring_difference_name(enum madring_difference_kind kind);
/* see_difference is a function of madring/fabric.py. */
extern "Python" int see_difference(void *user, const struct madring_difference *difference);

/* structs.h */
struct madring_switch_info {
	uint16_t linear_fdb_cap, random_fdb_cap, multicast_fdb_cap, linear_fdb_top;
	uint8_t default_port;
	uint8_t default_multicast_primary_port, default_multicast_not_primary_port;
	uint8_t life_time_value, port_state_change, optimized_sl_to_vl_mapping;
	uint16_t lids_per_port, partition_enforcement_cap;
	uint8_t inbound_enforcement_cap, outbound_enforcement_cap;
	uint8_t filter_raw_inbound_cap, filter_raw_outbound_cap;
	uint8_t enhanced_port0;
	uint16_t multicast_fdb_top;
	...;
};
int madring_node_get_switch_info(const struct madring_node *node, struct madring_switch_info *info);

/* batch.h, tables.h */
struct madring_batch;
struct madring_batch_state {
	bool done;
	int error;
	...;
};
void madring_batch_get_state(const struct madring_batch *batch, struct madring_batch_state *state);
struct madring_table;
struct madring_reading;
#define MADRING_TABLE_LINEAR	...
#define MADRING_TABLE_MULTICAST ...
#define MADRING_PORT_MASK_BYTES ...
enum madring_table_kind {... };
typedef void (*madring_table_done)(void *user, struct madring_table *table);
struct madring_ask_tables_config {
	enum madring_table_kind kind;
	int timeout_ms;
	const struct madring_node *const *nodes;
	size_t node_count;
	int retries;
	int deadline_ms;
	madring_table_done done;
	void *user;
	uint64_t m_key;
	bool directed;
	...;
};
int madring_ask_tables_start(struct madring_subnet *subnet, const struct madring_fabric *fabric,
			     const struct madring_ask_tables_config *config,
			     struct madring_reading **reading);
struct madring_batch *madring_ask_tables_requests(const struct madring_reading *reading);
int madring_ask_tables_end(struct madring_reading *reading);
void madring_table_free(struct madring_table *table);
const struct madring_node *madring_table_node(const struct madring_table *table);
int madring_table_error(const struct madring_table *table);
uint16_t madring_table_last_lid(const struct madring_table *table);
int madring_table_port(const struct madring_table *table, uint16_t lid);
int madring_table_ports(const struct madring_table *table, uint16_t lid, uint8_t mask[]);
unsigned int madring_table_block_count(const struct madring_table *table);
unsigned int madring_table_position_count(const struct madring_table *table);
int madring_table_block_error(const struct madring_table *table, unsigned int block,
			      unsigned int position);
/* take_table is a function of madring/tables.py. */
extern "Python" void take_table(void *user, struct madring_table *table);

/* collect.h */
struct collection;
int collect_open(struct madring *ring, struct madring_agent *agent, uint8_t mgmt_class,
		 size_t data_offset, size_t payload_bytes, struct collection **collection);
int collect_add(struct collection *collection, const void *requests, size_t count,
		const uint8_t *payloads, size_t payload_step);
size_t collect_outstanding(const struct collection *collection);
size_t collect_count(const struct collection *collection);
const void *collect_outcomes(const struct collection *collection);
const uint8_t *collect_replies(const struct collection *collection);
void collect_taken(struct collection *collection);
void collect_fields(const struct collection *collection, size_t data_offset,
		    const struct madring_field *const *fields, size_t field_count, uint64_t *values,
		    size_t rows);
void collect_numbers(const struct madring_field *const *fields, size_t count, const void *attribute,
		     uint64_t *values);
int collect_run(struct collection *collection, size_t enough, int timeout_ms);
void collect_settle(struct collection *collection);
uint32_t collect_last_added(const struct collection *collection);
void collect_cancel(struct collection *collection, uint32_t place, uint64_t tag);
int collect_close(struct collection *collection);

/* explore.h */
struct exploration;
struct exploration_node {
	uint64_t guid, port_guid;
	uint8_t type, port_count, hops;
	uint8_t path[64];
	...;
};
struct madring_sweep_config {
	uint64_t m_key;
	int64_t deadline_ms;
	bool lid_routed;
	const struct madring_fabric *earlier;
	const struct madring_node *const *look_at;
	size_t look_at_count;
	...;
};
int explore_open(struct madring_subnet *subnet, const struct madring_sweep_config *config,
		 struct exploration **exploration);
bool explore_is_done(const struct exploration *exploration);
int explore_error(const struct exploration *exploration);
bool explore_is_doubtful(const struct exploration *exploration);
size_t explore_count(const struct exploration *exploration);
const struct exploration_node *explore_nodes(const struct exploration *exploration);
void explore_taken(struct exploration *exploration);
int explore_run(struct exploration *exploration, size_t enough, int timeout_ms);
int explore_close(struct exploration *exploration, struct madring_fabric **fabric);
size_t explore_recalled(const struct madring_fabric *fabric);
uint8_t explore_node_type(const struct madring_node *node);
int explore_save(const struct madring_fabric *fabric, const char *path);

/* serve.h */
struct serve_request {
	uint64_t tid;
	uint32_t attr_mod;
	uint16_t attr_id;
	uint16_t lid;
	uint8_t method;
	uint8_t mad[...];
	...;
};
struct server {
	size_t count;
	struct serve_request *requests;
	uint64_t dropped;
	int error;
	...;
};
int serve_open(struct madring_subnet *subnet, uint8_t mgmt_class, uint32_t oui,
	       const uint64_t methods[], size_t limit, struct server **server);
void serve_taken(struct server *server);
int serve_run(const struct server *server, int timeout_ms);
int serve_answer(struct server *server, const struct serve_request *request, const void *data,
		 size_t offset, size_t bytes, uint16_t status);
void serve_close(struct server *server);

/* sa.h, question.h */
struct madring_sa;
struct madring_sa_config;
struct madring_sa_state {
	uint16_t sm_lid;
	uint8_t sm_sl;
	uint16_t lid;
	...;
};
int madring_sa_open(struct madring_subnet *subnet, const struct madring_sa_config *config,
		    struct madring_sa **sa);
int madring_sa_close(struct madring_sa *sa);
void madring_sa_get_state(const struct madring_sa *sa, struct madring_sa_state *state);
int madring_sa_refresh(struct madring_sa *sa);
struct question {
	uint64_t tag;
	int status;
	uint16_t mad_status;
	size_t count;
	size_t stride;
	uint8_t *records;
	uint16_t attr_id;
	...;
};
struct questions;
int questions_open(struct madring_sa *sa, struct madring *ring, uint32_t most,
		   struct questions **questions);
int questions_add(struct questions *questions, uint64_t tag, uint16_t attr_id, uint8_t method,
		  uint32_t attr_mod, const void *record, size_t record_bytes,
		  uint64_t component_mask, int timeout_ms, struct question **question);
size_t questions_outstanding(const struct questions *questions);
size_t questions_answered(const struct questions *questions);
struct question *questions_take(struct questions *questions);
void question_free(struct question *question);
void question_cancel(struct questions *questions, struct question *question);
bool questions_are_stopped(const struct questions *questions);
void questions_settle(struct questions *questions);
int questions_run(struct questions *questions, size_t enough, int timeout_ms);
int questions_close(struct questions *questions);

/* structs.h */
struct madring_gid {
	uint8_t raw[16];
	...;
};
struct madring_notice {
	uint8_t is_generic;
	uint8_t type;
	uint32_t producer_type;
	uint16_t trap_number;
	uint16_t issuer_lid;
	uint8_t data[...];
	struct madring_gid issuer_gid;
	...;
};
struct madring_notice_details {
	uint16_t lid, lid2;
	uint8_t port;
	struct madring_gid gid, gid2;
	uint8_t local_changes;
	uint32_t capability_mask;
	uint16_t capability_mask2;
	uint16_t change_flags;
	uint64_t system_guid;
	uint8_t method;
	uint16_t attr_id;
	uint32_t attr_mod;
	uint64_t mkey;
	uint16_t dr_slid;
	uint8_t dr_notice, dr_path_truncated;
	uint8_t hops;
	uint8_t return_path[...];
	uint16_t data_valid;
	uint32_t key;
	uint8_t sl;
	uint32_t qpn1, qpn2;
	uint16_t switch_lid;
	...;
};
int madring_notice_details_decode(struct madring_notice_details *details,
				  const struct madring_notice *notice);

/* sa.h, listen.h */
struct madring_subscription_config {
	uint8_t trap_class;
	bool vendor;
	uint16_t trap_number;
	uint32_t producer;
	uint16_t lid_begin, lid_end;
	struct madring_gid gid;
	...;
};
#define MADRING_NOTIFICATION_NOTICE	...
#define MADRING_NOTIFICATION_SUBSCRIBED ...
#define MADRING_NOTIFICATION_LOST	...
struct heard {
	int kind;
	int status;
	uint16_t mad_status;
	uint16_t lid;
	struct madring_notice notice;
	...;
};
struct listener {
	size_t limit;
	size_t count;
	struct heard *heard;
	uint64_t dropped;
	bool is_changed;
	struct heard change;
	...;
};
int listen_open(struct madring_sa *sa, const struct madring_subscription_config *config,
		size_t limit, struct listener **listener);
void listen_taken(struct listener *listener);
int listen_run(const struct listener *listener, struct madring *ring, int timeout_ms);
void listen_close(struct listener *listener);
