/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the attributes that programs use most into structs, and encodes them. These functions are
 * in the library madring-attributes; madring.h does not include this header.
 *
 * All numbers in the structs are in host byte order, and have the units of the IBA. Bit masks and
 * codes are as they are sent. @attribute points to the attribute, at any address: 64 bytes of an
 * SMP at MADRING_SMP_DATA, a PMA attribute at MADRING_PMA_DATA, or an SA record, from
 * madring_records_next() or at MADRING_SA_DATA. The functions read and write no more bytes than
 * each comment says. The ..._put() functions clear reserved bits.
 */
#ifndef MADRING_STRUCTS_H
#define MADRING_STRUCTS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A GID, as it is sent (IBA 4.1.1). */
struct madring_gid {
	uint8_t raw[16];
};
static_assert(sizeof(struct madring_gid) == 16, "a GID is that of IBA 4.1.1");

/* The most bytes of a NodeDescription (IBA 14.2.5.2). */
#define MADRING_DESCRIPTION_BYTES 64u

/* NodeInfo, 40 bytes (IBA 14.2.5.3). */
struct madring_node_info {
	uint8_t base_version;
	uint8_t class_version;
	uint8_t type;	    /* NodeType: 1 CA, 2 switch, 3 router */
	uint8_t port_count; /* NumPorts */
	uint8_t local_port; /* LocalPortNum: by which the request came in */
	uint16_t partition_cap;
	uint16_t device_id;
	uint32_t revision;
	uint32_t vendor_id;
	uint64_t system_guid;
	uint64_t node_guid;
	uint64_t port_guid;
};

/* PortInfo, 64 bytes (IBA 14.2.5.6). */
struct madring_port_info {
	uint64_t mkey;
	uint64_t gid_prefix;
	uint16_t lid;
	uint16_t sm_lid; /* MasterSMLID */
	uint32_t capability_mask;
	uint16_t capability_mask2; /* meaningful if bit 15 of .capability_mask is set */
	uint16_t diag_code;
	uint16_t mkey_lease_period; /* seconds */
	uint8_t local_port;
	uint8_t link_width_enabled;
	uint8_t link_width_supported;
	uint8_t link_width_active;
	uint8_t link_speed_enabled;
	uint8_t link_speed_supported;
	uint8_t link_speed_active;
	/* The extended speeds mean something if bit 14 of .capability_mask is set. */
	uint8_t link_speed_ext_enabled;
	uint8_t link_speed_ext_supported;
	uint8_t link_speed_ext_active;
	/* These mean something if bit 11 of .capability_mask2 is set. Bit 0 is XDR. */
	uint8_t link_speed_ext_enabled2;
	uint8_t link_speed_ext_supported2;
	uint8_t link_speed_ext_active2;
	uint8_t state;		/* PortState: 1 down, 2 initialize, 3 armed, 4 active */
	uint8_t physical_state; /* PortPhysicalState: 2 polling, 3 disabled, 5 link up, ... */
	uint8_t link_down_default_state;
	uint8_t mkey_protect_bits;
	uint8_t lmc;
	uint8_t neighbor_mtu; /* a code: 1 to 5 are 256 to 4096 bytes */
	uint8_t mtu_cap;
	uint8_t sm_sl; /* MasterSMSL */
	uint8_t vl_cap;
	uint8_t operational_vls;
	uint8_t vl_high_limit;
	uint8_t vl_arbitration_high_cap;
	uint8_t vl_arbitration_low_cap;
	uint8_t vl_stall_count;
	uint8_t hoq_life;
	uint8_t init_type;
	uint8_t init_type_reply;
	uint8_t partition_enforcement_inbound;
	uint8_t partition_enforcement_outbound;
	uint8_t filter_raw_inbound;
	uint8_t filter_raw_outbound;
	uint16_t mkey_violations;
	uint16_t pkey_violations;
	uint16_t qkey_violations;
	uint8_t guid_cap;
	uint8_t client_reregister;
	uint8_t multicast_pkey_trap_suppression;
	uint8_t subnet_timeout;	 /* 4.096 us * 2^subnet_timeout */
	uint8_t resp_time_value; /* 4.096 us * 2^resp_time_value */
	uint8_t local_phy_errors;
	uint8_t overrun_errors;
	uint16_t max_credit_hint;
	uint32_t link_round_trip_latency;
};

