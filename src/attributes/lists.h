/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of the attributes that have a struct in structs.h. From each list come the table of
 * the attribute's fields, that of its record, and the code between attribute and struct.
 *
 * The columns are: kind, name, offset in bits, bits, libibmad's number or 0, the components in an
 * SA record, and the member of the struct.
 */
#ifndef MADRING_ATTRIBUTES_LISTS_H
#define MADRING_ATTRIBUTES_LISTS_H

/* clang-format off */

/* IBA 14.2.5.3; the components are those of NodeRecord (IBA 15.2.5.2). */
#define NODE_INFO(X) \
	X(NUMBER, "BaseVersion", 0, 8, IB_NODE_BASE_VERS_F, COMPONENT(2), base_version) \
	X(NUMBER, "ClassVersion", 8, 8, IB_NODE_CLASS_VERS_F, COMPONENT(3), class_version) \
	X(NUMBER, "NodeType", 16, 8, IB_NODE_TYPE_F, COMPONENT(4), type) \
	X(NUMBER, "NumPorts", 24, 8, IB_NODE_NPORTS_F, COMPONENT(5), port_count) \
	X(GUID, "SystemImageGUID", 32, 64, IB_NODE_SYSTEM_GUID_F, COMPONENT(6), system_guid) \
	X(GUID, "NodeGUID", 96, 64, IB_NODE_GUID_F, COMPONENT(7), node_guid) \
	X(GUID, "PortGUID", 160, 64, IB_NODE_PORT_GUID_F, COMPONENT(8), port_guid) \
	X(NUMBER, "PartitionCap", 224, 16, IB_NODE_PARTITION_CAP_F, COMPONENT(9), partition_cap) \
	X(NUMBER, "DeviceID", 240, 16, IB_NODE_DEVID_F, COMPONENT(10), device_id) \
	X(NUMBER, "Revision", 256, 32, IB_NODE_REVISION_F, COMPONENT(11), revision) \
	X(NUMBER, "LocalPortNum", 288, 8, IB_NODE_LOCAL_PORT_F, COMPONENT(12), local_port) \
	X(NUMBER, "VendorID", 296, 24, IB_NODE_VENDORID_F, COMPONENT(13), vendor_id)

/* libibmad 56 has numbers for LinkSpeedExtActive2 and its kin; libibmad 44 has not. */
#define NUMBER_EXT2(i) (IB_PORT_EXT_NDR_FEC_MODE_LAST_F + 1 + (i))

