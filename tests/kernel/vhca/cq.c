// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Completion queues. */
#include <linux/mm.h>

#include "vhca.h"

int vhca_cq_init(struct ib_cq *ibcq, const struct ib_cq_init_attr *init)
{
	struct vhca_cq *cq = to_vhca_cq(ibcq);

	if (init->flags || !init->cqe || init->cqe > VHCA_MAX_CQE)
		return -EINVAL;
	cq->wc = kvcalloc(init->cqe, sizeof(*cq->wc), GFP_KERNEL);
	if (!cq->wc)
		return -ENOMEM;
	cq->size = init->cqe;
	ibcq->cqe = init->cqe;
	spin_lock_init(&cq->lock);
	refcount_set(&cq->refs, 1);
	init_completion(&cq->released);
	return 0;
}

static void vhca_cq_put(struct vhca_cq *cq)
{
	if (refcount_dec_and_test(&cq->refs))
		complete(&cq->released);
}

int vhca_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct vhca_cq *cq = to_vhca_cq(ibcq);

	vhca_cq_put(cq);
	wait_for_completion(&cq->released);
	kvfree(cq->wc);
	return 0;
}

struct vhca_cq *vhca_cq_add(struct ib_cq *ibcq, const struct ib_wc *wc)
{
	struct vhca_cq *cq = to_vhca_cq(ibcq);
	unsigned long flags;
	bool tell = false;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->count < cq->size) {
		cq->wc[(cq->head + cq->count) % cq->size] = *wc;
		cq->count++;
		tell = cq->armed;
		cq->armed = false;
	} else {
		dev_warn_ratelimited(&ibcq->device->dev, "a CQ of %u ran over\n", cq->size);
	}
	if (tell)
		refcount_inc(&cq->refs);
	spin_unlock_irqrestore(&cq->lock, flags);
	return tell ? cq : NULL;
}

void vhca_cq_tell(struct vhca_cq *cq)
{
	if (!cq)
		return;
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	vhca_cq_put(cq);
}

int vhca_poll_cq(struct ib_cq *ibcq, int count, struct ib_wc *wc)
{
	struct vhca_cq *cq = to_vhca_cq(ibcq);
	unsigned long flags;
	int found;

	spin_lock_irqsave(&cq->lock, flags);
	for (found = 0; found < count && cq->count; found++) {
		wc[found] = cq->wc[cq->head];
		cq->head = (cq->head + 1) % cq->size;
		cq->count--;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return found;
}

int vhca_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct vhca_cq *cq = to_vhca_cq(ibcq);
	unsigned long irq_flags;
	bool missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	cq->armed = true;
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}
