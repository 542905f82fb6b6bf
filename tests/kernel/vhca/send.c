// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* MADs from the stack: from post_send into the queue, or held back while that is full. */
#include <linux/module.h>
#include <linux/slab.h>

#include "vhca.h"

static unsigned int vhca_queue_depth = 4096;
module_param_named(queue_depth, vhca_queue_depth, uint, 0444);
MODULE_PARM_DESC(queue_depth, "MADs that may wait to be read by the fabric");

static unsigned int vhca_lifetime_ms = 1000;
module_param_named(lifetime_ms, vhca_lifetime_ms, uint, 0444);
MODULE_PARM_DESC(lifetime_ms, "how long sends wait for a fabric that reads nothing");

struct kmem_cache *vhca_msgs;

/* Completes a work request. Returns the CQ to be told. */
static struct vhca_cq *vhca_complete_send(struct vhca_qp *qp, u64 wr_id, enum ib_wc_status status)
{
	const struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = IB_WC_SEND,
		.qp = &qp->ibqp,
	};

	return vhca_cq_add(qp->init.send_cq, &wc);
}

static bool vhca_queue_is_full(const struct vhca *hca)
{
	return hca->queued >= vhca_queue_depth;
}

/* Queues a MAD; its send, if it has one, is complete. The CQ to be told. */
static struct vhca_cq *vhca_queue(struct vhca *hca, struct vhca_msg *msg, struct vhca_qp *qp)
{
	msg->qp = NULL;
	list_add_tail(&msg->link, &hca->queue);
	hca->queued++;
	return vhca_complete_send(qp, msg->wr_id, IB_WC_SUCCESS);
}

static void vhca_hold(struct vhca *hca, struct vhca_msg *msg, struct vhca_qp *qp)
{
	msg->qp = qp;
	list_add_tail(&msg->link, &hca->held);
	qp->held++;
	if (!delayed_work_pending(&hca->discard)) {
		hca->taken_before = hca->taken;
		schedule_delayed_work(&hca->discard, msecs_to_jiffies(vhca_lifetime_ms));
	}
}

static struct vhca_msg *vhca_unhold(struct vhca *hca, struct vhca_msg *msg)
{
	list_del(&msg->link);
	msg->qp->held--;
	return msg;
}

struct vhca_cq *vhca_admit(struct vhca *hca)
{
	struct vhca_msg *msg;
	struct vhca_qp *qp;

	msg = list_first_entry_or_null(&hca->held, struct vhca_msg, link);
	if (!msg || vhca_queue_is_full(hca))
		return NULL;
	qp = msg->qp;
	return vhca_queue(hca, vhca_unhold(hca, msg), qp);
}

static int vhca_gather(u8 *mad, const struct ib_send_wr *wr)
{
	u32 room = VHCA_MAD_BYTES;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > room)
			return -EINVAL;
		memcpy(mad, (void *)(uintptr_t)sge->addr, sge->length);
		mad += sge->length;
		room -= sge->length;
	}
	return room ? -EINVAL : 0;
}

/* Fills the record of a send. Called with the lock held. */
static int vhca_fill(struct vhca *hca, struct vhca_qp *qp, const struct ib_send_wr *wr,
		     struct vhca_mad *mad)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct rdma_ah_attr *attr = &to_vhca_ah(ud->ah)->attr;
	const struct vhca_port *port = vhca_port(hca, qp->init.port_num);

	memset(mad, 0, offsetof(struct vhca_mad, mad));
	mad->head.length = sizeof(*mad);
	mad->head.type = VHCA_MAD;
	mad->head.port = qp->init.port_num;
	if (port->attr.lid)
		mad->slid = port->attr.lid | rdma_ah_get_path_bits(attr);
	mad->dlid = rdma_ah_get_dlid(attr);
	mad->sqp = qp->ibqp.qp_num;
	mad->dqp = ud->remote_qpn;
	/* IBA 10.2.5: with the highest bit set, the QP's own is meant. */
	mad->qkey = ud->remote_qkey & BIT(31) ? qp->qkey : ud->remote_qkey;
	mad->pkey_index = ud->pkey_index;
	mad->sl = rdma_ah_get_sl(attr);
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH) {
		mad->flags = VHCA_GRH_PRESENT;
		vhca_port_grh(hca, attr, mad->grh);
	}
	return vhca_gather(mad->mad, wr);
}