/* IBA 14.2.5.6; the components are those of PortInfoRecord (IBA 15.2.5.3). */
#define PORT_INFO(X) \
	X(NUMBER, "M_Key", 0, 64, IB_PORT_MKEY_F, COMPONENT(3), mkey) \
	X(NUMBER, "GidPrefix", 64, 64, IB_PORT_GID_PREFIX_F, COMPONENT(4), gid_prefix) \
	X(NUMBER, "LID", 128, 16, IB_PORT_LID_F, COMPONENT(5), lid) \
	X(NUMBER, "MasterSMLID", 144, 16, IB_PORT_SMLID_F, COMPONENT(6), sm_lid) \
	X(NUMBER, "CapabilityMask", 160, 32, IB_PORT_CAPMASK_F, COMPONENT(7), capability_mask) \
	X(NUMBER, "DiagCode", 192, 16, IB_PORT_DIAG_F, COMPONENT(8), diag_code) \
	X(NUMBER, "M_KeyLeasePeriod", 208, 16, IB_PORT_MKEY_LEASE_F, COMPONENT(9), \
	  mkey_lease_period) \
	X(NUMBER, "LocalPortNum", 224, 8, IB_PORT_LOCAL_PORT_F, COMPONENT(10), local_port) \
	X(NUMBER, "LinkWidthEnabled", 232, 8, IB_PORT_LINK_WIDTH_ENABLED_F, COMPONENT(11), \
	  link_width_enabled) \
	X(NUMBER, "LinkWidthSupported", 240, 8, IB_PORT_LINK_WIDTH_SUPPORTED_F, COMPONENT(12), \
	  link_width_supported) \
	X(NUMBER, "LinkWidthActive", 248, 8, IB_PORT_LINK_WIDTH_ACTIVE_F, COMPONENT(13), \
	  link_width_active) \
	X(NUMBER, "LinkSpeedSupported", 256, 4, IB_PORT_LINK_SPEED_SUPPORTED_F, COMPONENT(14), \
	  link_speed_supported) \
	X(NUMBER, "PortState", 260, 4, IB_PORT_STATE_F, COMPONENT(15), state) \
	X(NUMBER, "PortPhysicalState", 264, 4, IB_PORT_PHYS_STATE_F, COMPONENT(16), physical_state) \
	X(NUMBER, "LinkDownDefaultState", 268, 4, IB_PORT_LINK_DOWN_DEF_F, COMPONENT(17), \
	  link_down_default_state) \
	X(NUMBER, "M_KeyProtectBits", 272, 2, IB_PORT_MKEY_PROT_BITS_F, COMPONENT(18), \
	  mkey_protect_bits) \
	X(NUMBER, "LMC", 277, 3, IB_PORT_LMC_F, COMPONENT(20), lmc) \
	X(NUMBER, "LinkSpeedActive", 280, 4, IB_PORT_LINK_SPEED_ACTIVE_F, COMPONENT(21), \
	  link_speed_active) \
	X(NUMBER, "LinkSpeedEnabled", 284, 4, IB_PORT_LINK_SPEED_ENABLED_F, COMPONENT(22), \
	  link_speed_enabled) \
	X(NUMBER, "NeighborMTU", 288, 4, IB_PORT_NEIGHBOR_MTU_F, COMPONENT(23), neighbor_mtu) \
	X(NUMBER, "MasterSMSL", 292, 4, IB_PORT_SMSL_F, COMPONENT(24), sm_sl) \
	X(NUMBER, "VLCap", 296, 4, IB_PORT_VL_CAP_F, COMPONENT(25), vl_cap) \
	X(NUMBER, "InitType", 300, 4, IB_PORT_INIT_TYPE_F, COMPONENT(26), init_type) \
	X(NUMBER, "VLHighLimit", 304, 8, IB_PORT_VL_HIGH_LIMIT_F, COMPONENT(27), vl_high_limit) \
	X(NUMBER, "VLArbitrationHighCap", 312, 8, IB_PORT_VL_ARBITRATION_HIGH_CAP_F, \
	  COMPONENT(28), vl_arbitration_high_cap) \
	X(NUMBER, "VLArbitrationLowCap", 320, 8, IB_PORT_VL_ARBITRATION_LOW_CAP_F, \
	  COMPONENT(29), vl_arbitration_low_cap) \
	X(NUMBER, "InitTypeReply", 328, 4, IB_PORT_INIT_TYPE_REPLY_F, COMPONENT(30), \
	  init_type_reply) \
	X(NUMBER, "MTUCap", 332, 4, IB_PORT_MTU_CAP_F, COMPONENT(31), mtu_cap) \
	X(NUMBER, "VLStallCount", 336, 3, IB_PORT_VL_STALL_COUNT_F, COMPONENT(32), vl_stall_count) \
	X(NUMBER, "HOQLife", 339, 5, IB_PORT_HOQ_LIFE_F, COMPONENT(33), hoq_life) \
	X(NUMBER, "OperationalVLs", 344, 4, IB_PORT_OPER_VLS_F, COMPONENT(34), operational_vls) \
	X(NUMBER, "PartitionEnforcementInbound", 348, 1, IB_PORT_PART_EN_INB_F, COMPONENT(35), \
	  partition_enforcement_inbound) \
	X(NUMBER, "PartitionEnforcementOutbound", 349, 1, IB_PORT_PART_EN_OUTB_F, COMPONENT(36), \
	  partition_enforcement_outbound) \
	X(NUMBER, "FilterRawInbound", 350, 1, IB_PORT_FILTER_RAW_INB_F, COMPONENT(37), \
	  filter_raw_inbound) \
	X(NUMBER, "FilterRawOutbound", 351, 1, IB_PORT_FILTER_RAW_OUTB_F, COMPONENT(38), \
	  filter_raw_outbound) \
	X(NUMBER, "M_KeyViolations", 352, 16, IB_PORT_MKEY_VIOL_F, COMPONENT(39), mkey_violations) \
	X(NUMBER, "P_KeyViolations", 368, 16, IB_PORT_PKEY_VIOL_F, COMPONENT(40), pkey_violations) \
	X(NUMBER, "Q_KeyViolations", 384, 16, IB_PORT_QKEY_VIOL_F, COMPONENT(41), qkey_violations) \
	X(NUMBER, "GUIDCap", 400, 8, IB_PORT_GUID_CAP_F, COMPONENT(42), guid_cap) \
	X(NUMBER, "ClientReregister", 408, 1, IB_PORT_CLIENT_REREG_F, COMPONENT(43), \
	  client_reregister) \
	X(NUMBER, "MulticastPKeyTrapSuppressionEnabled", 409, 2, \
	  IB_PORT_MCAST_PKEY_SUPR_ENAB_F, COMPONENT(44), multicast_pkey_trap_suppression) \
	X(NUMBER, "SubnetTimeOut", 411, 5, IB_PORT_SUBN_TIMEOUT_F, COMPONENT(45), subnet_timeout) \
	X(NUMBER, "RespTimeValue", 419, 5, IB_PORT_RESP_TIME_VAL_F, COMPONENT(47), resp_time_value) \
	X(NUMBER, "LocalPhyErrors", 424, 4, IB_PORT_LOCAL_PHYS_ERR_F, COMPONENT(48), \
	  local_phy_errors) \
	X(NUMBER, "OverrunErrors", 428, 4, IB_PORT_OVERRUN_ERR_F, COMPONENT(49), overrun_errors) \
	X(NUMBER, "MaxCreditHint", 432, 16, IB_PORT_MAX_CREDIT_HINT_F, COMPONENT(50), \
	  max_credit_hint) \
	X(NUMBER, "LinkSpeedExtActive2", 449, 2, NUMBER_EXT2(0), NO_COMPONENT, \
	  link_speed_ext_active2) \
	X(NUMBER, "LinkSpeedExtSupported2", 451, 2, NUMBER_EXT2(1), NO_COMPONENT, \
	  link_speed_ext_supported2) \
	X(NUMBER, "LinkSpeedExtEnabled2", 453, 3, NUMBER_EXT2(2), NO_COMPONENT, \
	  link_speed_ext_enabled2) \
	X(NUMBER, "LinkRoundTripLatency", 456, 24, IB_PORT_LINK_ROUND_TRIP_F, COMPONENT(52), \
	  link_round_trip_latency) \
	X(NUMBER, "CapabilityMask2", 480, 16, IB_PORT_CAPMASK2_F, COMPONENT(53), capability_mask2) \
	X(NUMBER, "LinkSpeedExtActive", 496, 4, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, COMPONENT(54), \
	  link_speed_ext_active) \
	X(NUMBER, "LinkSpeedExtSupported", 500, 4, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, \
	  COMPONENT(55), link_speed_ext_supported) \
	X(NUMBER, "LinkSpeedExtEnabled", 507, 5, IB_PORT_LINK_SPEED_EXT_ENABLED_F, \
	  COMPONENT(57), link_speed_ext_enabled)