/* SwitchInfo, 20 bytes (IBA 14.2.5.4). */
struct madring_switch_info {
	uint16_t linear_fdb_cap;
	uint16_t random_fdb_cap;
	uint16_t multicast_fdb_cap;
	uint16_t linear_fdb_top;
	uint8_t default_port;
	uint8_t default_multicast_primary_port;
	uint8_t default_multicast_not_primary_port;
	uint8_t life_time_value;
	uint8_t port_state_change;
	uint8_t optimized_sl_to_vl_mapping;
	uint16_t lids_per_port;
	uint16_t partition_enforcement_cap;
	uint8_t inbound_enforcement_cap;
	uint8_t outbound_enforcement_cap;
	uint8_t filter_raw_inbound_cap;
	uint8_t filter_raw_outbound_cap;
	uint8_t enhanced_port0;
	uint16_t multicast_fdb_top;
};

/* PortCounters, 44 bytes (IBA 16.1.3.5). The counters stop at their greatest values. */
struct madring_port_counters {
	uint8_t port_select;
	uint16_t counter_select;
	uint8_t counter_select2;
	uint16_t symbol_errors;
	uint8_t link_error_recoveries;
	uint8_t link_downed;
	uint16_t rcv_errors;
	uint16_t rcv_remote_physical_errors;
	uint16_t rcv_switch_relay_errors;
	uint16_t xmit_discards;
	uint8_t xmit_constraint_errors;
	uint8_t rcv_constraint_errors;
	uint8_t local_link_integrity_errors;
	uint8_t excessive_buffer_overrun_errors;
	uint16_t qp1_dropped;
	uint16_t vl15_dropped;
	uint32_t xmit_data; /* units of 4 bytes */
	uint32_t rcv_data;  /* units of 4 bytes */
	uint32_t xmit_packets;
	uint32_t rcv_packets;
	uint32_t xmit_wait; /* ticks */
};

/* PortCountersExtended, 184 bytes (IBA 16.1.4.11). The counters after .rcv_multicast_packets are 0
   on ports without them: see bit 1 of CapabilityMask2 in the PMA's ClassPortInfo. */
struct madring_port_counters_extended {
	uint8_t port_select;
	uint16_t counter_select;
	uint32_t counter_select2;
	uint64_t xmit_data; /* units of 4 bytes */
	uint64_t rcv_data;  /* units of 4 bytes */
	uint64_t xmit_packets;
	uint64_t rcv_packets;
	uint64_t xmit_unicast_packets;
	uint64_t rcv_unicast_packets;
	uint64_t xmit_multicast_packets;
	uint64_t rcv_multicast_packets;
	uint64_t symbol_errors;
	uint64_t link_error_recoveries;
	uint64_t link_downed;
	uint64_t rcv_errors;
	uint64_t rcv_remote_physical_errors;
	uint64_t rcv_switch_relay_errors;
	uint64_t xmit_discards;
	uint64_t xmit_constraint_errors;
	uint64_t rcv_constraint_errors;
	uint64_t local_link_integrity_errors;
	uint64_t excessive_buffer_overrun_errors;
	uint64_t vl15_dropped;
	uint64_t xmit_wait; /* ticks */
	uint64_t qp1_dropped;
};

/* PathRecord, 64 bytes (IBA 15.2.5.16). */
struct madring_path_record {
	uint64_t service_id;
	struct madring_gid dgid;
	struct madring_gid sgid;
	uint16_t dlid;
	uint16_t slid;
	uint8_t raw_traffic;
	uint32_t flow_label;
	uint8_t hop_limit;
	uint8_t traffic_class;
	uint8_t reversible;
	uint8_t path_count; /* NumbPath: in a request, the most paths */
	uint16_t pkey;
	uint16_t qos_class;
	uint8_t sl;
	/* The selectors say how a request means the value after them: 0 greater, 1 less, 2 equal, 3
	   the largest there is. */
	uint8_t mtu_selector;
	uint8_t mtu; /* a code: 1 to 5 are 256 to 4096 bytes */
	uint8_t rate_selector;
	uint8_t rate; /* a code (IBA 15.2.5.16) */
	uint8_t packet_life_time_selector;
	uint8_t packet_life_time; /* 4.096 us * 2^packet_life_time */
	uint8_t preference;
};