/* Takes the message over when it succeeds. Called with the lock held. */
static int vhca_accept_send(struct vhca *hca, struct vhca_qp *qp, struct vhca_msg *msg,
			    struct vhca_cq **cq)
{
	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_SQE || hca->gone) {
		/* A MAD that is sent when there is no fabric any more is lost on the wire. */
		*cq = vhca_complete_send(qp, msg->wr_id,
					 hca->gone ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR);
		kmem_cache_free(vhca_msgs, msg);
		return 0;
	}
	if (qp->state != IB_QPS_RTS)
		return -EINVAL;
	if (list_empty(&hca->held) && !vhca_queue_is_full(hca)) {
		*cq = vhca_queue(hca, msg, qp);
		return 0;
	}
	if (qp->held >= qp->init.cap.max_send_wr)
		return -ENOMEM;
	vhca_hold(hca, msg, qp);
	return 0;
}

static int vhca_send(struct vhca *hca, struct vhca_qp *qp, const struct ib_send_wr *wr)
{
	struct vhca_cq *cq = NULL;
	struct vhca_msg *msg;
	unsigned long flags;
	int ret;

	if (wr->opcode != IB_WR_SEND || !(wr->send_flags & IB_SEND_SIGNALED))
		return -EINVAL;
	msg = kmem_cache_alloc(vhca_msgs, GFP_ATOMIC);
	if (!msg)
		return -ENOMEM;
	msg->wr_id = wr->wr_id;
	spin_lock_irqsave(&hca->lock, flags);
	ret = vhca_fill(hca, qp, wr, &msg->record.mad);
	if (!ret)
		ret = vhca_accept_send(hca, qp, msg, &cq);
	spin_unlock_irqrestore(&hca->lock, flags);
	if (ret)
		kmem_cache_free(vhca_msgs, msg);
	vhca_cq_tell(cq);
	return ret;
}

int vhca_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr)
{
	struct vhca *hca = to_vhca(ibqp->device);
	int ret = 0;

	for (; wr; wr = wr->next) {
		ret = vhca_send(hca, to_vhca_qp(ibqp), wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	wake_up_interruptible(&hca->waiting->readable);
	return ret;
}

/* Ends the first held send, of the QP if one is named. False: there is none. */
static bool vhca_end_held(struct vhca *hca, const struct vhca_qp *qp, bool complete,
			  enum ib_wc_status status)
{
	struct vhca_msg *msg, *found = NULL;
	struct vhca_cq *cq = NULL;
	unsigned long flags;

	spin_lock_irqsave(&hca->lock, flags);
	list_for_each_entry(msg, &hca->held, link) {
		if (!qp || msg->qp == qp) {
			found = vhca_unhold(hca, msg);
			break;
		}
	}
	if (found) {
		hca->discarded_sends++;
		if (complete)
			cq = vhca_complete_send(found->qp, found->wr_id, status);
		kmem_cache_free(vhca_msgs, found);
	}
	spin_unlock_irqrestore(&hca->lock, flags);
	vhca_cq_tell(cq);
	return found;
}

void vhca_discard_held(struct vhca *hca)
{
	while (vhca_end_held(hca, NULL, true, IB_WC_SUCCESS))
		;
}

void vhca_flush_held(struct vhca *hca, struct vhca_qp *qp, bool complete)
{
	while (vhca_end_held(hca, qp, complete, IB_WC_WR_FLUSH_ERR))
		;
}

void vhca_discard_work(struct work_struct *work)
{
	struct vhca *hca = container_of(to_delayed_work(work), struct vhca, discard);
	u32 waiting = 0;
	bool stuck;

	spin_lock_irq(&hca->lock);
	stuck = hca->taken == hca->taken_before;
	hca->taken_before = hca->taken;
	if (!stuck && !list_empty(&hca->held))
		schedule_delayed_work(&hca->discard, msecs_to_jiffies(vhca_lifetime_ms));
	else if (stuck)
		waiting = list_count_nodes(&hca->held);
	spin_unlock_irq(&hca->lock);

	/* Each completion makes the stack post another send, which is held in its turn. */
	while (waiting-- && vhca_end_held(hca, NULL, true, IB_WC_SUCCESS))
		;
}
