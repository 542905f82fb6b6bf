// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* QP0 and QP1 of each port: their making, states and end. */
#include <linux/mm.h>

#include "vhca.h"

static int vhca_check_init(struct ib_device *ibdev, const struct ib_qp_init_attr *init)
{
	if (init->qp_type != IB_QPT_SMI && init->qp_type != IB_QPT_GSI)
		return -EOPNOTSUPP;
	if (init->create_flags || init->srq || !rdma_is_port_valid(ibdev, init->port_num))
		return -EINVAL;
	if (init->cap.max_send_wr > VHCA_MAX_QP_WR || init->cap.max_recv_wr > VHCA_MAX_QP_WR)
		return -EINVAL;
	return 0;
}

int vhca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct vhca *hca = to_vhca(ibqp->device);
	struct vhca_qp *qp = to_vhca_qp(ibqp);
	u32 number = init->qp_type == IB_QPT_GSI;
	struct vhca_qp **place;
	int ret = vhca_check_init(ibqp->device, init);

	if (ret)
		return ret;
	if (init->cap.max_recv_wr) {
		qp->recvs = kvcalloc(init->cap.max_recv_wr, sizeof(*qp->recvs), GFP_KERNEL);
		if (!qp->recvs)
			return -ENOMEM;
	}
	qp->init = *init;
	qp->state = IB_QPS_RESET;
	ibqp->qp_num = number;

	place = &vhca_port(hca, init->port_num)->qps[number];
	spin_lock_irq(&hca->lock);
	if (*place)
		ret = -EBUSY;
	else
		*place = qp;
	spin_unlock_irq(&hca->lock);
	if (ret)
		kvfree(qp->recvs);
	return ret;
}

static int vhca_change_qp(struct vhca *hca, struct vhca_qp *qp, const struct ib_qp_attr *attr,
			  int mask)
{
	enum ib_qp_state from = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;

	if (!ib_modify_qp_is_ok(from, to, qp->ibqp.qp_type, mask))
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index >= VHCA_PKEYS)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX)
		qp->pkey_index = attr->pkey_index;
	if (mask & IB_QP_QKEY)
		qp->qkey = attr->qkey;
	qp->state = to;
	if (to == IB_QPS_RESET)
		qp->recv_count = 0;
	return 0;
}

int vhca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct vhca *hca = to_vhca(ibqp->device);
	struct vhca_qp *qp = to_vhca_qp(ibqp);
	enum ib_qp_state state;
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	spin_lock_irq(&hca->lock);
	ret = vhca_change_qp(hca, qp, attr, mask);
	state = qp->state;
	spin_unlock_irq(&hca->lock);

	if (!ret && state == IB_QPS_RESET)
		vhca_flush_held(hca, qp, false);
	if (!ret && state == IB_QPS_ERR) {
		vhca_flush_held(hca, qp, true);
		vhca_flush_recvs(hca, qp);
	}
	wake_up_interruptible(&hca->waiting->writable);
	return ret;
}

int vhca_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct vhca *hca = to_vhca(ibqp->device);
	struct vhca_qp *qp = to_vhca_qp(ibqp);

	memset(attr, 0, sizeof(*attr));
	spin_lock_irq(&hca->lock);
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->qkey = qp->qkey;
	attr->pkey_index = qp->pkey_index;
	spin_unlock_irq(&hca->lock);
	attr->port_num = qp->init.port_num;
	attr->cap = qp->init.cap;
	*init = qp->init;
	return 0;
}

int vhca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct vhca *hca = to_vhca(ibqp->device);
	struct vhca_qp *qp = to_vhca_qp(ibqp);

	/* Neither the fabric's reads nor its writes find the queue pair from here on. */
	spin_lock_irq(&hca->lock);
	vhca_port(hca, qp->init.port_num)->qps[ibqp->qp_num] = NULL;
	spin_unlock_irq(&hca->lock);
	vhca_flush_held(hca, qp, false);
	wake_up_interruptible(&hca->waiting->writable);
	kvfree(qp->recvs);
	return 0;
}