/* IBA 14.2.5.4; the components are those of SwitchInfoRecord (IBA 15.2.5.5). */
#define SWITCH_INFO(X) \
	X(NUMBER, "LinearFDBCap", 0, 16, IB_SW_LINEAR_FDB_CAP_F, COMPONENT(2), linear_fdb_cap) \
	X(NUMBER, "RandomFDBCap", 16, 16, IB_SW_RANDOM_FDB_CAP_F, COMPONENT(3), random_fdb_cap) \
	X(NUMBER, "MulticastFDBCap", 32, 16, IB_SW_MCAST_FDB_CAP_F, COMPONENT(4), \
	  multicast_fdb_cap) \
	X(NUMBER, "LinearFDBTop", 48, 16, IB_SW_LINEAR_FDB_TOP_F, COMPONENT(5), linear_fdb_top) \
	X(NUMBER, "DefaultPort", 64, 8, IB_SW_DEF_PORT_F, COMPONENT(6), default_port) \
	X(NUMBER, "DefaultMulticastPrimaryPort", 72, 8, IB_SW_DEF_MCAST_PRIM_F, COMPONENT(7), \
	  default_multicast_primary_port) \
	X(NUMBER, "DefaultMulticastNotPrimaryPort", 80, 8, IB_SW_DEF_MCAST_NOT_PRIM_F, \
	  COMPONENT(8), default_multicast_not_primary_port) \
	X(NUMBER, "LifeTimeValue", 88, 5, IB_SW_LIFE_TIME_F, COMPONENT(9), life_time_value) \
	X(NUMBER, "PortStateChange", 93, 1, IB_SW_STATE_CHANGE_F, COMPONENT(10), port_state_change) \
	X(NUMBER, "OptimizedSLtoVLMappingProgramming", 94, 2, IB_SW_OPT_SLTOVL_MAPPING_F, \
	  COMPONENT(11), optimized_sl_to_vl_mapping) \
	X(NUMBER, "LIDsPerPort", 96, 16, IB_SW_LIDS_PER_PORT_F, COMPONENT(12), lids_per_port) \
	X(NUMBER, "PartitionEnforcementCap", 112, 16, IB_SW_PARTITION_ENFORCE_CAP_F, \
	  COMPONENT(13), partition_enforcement_cap) \
	X(NUMBER, "InboundEnforcementCap", 128, 1, IB_SW_PARTITION_ENF_INB_F, COMPONENT(14), \
	  inbound_enforcement_cap) \
	X(NUMBER, "OutboundEnforcementCap", 129, 1, IB_SW_PARTITION_ENF_OUTB_F, COMPONENT(15), \
	  outbound_enforcement_cap) \
	X(NUMBER, "FilterRawInboundCap", 130, 1, IB_SW_FILTER_RAW_INB_F, COMPONENT(16), \
	  filter_raw_inbound_cap) \
	X(NUMBER, "FilterRawOutboundCap", 131, 1, IB_SW_FILTER_RAW_OUTB_F, COMPONENT(17), \
	  filter_raw_outbound_cap) \
	X(NUMBER, "EnhancedPort0", 132, 1, IB_SW_ENHANCED_PORT0_F, COMPONENT(18), enhanced_port0) \
	X(NUMBER, "MulticastFDBTop", 144, 16, IB_SW_MCAST_FDB_TOP_F, COMPONENT(20), \
	  multicast_fdb_top)

