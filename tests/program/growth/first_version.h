/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the structs of 0.1.0 that may grow: each with its last member, the offset of that, and its
 * size. A later version changes none of these lines, and begins its new members at that size.
 */
#ifndef FIRST_VERSION_H
#define FIRST_VERSION_H

#include <assert.h>
#include <stddef.h>

#define GREW_FROM(name, last, offset, size)                                                        \
	static_assert(offsetof(struct madring_##name, last) == (offset) &&                         \
			      sizeof(struct madring_##name) >= (size),                             \
		      "a program of 0.1.0 has another struct madring_" #name);

#ifdef __LP64__
/* clang-format off */
GREW_FROM(adopt_config, receive_queue, 32, 40)
GREW_FROM(agent_config, patience_ms, 96, 104)
GREW_FROM(agent_state, registrations, 24, 28)
GREW_FROM(batch_state, error, 32, 40)
GREW_FROM(batch_config, most, 48, 56)
GREW_FROM(ca_port, pkeys, 144, 152)
GREW_FROM(ca, ports, 176, 184)
GREW_FROM(ca_pair, gsi_port, 140, 144)
GREW_FROM(capture_config, mad_bytes, 12, 16)
GREW_FROM(capture_state, full, 28, 32)
GREW_FROM(difference, value, 56, 64)
GREW_FROM(node, m_key, 120, 128)
GREW_FROM(node_port, capability_mask2, 48, 56)
GREW_FROM(fabric_counts, hops, 48, 56)
GREW_FROM(problem, description, 128, 136)
GREW_FROM(port_config, in_flight, 4, 8)
GREW_FROM(received, length, 32, 40)
GREW_FROM(config, spin_us, 64, 72)
GREW_FROM(sa_state, gid, 8, 24)
GREW_FROM(sa_config, user, 40, 48)
GREW_FROM(sa_component, size, 24, 32)
GREW_FROM(sa_request, retries, 52, 56)
GREW_FROM(sa_answer, length, 64, 72)
GREW_FROM(sa_batch_config, deadline_ms, 28, 32)
GREW_FROM(subscription_config, gid, 12, 28)
GREW_FROM(notification, mad, 48, 56)
GREW_FROM(completion, received_ns, 80, 88)
GREW_FROM(send_options, no_early_retry, 50, 56)
GREW_FROM(stats, spin_ns, 504, 512)
GREW_FROM(node_info, port_guid, 40, 48)
GREW_FROM(port_info, link_round_trip_latency, 80, 88)
GREW_FROM(switch_info, multicast_fdb_top, 24, 26)
GREW_FROM(port_counters, xmit_wait, 44, 48)
GREW_FROM(port_counters_extended, qp1_dropped, 176, 184)
GREW_FROM(path_record, preference, 67, 72)
GREW_FROM(node_record, description, 48, 120)
GREW_FROM(inform_info, producer_type, 36, 40)
GREW_FROM(notice, issuer_gid, 70, 88)
GREW_FROM(notice_details, switch_lid, 128, 136)
GREW_FROM(subnet_failure, text, 72, 328)
GREW_FROM(subnet_config, failure, 64, 72)
GREW_FROM(sweep_seen, is_new, 24, 32)
GREW_FROM(sweep_target, attempt, 20, 24)
GREW_FROM(sweep_state, doubtful, 80, 88)
GREW_FROM(sweep_config, on_node_known, 128, 136)
GREW_FROM(ask_ports_config, user, 48, 56)
GREW_FROM(ask_tables_config, directed, 60, 64)
/* clang-format on */
#endif

#endif
