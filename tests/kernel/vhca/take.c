// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The records that the fabric reads: upcalls first, then what has changed, then MADs. */
#include <linux/slab.h>

#include "vhca.h"

static struct vhca_msg *vhca_notice(u16 type, size_t length, u8 port)
{
	struct vhca_msg *msg = kmem_cache_zalloc(vhca_msgs, GFP_ATOMIC);

	if (msg) {
		msg->record.head.length = length;
		msg->record.head.type = type;
		msg->record.head.port = port;
	}
	return msg;
}

/* Makes the record of a change here. It is made when it is read, so that there is only one. */
static struct vhca_msg *vhca_take_notice(struct vhca *hca)
{
	struct vhca_msg *msg = NULL;
	u32 port_num;

	for (port_num = 1; port_num <= hca->port_count; port_num++) {
		struct vhca_port *port = vhca_port(hca, port_num);

		if (!port->caps_changed)
			continue;
		msg = vhca_notice(VHCA_PORT_CAPS, sizeof(msg->record.caps), port_num);
		if (!msg)
			return NULL;
		msg->record.caps.capability_mask =
			port->attr.capability_mask | (port->is_sm ? IB_PORT_SM : 0);
		port->caps_changed = false;
		return msg;
	}
	if (hca->node_desc_changed)
		msg = vhca_notice(VHCA_NODE_DESC, sizeof(msg->record.node_desc), 0);
	if (msg) {
		memcpy(msg->record.node_desc.node_desc, hca->ibdev.node_desc, VHCA_NODE_DESC_BYTES);
		hca->node_desc_changed = false;
	}
	return msg;
}

bool vhca_has_record(struct vhca *hca)
{
	unsigned long flags;
	u32 port_num;
	bool has;

	spin_lock_irqsave(&hca->lock, flags);
	has = !list_empty(&hca->urgent) || !list_empty(&hca->queue) || hca->node_desc_changed;
	for (port_num = 1; port_num <= hca->port_count; port_num++)
		has |= vhca_port(hca, port_num)->caps_changed;
	spin_unlock_irqrestore(&hca->lock, flags);
	return has;
}

struct vhca_msg *vhca_take(struct vhca *hca)
{
	struct vhca_cq *cq = NULL;
	struct vhca_msg *msg;

	spin_lock_irq(&hca->lock);
	msg = list_first_entry_or_null(&hca->urgent, struct vhca_msg, link);
	if (msg) {
		list_del(&msg->link);
		goto out;
	}
	msg = vhca_take_notice(hca);
	if (msg)
		goto out;
	msg = list_first_entry_or_null(&hca->queue, struct vhca_msg, link);
	if (msg) {
		list_del(&msg->link);
		hca->queued--;
		hca->taken++;
		cq = vhca_admit(hca);
	}
out:
	spin_unlock_irq(&hca->lock);
	vhca_cq_tell(cq);
	return msg;
}

void vhca_untake(struct vhca *hca, struct vhca_msg *msg)
{
	spin_lock_irq(&hca->lock);
	list_add(&msg->link, &hca->urgent);
	spin_unlock_irq(&hca->lock);
}