/* IBA 16.1.3.5. libibmad looks for QP1Dropped in the bytes of VL15Dropped. */
#define PORT_COUNTERS(X) \
	X(NUMBER, "PortSelect", 8, 8, IB_PC_PORT_SELECT_F, NO_COMPONENT, port_select) \
	X(NUMBER, "CounterSelect", 16, 16, IB_PC_COUNTER_SELECT_F, NO_COMPONENT, counter_select) \
	X(NUMBER, "SymbolErrorCounter", 32, 16, IB_PC_ERR_SYM_F, NO_COMPONENT, symbol_errors) \
	X(NUMBER, "LinkErrorRecoveryCounter", 48, 8, IB_PC_LINK_RECOVERS_F, NO_COMPONENT, \
	  link_error_recoveries) \
	X(NUMBER, "LinkDownedCounter", 56, 8, IB_PC_LINK_DOWNED_F, NO_COMPONENT, link_downed) \
	X(NUMBER, "PortRcvErrors", 64, 16, IB_PC_ERR_RCV_F, NO_COMPONENT, rcv_errors) \
	X(NUMBER, "PortRcvRemotePhysicalErrors", 80, 16, IB_PC_ERR_PHYSRCV_F, NO_COMPONENT, \
	  rcv_remote_physical_errors) \
	X(NUMBER, "PortRcvSwitchRelayErrors", 96, 16, IB_PC_ERR_SWITCH_REL_F, NO_COMPONENT, \
	  rcv_switch_relay_errors) \
	X(NUMBER, "PortXmitDiscards", 112, 16, IB_PC_XMT_DISCARDS_F, NO_COMPONENT, xmit_discards) \
	X(NUMBER, "PortXmitConstraintErrors", 128, 8, IB_PC_ERR_XMTCONSTR_F, NO_COMPONENT, \
	  xmit_constraint_errors) \
	X(NUMBER, "PortRcvConstraintErrors", 136, 8, IB_PC_ERR_RCVCONSTR_F, NO_COMPONENT, \
	  rcv_constraint_errors) \
	X(NUMBER, "CounterSelect2", 144, 8, IB_PC_COUNTER_SELECT2_F, NO_COMPONENT, \
	  counter_select2) \
	X(NUMBER, "LocalLinkIntegrityErrors", 152, 4, IB_PC_ERR_LOCALINTEG_F, NO_COMPONENT, \
	  local_link_integrity_errors) \
	X(NUMBER, "ExcessiveBufferOverrunErrors", 156, 4, IB_PC_ERR_EXCESS_OVR_F, NO_COMPONENT, \
	  excessive_buffer_overrun_errors) \
	X(NUMBER, "QP1Dropped", 160, 16, IB_PC_QP1_DROP_F, NO_COMPONENT, qp1_dropped) \
	X(NUMBER, "VL15Dropped", 176, 16, IB_PC_VL15_DROPPED_F, NO_COMPONENT, vl15_dropped) \
	X(NUMBER, "PortXmitData", 192, 32, IB_PC_XMT_BYTES_F, NO_COMPONENT, xmit_data) \
	X(NUMBER, "PortRcvData", 224, 32, IB_PC_RCV_BYTES_F, NO_COMPONENT, rcv_data) \
	X(NUMBER, "PortXmitPkts", 256, 32, IB_PC_XMT_PKTS_F, NO_COMPONENT, xmit_packets) \
	X(NUMBER, "PortRcvPkts", 288, 32, IB_PC_RCV_PKTS_F, NO_COMPONENT, rcv_packets) \
	X(NUMBER, "PortXmitWait", 320, 32, IB_PC_XMT_WAIT_F, NO_COMPONENT, xmit_wait)