/* NodeRecord, 108 bytes (IBA 15.2.5.2). */
struct madring_node_record {
	uint16_t lid;
	/* The members of the node's NodeInfo: see struct madring_node_info. */
	uint8_t base_version;
	uint8_t class_version;
	uint8_t type;
	uint8_t port_count;
	uint8_t local_port;
	uint16_t partition_cap;
	uint16_t device_id;
	uint32_t revision;
	uint32_t vendor_id;
	uint64_t system_guid;
	uint64_t node_guid;
	uint64_t port_guid;
	char description[MADRING_DESCRIPTION_BYTES + 1]; /* ends in a NUL */
};

/* InformInfo, 36 bytes (IBA 13.4.8.3). */
struct madring_inform_info {
	/* All zeros: .lid_range_begin and .lid_range_end select the source. */
	struct madring_gid gid;
	uint16_t lid_range_begin; /* 0xffff: all LIDs */
	uint16_t lid_range_end;
	uint8_t is_generic;
	uint8_t subscribe;    /* 1: subscribe, 0: unsubscribe */
	uint16_t type;	      /* 0xffff: all */
	uint16_t trap_number; /* if not .is_generic, the device ID; 0xffff: all */
	uint32_t qpn;	      /* of the subscriber, used to unsubscribe */
	uint8_t resp_time_value;
	uint32_t producer_type; /* if not .is_generic, the vendor ID; 0xffffff: all */
};

/* The bytes of a Notice's DataDetails. */
#define MADRING_NOTICE_DATA_BYTES 54u

/* The bytes of a Notice in a Trap, and with the IssuerGID of one that subnet administration
   reports. */
#define MADRING_NOTICE_BYTES	 64u
#define MADRING_NOTICE_GID_BYTES 80u

/* Notice (IBA 13.4.8.2). */
struct madring_notice {
	uint8_t is_generic;
	uint8_t type; /* 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 informational */
	uint32_t producer_type; /* 1 CA, 2 switch, 3 router, 4 class manager; else the vendor ID */
	uint16_t trap_number;	/* if not .is_generic, the device ID */
	uint16_t issuer_lid;
	uint8_t toggle;
	uint16_t count;
	uint8_t data[MADRING_NOTICE_DATA_BYTES]; /* DataDetails, as it is sent */
	struct madring_gid issuer_gid;		 /* zeros in a Trap */
};

/* The return path in the details of a trap 256. */
#define MADRING_NOTICE_PATH_BYTES 30u

/* The DataDetails of generic notices (IBA 14.2.5.1). All that a trap does not have is 0. */
struct madring_notice_details {
	uint16_t lid;		/* LIDADDR, or LIDADDR1 of traps 257 to 259 */
	uint16_t lid2;		/* LIDADDR2 */
	uint8_t port;		/* PORTNO of traps 129 to 131 and 259 */
	struct madring_gid gid; /* GIDADDR of traps 64 to 67, GIDADDR1 of 257 to 259 */
	struct madring_gid gid2;
	uint8_t local_changes; /* OtherLocalChanges of trap 144: .change_flags mean something */
	uint32_t capability_mask;
	uint16_t capability_mask2;
	uint16_t change_flags;
	uint64_t system_guid; /* of trap 145 */
	/* The SMP that had a wrong M_Key, of trap 256. */
	uint8_t method;
	uint16_t attr_id;
	uint32_t attr_mod;
	uint64_t mkey;
	uint16_t dr_slid;
	uint8_t dr_notice; /* a directed-route SMP: .hops and .return_path mean something */
	uint8_t dr_path_truncated;
	uint8_t hops;
	uint8_t return_path[MADRING_NOTICE_PATH_BYTES];
	uint16_t data_valid; /* of trap 259: which of its details mean something */
	uint32_t key;	     /* the P_Key of traps 257 and 259, the Q_Key of 258 */
	uint8_t sl;
	uint32_t qpn1;
	uint32_t qpn2;
	uint16_t switch_lid; /* of trap 259 */
};

