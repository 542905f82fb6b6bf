// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attributes of a port: as the fabric sets them, and as the stack changes them. */
#include <linux/log2.h>
#include <rdma/ib_cache.h>

#include "vhca.h"

#define VHCA_MAX_UNICAST_LID 0xbfff

static bool vhca_is_valid(const struct vhca *hca, const struct vhca_port_record *record)
{
	return record->head.port >= 1 && record->head.port <= hca->port_count &&
	       record->lid <= VHCA_MAX_UNICAST_LID && record->sm_lid <= VHCA_MAX_UNICAST_LID &&
	       record->lmc < 8 && !(record->lid & ((1 << record->lmc) - 1)) && record->sm_sl < 16 &&
	       record->state >= IB_PORT_DOWN && record->state <= IB_PORT_ACTIVE &&
	       record->phys_state >= 1 && record->phys_state <= 7 && is_power_of_2(record->speed) &&
	       record->speed <= 256 && is_power_of_2(record->width) && record->width <= 16 &&
	       !memchr_inv(record->reserved, 0, sizeof(record->reserved));
}

static void vhca_dispatch(struct vhca *hca, u8 port_num, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &hca->ibdev,
		.element.port_num = port_num,
		.event = type,
	};

	if (port_num <= hca->ibdev.phys_port_cnt)
		ib_dispatch_event(&event);
	if (hca->smi) {
		event.device = &hca->smi->ibdev;
		ib_dispatch_event(&event);
	}
}

/* Tells the stack, which reads the port again at each event. */
static void vhca_tell_changes(struct vhca *hca, const struct vhca_port_record *old,
			      const struct vhca_port_record *now)
{
	u8 port_num = now->head.port;

	if (old->guid != now->guid || old->gid_prefix != now->gid_prefix)
		vhca_dispatch(hca, port_num, IB_EVENT_GID_CHANGE);
	if (memcmp(old->pkeys, now->pkeys, sizeof(now->pkeys)))
		vhca_dispatch(hca, port_num, IB_EVENT_PKEY_CHANGE);
	if (old->lid != now->lid || old->lmc != now->lmc)
		vhca_dispatch(hca, port_num, IB_EVENT_LID_CHANGE);
	if (old->sm_lid != now->sm_lid || old->sm_sl != now->sm_sl)
		vhca_dispatch(hca, port_num, IB_EVENT_SM_CHANGE);
	if (old->state != now->state)
		vhca_dispatch(hca, port_num,
			      now->state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE
							   : IB_EVENT_PORT_ERR);
	if (now->reregister)
		vhca_dispatch(hca, port_num, IB_EVENT_CLIENT_REREGISTER);
}

int vhca_port_set(struct vhca *hca, const struct vhca_port_record *record)
{
	struct vhca_port_record old;
	struct vhca_port *port;

	if (!vhca_is_valid(hca, record))
		return -EINVAL;
	port = vhca_port(hca, record->head.port);
	spin_lock_irq(&hca->lock);
	old = port->attr;
	port->attr = *record;
	port->attr.capability_mask &= ~IB_PORT_SM;
	spin_unlock_irq(&hca->lock);
	vhca_tell_changes(hca, &old, record);
	return 0;
}

/* Tells whether a device's ports have no QP0, as the HCA has another device for it. */
static bool vhca_is_gsi(const struct vhca *hca, const struct ib_device *ibdev)
{
	return hca->has_planes && !vhca_is_smi(ibdev);
}

int vhca_query_port(struct ib_device *ibdev, u32 port_num, struct ib_port_attr *props)
{
	struct vhca *hca = to_vhca(ibdev);
	const struct vhca_port *port = vhca_port(hca, port_num);
	unsigned long flags;

	spin_lock_irqsave(&hca->lock, flags);
	props->state = port->attr.state;
	props->phys_state = port->attr.phys_state;
	props->lid = port->attr.lid;
	props->lmc = port->attr.lmc;
	props->sm_lid = port->attr.sm_lid;
	props->sm_sl = port->attr.sm_sl;
	props->active_width = port->attr.width;
	props->active_speed = port->attr.speed;
	props->port_cap_flags = port->attr.capability_mask | (port->is_sm ? IB_PORT_SM : 0);
	if (vhca_is_gsi(hca, ibdev))
		props->port_cap_flags = (props->port_cap_flags & ~IB_PORT_SM) | IB_PORT_SM_DISABLED;
	props->qkey_viol_cntr = port->qkey_violations;
	spin_unlock_irqrestore(&hca->lock, flags);
	props->max_mtu = IB_MTU_4096;
	props->active_mtu = IB_MTU_4096;
	props->gid_tbl_len = VHCA_GIDS;
	props->pkey_tbl_len = VHCA_PKEYS;
	props->max_msg_sz = VHCA_MAD_BYTES;
	props->max_vl_num = 1;
	return 0;
}