/* IBA 16.1.4.11. */
#define PORT_COUNTERS_EXTENDED(X) \
	X(NUMBER, "PortSelect", 8, 8, IB_PC_EXT_PORT_SELECT_F, NO_COMPONENT, port_select) \
	X(NUMBER, "CounterSelect", 16, 16, IB_PC_EXT_COUNTER_SELECT_F, NO_COMPONENT, \
	  counter_select) \
	X(NUMBER, "CounterSelect2", 32, 32, IB_PC_EXT_COUNTER_SELECT2_F, NO_COMPONENT, \
	  counter_select2) \
	X(NUMBER, "PortXmitData", 64, 64, IB_PC_EXT_XMT_BYTES_F, NO_COMPONENT, xmit_data) \
	X(NUMBER, "PortRcvData", 128, 64, IB_PC_EXT_RCV_BYTES_F, NO_COMPONENT, rcv_data) \
	X(NUMBER, "PortXmitPkts", 192, 64, IB_PC_EXT_XMT_PKTS_F, NO_COMPONENT, xmit_packets) \
	X(NUMBER, "PortRcvPkts", 256, 64, IB_PC_EXT_RCV_PKTS_F, NO_COMPONENT, rcv_packets) \
	X(NUMBER, "PortUnicastXmitPkts", 320, 64, IB_PC_EXT_XMT_UPKTS_F, NO_COMPONENT, \
	  xmit_unicast_packets) \
	X(NUMBER, "PortUnicastRcvPkts", 384, 64, IB_PC_EXT_RCV_UPKTS_F, NO_COMPONENT, \
	  rcv_unicast_packets) \
	X(NUMBER, "PortMulticastXmitPkts", 448, 64, IB_PC_EXT_XMT_MPKTS_F, NO_COMPONENT, \
	  xmit_multicast_packets) \
	X(NUMBER, "PortMulticastRcvPkts", 512, 64, IB_PC_EXT_RCV_MPKTS_F, NO_COMPONENT, \
	  rcv_multicast_packets) \
	X(NUMBER, "SymbolErrorCounter", 576, 64, IB_PC_EXT_ERR_SYM_F, NO_COMPONENT, symbol_errors) \
	X(NUMBER, "LinkErrorRecoveryCounter", 640, 64, IB_PC_EXT_LINK_RECOVERS_F, NO_COMPONENT, \
	  link_error_recoveries) \
	X(NUMBER, "LinkDownedCounter", 704, 64, IB_PC_EXT_LINK_DOWNED_F, NO_COMPONENT, \
	  link_downed) \
	X(NUMBER, "PortRcvErrors", 768, 64, IB_PC_EXT_ERR_RCV_F, NO_COMPONENT, rcv_errors) \
	X(NUMBER, "PortRcvRemotePhysicalErrors", 832, 64, IB_PC_EXT_ERR_PHYSRCV_F, NO_COMPONENT, \
	  rcv_remote_physical_errors) \
	X(NUMBER, "PortRcvSwitchRelayErrors", 896, 64, IB_PC_EXT_ERR_SWITCH_REL_F, NO_COMPONENT, \
	  rcv_switch_relay_errors) \
	X(NUMBER, "PortXmitDiscards", 960, 64, IB_PC_EXT_XMT_DISCARDS_F, NO_COMPONENT, \
	  xmit_discards) \
	X(NUMBER, "PortXmitConstraintErrors", 1024, 64, IB_PC_EXT_ERR_XMTCONSTR_F, NO_COMPONENT, \
	  xmit_constraint_errors) \
	X(NUMBER, "PortRcvConstraintErrors", 1088, 64, IB_PC_EXT_ERR_RCVCONSTR_F, NO_COMPONENT, \
	  rcv_constraint_errors) \
	X(NUMBER, "LocalLinkIntegrityErrors", 1152, 64, IB_PC_EXT_ERR_LOCALINTEG_F, NO_COMPONENT, \
	  local_link_integrity_errors) \
	X(NUMBER, "ExcessiveBufferOverrunErrors", 1216, 64, IB_PC_EXT_ERR_EXCESS_OVR_F, \
	  NO_COMPONENT, excessive_buffer_overrun_errors) \
	X(NUMBER, "VL15Dropped", 1280, 64, IB_PC_EXT_VL15_DROPPED_F, NO_COMPONENT, vl15_dropped) \
	X(NUMBER, "PortXmitWait", 1344, 64, IB_PC_EXT_XMT_WAIT_F, NO_COMPONENT, xmit_wait) \
	X(NUMBER, "QP1Dropped", 1408, 64, IB_PC_EXT_QP1_DROP_F, NO_COMPONENT, qp1_dropped)