/* These functions decode an attribute. They cannot fail: any bytes are a value. */
void madring_node_info_decode_sized(struct madring_node_info *info, size_t info_size,
				    const void *attribute);
MADRING_SIZED void madring_node_info_decode(struct madring_node_info *info, const void *attribute)
{
	madring_node_info_decode_sized(info, sizeof(*info), attribute);
}
void madring_port_info_decode_sized(struct madring_port_info *info, size_t info_size,
				    const void *attribute);
MADRING_SIZED void madring_port_info_decode(struct madring_port_info *info, const void *attribute)
{
	madring_port_info_decode_sized(info, sizeof(*info), attribute);
}
void madring_switch_info_decode_sized(struct madring_switch_info *info, size_t info_size,
				      const void *attribute);
MADRING_SIZED void madring_switch_info_decode(struct madring_switch_info *info,
					      const void *attribute)
{
	madring_switch_info_decode_sized(info, sizeof(*info), attribute);
}
void madring_port_counters_decode_sized(struct madring_port_counters *counters,
					size_t counters_size, const void *attribute);
MADRING_SIZED void madring_port_counters_decode(struct madring_port_counters *counters,
						const void *attribute)
{
	madring_port_counters_decode_sized(counters, sizeof(*counters), attribute);
}
void madring_port_counters_extended_decode_sized(struct madring_port_counters_extended *counters,
						 size_t counters_size, const void *attribute);
MADRING_SIZED void madring_port_counters_extended_decode(
	struct madring_port_counters_extended *counters, const void *attribute)
{
	madring_port_counters_extended_decode_sized(counters, sizeof(*counters), attribute);
}
void madring_path_record_decode_sized(struct madring_path_record *path, size_t path_size,
				      const void *attribute);
MADRING_SIZED void madring_path_record_decode(struct madring_path_record *path,
					      const void *attribute)
{
	madring_path_record_decode_sized(path, sizeof(*path), attribute);
}
void madring_node_record_decode_sized(struct madring_node_record *record, size_t record_size,
				      const void *attribute);
MADRING_SIZED void madring_node_record_decode(struct madring_node_record *record,
					      const void *attribute)
{
	madring_node_record_decode_sized(record, sizeof(*record), attribute);
}
void madring_inform_info_decode_sized(struct madring_inform_info *inform, size_t inform_size,
				      const void *attribute);
MADRING_SIZED void madring_inform_info_decode(struct madring_inform_info *inform,
					      const void *attribute)
{
	madring_inform_info_decode_sized(inform, sizeof(*inform), attribute);
}

/* These functions encode an attribute. Of a number with more bits than its field they write the
   lowest ones. They return 0, or -E2BIG (sized.h), with which they write nothing. */
int madring_node_info_encode_sized(void *attribute, const struct madring_node_info *info,
				   size_t info_size);
MADRING_SIZED int madring_node_info_encode(void *attribute, const struct madring_node_info *info)
{
	return madring_node_info_encode_sized(attribute, info, sizeof(*info));
}
int madring_port_info_encode_sized(void *attribute, const struct madring_port_info *info,
				   size_t info_size);
MADRING_SIZED int madring_port_info_encode(void *attribute, const struct madring_port_info *info)
{
	return madring_port_info_encode_sized(attribute, info, sizeof(*info));
}
int madring_switch_info_encode_sized(void *attribute, const struct madring_switch_info *info,
				     size_t info_size);
MADRING_SIZED int madring_switch_info_encode(void *attribute,
					     const struct madring_switch_info *info)
{
	return madring_switch_info_encode_sized(attribute, info, sizeof(*info));
}
int madring_port_counters_encode_sized(void *attribute,
				       const struct madring_port_counters *counters,
				       size_t counters_size);
