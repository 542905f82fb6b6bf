// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* MADs from the fabric, which go into the buffers that the stack has posted. */
#include "vhca.h"

static int vhca_post_one(struct vhca *hca, struct vhca_qp *qp, const struct ib_recv_wr *wr,
			 bool *first)
{
	struct vhca_recv *recv;

	if (qp->state == IB_QPS_RESET || wr->num_sge != 1)
		return -EINVAL;
	if (qp->recv_count == qp->init.cap.max_recv_wr)
		return -ENOMEM;
	recv = &qp->recvs[(qp->recv_head + qp->recv_count) % qp->init.cap.max_recv_wr];
	recv->wr_id = wr->wr_id;
	recv->buffer = (void *)(uintptr_t)wr->sg_list[0].addr;
	recv->length = wr->sg_list[0].length;
	*first |= !qp->recv_count++;
	return 0;
}

int vhca_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	struct vhca *hca = to_vhca(ibqp->device);
	struct vhca_qp *qp = to_vhca_qp(ibqp);
	bool first = false, failed;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&hca->lock, flags);
	for (; wr; wr = wr->next) {
		ret = vhca_post_one(hca, qp, wr, &first);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	failed = qp->state == IB_QPS_ERR;
	spin_unlock_irqrestore(&hca->lock, flags);

	if (failed)
		vhca_flush_recvs(hca, qp);
	if (first)
		wake_up_interruptible(&hca->waiting->writable);
	return ret;
}

static struct vhca_recv *vhca_next_recv(struct vhca_qp *qp)
{
	struct vhca_recv *recv = &qp->recvs[qp->recv_head];

	qp->recv_head = (qp->recv_head + 1) % qp->init.cap.max_recv_wr;
	qp->recv_count--;
	return recv;
}

void vhca_flush_recvs(struct vhca *hca, struct vhca_qp *qp)
{
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->ibqp,
	};
	struct vhca_cq *cq;
	unsigned long flags;
	bool more;

	do {
		cq = NULL;
		spin_lock_irqsave(&hca->lock, flags);
		more = qp->recv_count;
		if (more) {
			wc.wr_id = vhca_next_recv(qp)->wr_id;
			cq = vhca_cq_add(qp->init.recv_cq, &wc);
		}
		spin_unlock_irqrestore(&hca->lock, flags);
		vhca_cq_tell(cq);
	} while (more);
}

static bool vhca_takes_packets(const struct vhca_qp *qp)
{
	return qp && (qp->state == IB_QPS_RTR || qp->state == IB_QPS_RTS);
}

/* Tells whether a MAD has the QP's Q_Key. QP0 has none (IBA 9.2.3). */
static bool vhca_qkey_fits(const struct vhca_qp *qp, const struct vhca_mad *mad)
{
	return qp->ibqp.qp_num == 0 || mad->qkey == qp->qkey;
}

static struct vhca_cq *vhca_deliver(struct vhca_port *port, struct vhca_qp *qp,
				    const struct vhca_mad *mad)
{
	const struct vhca_recv *recv = vhca_next_recv(qp);
	struct ib_wc wc = {
		.wr_id = recv->wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = VHCA_GRH_BYTES + VHCA_MAD_BYTES,
		.qp = &qp->ibqp,
		.src_qp = mad->sqp,
		.slid = mad->slid,
		.wc_flags = mad->flags & VHCA_GRH_PRESENT ? IB_WC_GRH : 0,
		.pkey_index = mad->pkey_index,
		.sl = mad->sl,
		.dlid_path_bits = mad->dlid & ((1 << port->attr.lmc) - 1),
		.port_num = mad->head.port,
	};

	if (recv->length < wc.byte_len) {
		wc.status = IB_WC_LOC_LEN_ERR;
	} else {
		memcpy(recv->buffer, mad->grh, VHCA_GRH_BYTES);
		memcpy(recv->buffer + VHCA_GRH_BYTES, mad->mad, VHCA_MAD_BYTES);
	}
	return vhca_cq_add(qp->init.recv_cq, &wc);
}

static bool vhca_is_valid(const struct vhca *hca, const struct vhca_mad *mad)
{
	return mad->head.port >= 1 && mad->head.port <= hca->port_count && mad->dqp <= 1 &&
	       mad->sqp < BIT(24) && mad->pkey_index < VHCA_PKEYS && mad->sl < 16 &&
	       !(mad->flags & ~VHCA_GRH_PRESENT) && !mad->reserved;
}

int vhca_receive(struct vhca *hca, const struct vhca_mad *mad)
{
	struct vhca_cq *cq = NULL;
	struct vhca_port *port;
	unsigned long flags;
	struct vhca_qp *qp;
	int ret = 0;

	if (!vhca_is_valid(hca, mad))
		return -EINVAL;
	port = vhca_port(hca, mad->head.port);
	spin_lock_irqsave(&hca->lock, flags);
	qp = port->qps[mad->dqp];
	if (!vhca_takes_packets(qp)) {
		hca->discarded_receives++;
	} else if (!vhca_qkey_fits(qp, mad)) {
		port->qkey_violations++;
		hca->discarded_receives++;
	} else if (!qp->recv_count) {
		ret = -EAGAIN;
	} else {
		cq = vhca_deliver(port, qp, mad);
	}
	spin_unlock_irqrestore(&hca->lock, flags);
	vhca_cq_tell(cq);
	return ret;
}

bool vhca_has_room(struct vhca *hca)
{
	unsigned long flags;
	bool room = true;
	u32 port_num;
	int i;

	spin_lock_irqsave(&hca->lock, flags);
	for (port_num = 1; port_num <= hca->port_count; port_num++) {
		for (i = 0; i < 2; i++) {
			const struct vhca_qp *qp = vhca_port(hca, port_num)->qps[i];

			if (vhca_takes_packets(qp) && !qp->recv_count)
				room = false;
		}
	}
	spin_unlock_irqrestore(&hca->lock, flags);
	return room;
}