/* IBA 15.2.5.16. */
#define PATH_RECORD(X) \
	X(NUMBER, "ServiceID", 0, 64, 0, COMPONENTS(0, 2), service_id) \
	X(GID, "DGID", 64, 128, IB_SA_PR_DGID_F, COMPONENT(2), dgid) \
	X(GID, "SGID", 192, 128, IB_SA_PR_SGID_F, COMPONENT(3), sgid) \
	X(NUMBER, "DLID", 320, 16, IB_SA_PR_DLID_F, COMPONENT(4), dlid) \
	X(NUMBER, "SLID", 336, 16, IB_SA_PR_SLID_F, COMPONENT(5), slid) \
	X(NUMBER, "RawTraffic", 352, 1, 0, COMPONENT(6), raw_traffic) \
	X(NUMBER, "FlowLabel", 356, 20, 0, COMPONENT(8), flow_label) \
	X(NUMBER, "HopLimit", 376, 8, 0, COMPONENT(9), hop_limit) \
	X(NUMBER, "TClass", 384, 8, 0, COMPONENT(10), traffic_class) \
	X(NUMBER, "Reversible", 392, 1, 0, COMPONENT(11), reversible) \
	X(NUMBER, "NumbPath", 393, 7, IB_SA_PR_NPATH_F, COMPONENT(12), path_count) \
	X(NUMBER, "P_Key", 400, 16, 0, COMPONENT(13), pkey) \
	X(NUMBER, "QoSClass", 416, 12, 0, COMPONENT(14), qos_class) \
	X(NUMBER, "SL", 428, 4, IB_SA_PR_SL_F, COMPONENT(15), sl) \
	X(NUMBER, "MtuSelector", 432, 2, 0, COMPONENT(16), mtu_selector) \
	X(NUMBER, "Mtu", 434, 6, 0, COMPONENT(17), mtu) \
	X(NUMBER, "RateSelector", 440, 2, 0, COMPONENT(18), rate_selector) \
	X(NUMBER, "Rate", 442, 6, 0, COMPONENT(19), rate) \
	X(NUMBER, "PacketLifeTimeSelector", 448, 2, 0, COMPONENT(20), packet_life_time_selector) \
	X(NUMBER, "PacketLifeTime", 450, 6, 0, COMPONENT(21), packet_life_time) \
	X(NUMBER, "Preference", 456, 8, 0, COMPONENT(22), preference)