MADRING_SIZED int madring_port_counters_encode(void *attribute,
					       const struct madring_port_counters *counters)
{
	return madring_port_counters_encode_sized(attribute, counters, sizeof(*counters));
}
int madring_port_counters_extended_encode_sized(
	void *attribute, const struct madring_port_counters_extended *counters,
	size_t counters_size);
MADRING_SIZED int madring_port_counters_extended_encode(
	void *attribute, const struct madring_port_counters_extended *counters)
{
	return madring_port_counters_extended_encode_sized(attribute, counters, sizeof(*counters));
}
int madring_path_record_encode_sized(void *attribute, const struct madring_path_record *path,
				     size_t path_size);
MADRING_SIZED int madring_path_record_encode(void *attribute,
					     const struct madring_path_record *path)
{
	return madring_path_record_encode_sized(attribute, path, sizeof(*path));
}
int madring_node_record_encode_sized(void *attribute, const struct madring_node_record *record,
				     size_t record_size);
MADRING_SIZED int madring_node_record_encode(void *attribute,
					     const struct madring_node_record *record)
{
	return madring_node_record_encode_sized(attribute, record, sizeof(*record));
}
int madring_inform_info_encode_sized(void *attribute, const struct madring_inform_info *inform,
				     size_t inform_size);
MADRING_SIZED int madring_inform_info_encode(void *attribute,
					     const struct madring_inform_info *inform)
{
	return madring_inform_info_encode_sized(attribute, inform, sizeof(*inform));
}

/*
 * Decodes a NodeDescription of 64 bytes, as text in UTF-8 that ends in a NUL. A space replaces each
 * byte that is not part of a UTF-8 character, that belongs to a control character or to a line
 * separator, or that belongs to a mark that changes the direction of writing.
 */
void madring_description_decode(char text[MADRING_DESCRIPTION_BYTES + 1], const void *attribute);

/* Encodes a NodeDescription of 64 bytes: at most the first 64 of @text, and zeros after it. */
void madring_description_encode(void *attribute, const char *text);

/*
 * Decodes a Notice. @bytes: how many the attribute has: MADRING_NOTICE_BYTES in a Trap, or at least
 * MADRING_NOTICE_GID_BYTES with an IssuerGID, in a Report of subnet administration.
 * Returns 0, or -EBADMSG when it has less than MADRING_NOTICE_BYTES.
 */
int madring_notice_decode_sized(struct madring_notice *notice, size_t notice_size,
				const void *attribute, size_t bytes);
MADRING_SIZED int madring_notice_decode(struct madring_notice *notice, const void *attribute,
					size_t bytes)
{
	return madring_notice_decode_sized(notice, sizeof(*notice), attribute, bytes);
}

/* Encodes a Notice, with its IssuerGID if @bytes is at least MADRING_NOTICE_GID_BYTES. Returns 0,
   -EINVAL when @bytes is less than MADRING_NOTICE_BYTES, or -E2BIG (sized.h). */
int madring_notice_encode_sized(void *attribute, size_t bytes, const struct madring_notice *notice,
				size_t notice_size);
MADRING_SIZED int madring_notice_encode(void *attribute, size_t bytes,
					const struct madring_notice *notice)
{
	return madring_notice_encode_sized(attribute, bytes, notice, sizeof(*notice));
}

/*
 * Decodes the DataDetails of a generic notice: traps 64 to 67, 128 to 131, 144, 145 and 256 to 259.
 * Returns 0, or -ENOENT when the notice is not generic, or its trap is none of these: @details is
 * all zeros then.
 */
int madring_notice_details_decode_sized(struct madring_notice_details *details, size_t details_size,
					const struct madring_notice *notice);
MADRING_SIZED int madring_notice_details_decode(struct madring_notice_details *details,
						const struct madring_notice *notice)
{
	return madring_notice_details_decode_sized(details, sizeof(*details), notice);
}

#ifdef __cplusplus
}
#endif
#endif