int vhca_modify_port(struct ib_device *ibdev, u32 port_num, int mask, struct ib_port_modify *props)
{
	const u32 changeable = IB_PORT_SM | IB_PORT_CM_SUP | IB_PORT_SNMP_TUNNEL_SUP |
			       IB_PORT_DEVICE_MGMT_SUP | IB_PORT_VENDOR_CLASS_SUP;
	struct vhca *hca = to_vhca(ibdev);
	struct vhca_port *port = vhca_port(hca, port_num);
	unsigned long flags;
	u32 caps;

	if ((props->set_port_cap_mask | props->clr_port_cap_mask) & ~changeable)
		return -EINVAL;
	spin_lock_irqsave(&hca->lock, flags);
	caps = port->attr.capability_mask | (port->is_sm ? IB_PORT_SM : 0);
	caps = (caps | props->set_port_cap_mask) & ~props->clr_port_cap_mask;
	port->is_sm = caps & IB_PORT_SM;
	port->attr.capability_mask = caps & ~IB_PORT_SM;
	port->caps_changed = true;
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		port->qkey_violations = 0;
	spin_unlock_irqrestore(&hca->lock, flags);
	wake_up_interruptible(&hca->waiting->readable);
	return 0;
}

/* Makes the port's GID. Called with the lock held. */
static void vhca_port_gid(const struct vhca_port *port, union ib_gid *gid)
{
	gid->global.subnet_prefix = port->attr.gid_prefix;
	gid->global.interface_id = port->attr.guid;
}

int vhca_query_gid(struct ib_device *ibdev, u32 port_num, int index, union ib_gid *gid)
{
	struct vhca *hca = to_vhca(ibdev);
	unsigned long flags;

	if (index < 0 || index >= VHCA_GIDS)
		return -EINVAL;
	spin_lock_irqsave(&hca->lock, flags);
	vhca_port_gid(vhca_port(hca, port_num), gid);
	spin_unlock_irqrestore(&hca->lock, flags);
	return 0;
}

int vhca_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey)
{
	struct vhca *hca = to_vhca(ibdev);
	unsigned long flags;

	if (index >= VHCA_PKEYS)
		return -EINVAL;
	spin_lock_irqsave(&hca->lock, flags);
	*pkey = vhca_port(hca, port_num)->attr.pkeys[index];
	spin_unlock_irqrestore(&hca->lock, flags);
	return 0;
}

int vhca_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			    struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = VHCA_PKEYS;
	immutable->gid_tbl_len = VHCA_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	if (vhca_is_smi(ibdev))
		immutable->core_cap_flags = RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_SMI;
	else if (vhca_is_gsi(to_vhca(ibdev), ibdev))
		immutable->core_cap_flags &= ~RDMA_CORE_CAP_IB_SMI;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer vhca_get_link_layer(struct ib_device *ibdev, u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

void vhca_port_grh(struct vhca *hca, const struct rdma_ah_attr *attr, u8 *grh)
{
	const struct ib_global_route *route = rdma_ah_read_grh(attr);
	struct ib_grh header = {
		.version_tclass_flow = cpu_to_be32(6 << 28 | route->traffic_class << 20 |
						   (route->flow_label & 0xfffff)),
		/* IBA 8.3: from the BTH to the ICRC. */
		.paylen = cpu_to_be16(12 + 8 + VHCA_MAD_BYTES + 4),
		.next_hdr = 0x1b,
		.hop_limit = route->hop_limit,
		.dgid = route->dgid,
	};

	vhca_port_gid(vhca_port(hca, rdma_ah_get_port_num(attr)), &header.sgid);
	memcpy(grh, &header, VHCA_GRH_BYTES);
}