/* IBA 13.4.8.3; the components are those of InformInfoRecord (IBA 15.2.5.12). */
#define INFORM_INFO(X) \
	X(GID, "GID", 0, 128, 0, COMPONENT(3), gid) \
	X(NUMBER, "LIDRangeBegin", 128, 16, 0, COMPONENT(4), lid_range_begin) \
	X(NUMBER, "LIDRangeEnd", 144, 16, 0, COMPONENT(5), lid_range_end) \
	X(NUMBER, "IsGeneric", 176, 8, 0, COMPONENT(7), is_generic) \
	X(NUMBER, "Subscribe", 184, 8, 0, COMPONENT(8), subscribe) \
	X(NUMBER, "Type", 192, 16, 0, COMPONENT(9), type) \
	X(NUMBER, "TrapNumber/DeviceID", 208, 16, 0, COMPONENT(10), trap_number) \
	X(NUMBER, "QPN", 224, 24, 0, COMPONENT(11), qpn) \
	X(NUMBER, "RespTimeValue", 251, 5, 0, COMPONENT(13), resp_time_value) \
	X(NUMBER, "ProducerType/VendorID", 264, 24, 0, COMPONENT(15), producer_type)

/* IBA 13.4.8.2, without the IssuerGID, which only subnet administration sends. */
#define NOTICE(X) \
	X(NUMBER, "IsGeneric", 0, 1, IB_NOTICE_IS_GENERIC_F, NO_COMPONENT, is_generic) \
	X(NUMBER, "Type", 1, 7, IB_NOTICE_TYPE_F, NO_COMPONENT, type) \
	X(NUMBER, "ProducerType/VendorID", 8, 24, IB_NOTICE_PRODUCER_F, NO_COMPONENT, \
	  producer_type) \
	X(NUMBER, "TrapNumber/DeviceID", 32, 16, IB_NOTICE_TRAP_NUMBER_F, NO_COMPONENT, \
	  trap_number) \
	X(NUMBER, "IssuerLID", 48, 16, IB_NOTICE_ISSUER_LID_F, NO_COMPONENT, issuer_lid) \
	X(NUMBER, "NoticeToggle", 64, 1, IB_NOTICE_TOGGLE_F, NO_COMPONENT, toggle) \
	X(NUMBER, "NoticeCount", 65, 15, IB_NOTICE_COUNT_F, NO_COMPONENT, count) \
	X(BYTES, "DataDetails", 80, 432, IB_NOTICE_DATA_DETAILS_F, NO_COMPONENT, data)

#define ISSUER_GID(X) X(GID, "IssuerGID", 512, 128, 0, NO_COMPONENT, issuer_gid)

/* clang-format on */

#endif
