// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* MADs for the HCA's own agents: what firmware does elsewhere, the fabric does here. */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>

#include "vhca.h"

#define VHCA_MAX_UPCALLS 64

static unsigned int vhca_upcall_timeout_ms = 1000;
module_param_named(upcall_timeout_ms, vhca_upcall_timeout_ms, uint, 0444);
MODULE_PARM_DESC(upcall_timeout_ms, "how long an upcall waits for the fabric's answer");

/* Lives on the stack of the task that waits; linked as long as it may be answered. */
struct vhca_upcall {
	struct list_head link;
	u32 id;
	struct completion done;
	enum vhca_result result;
	struct ib_mad *out;
};

/* Tells whether the agents deal with such a MAD. SMInfo is the subnet manager's. */
static bool vhca_is_for_agents(const struct ib_mad *mad)
{
	u8 method = mad->mad_hdr.method;

	switch (mad->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		if (mad->mad_hdr.attr_id == IB_SMP_ATTR_SM_INFO)
			return false;
		return method == IB_MGMT_METHOD_GET || method == IB_MGMT_METHOD_SET ||
		       method == IB_MGMT_METHOD_TRAP_REPRESS;
	case IB_MGMT_CLASS_PERF_MGMT:
		return method == IB_MGMT_METHOD_GET || method == IB_MGMT_METHOD_SET;
	default:
		return false;
	}
}

static struct vhca_msg *vhca_upcall_msg(int flags, u32 port_num, const struct ib_wc *in_wc,
					const struct ib_mad *in)
{
	struct vhca_msg *msg = kmem_cache_zalloc(vhca_msgs, GFP_KERNEL);
	struct vhca_upcall_record *record;

	if (!msg)
		return NULL;
	record = &msg->record.upcall;
	record->head.length = sizeof(*record);
	record->head.type = VHCA_UPCALL;
	record->head.port = port_num;
	record->local = !in_wc;
	record->slid = in_wc ? in_wc->slid : 0;
	record->checks = flags & IB_MAD_IGNORE_ALL;
	memcpy(record->mad, in, VHCA_MAD_BYTES);
	return msg;
}

/* Takes the message over when it succeeds. */
static bool vhca_start_upcall(struct vhca *hca, struct vhca_upcall *upcall, struct vhca_msg *msg)
{
	bool possible;

	spin_lock_irq(&hca->lock);
	possible = hca->live && !hca->gone && hca->upcall_count < VHCA_MAX_UPCALLS;
	if (possible) {
		upcall->id = ++hca->last_upcall;
		msg->record.upcall.id = upcall->id;
		list_add_tail(&upcall->link, &hca->upcalls);
		list_add_tail(&msg->link, &hca->urgent);
		hca->upcall_count++;
	}
	spin_unlock_irq(&hca->lock);
	return possible;
}

/* Takes back an upcall that was not answered in time. */
static void vhca_withdraw(struct vhca *hca, u32 id)
{
	struct vhca_msg *msg, *next;

	list_for_each_entry_safe(msg, next, &hca->urgent, link) {
		if (msg->record.head.type == VHCA_UPCALL && msg->record.upcall.id == id) {
			list_del(&msg->link);
			kmem_cache_free(vhca_msgs, msg);
		}
	}
}

static void vhca_finish_upcall(struct vhca *hca, struct vhca_upcall *upcall)
{
	spin_lock_irq(&hca->lock);
	if (!list_empty(&upcall->link)) {
		list_del(&upcall->link);
		vhca_withdraw(hca, upcall->id);
	}
	hca->upcall_count--;
	spin_unlock_irq(&hca->lock);
}

int vhca_process_mad(struct ib_device *ibdev, int flags, u32 port_num, const struct ib_wc *in_wc,
		     const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index)
{
	struct vhca *hca = to_vhca(ibdev);
	struct vhca_upcall upcall = { .result = VHCA_FAILED, .out = out };
	struct vhca_msg *msg;

	if (!vhca_is_for_agents(in))
		return IB_MAD_RESULT_SUCCESS;
	init_completion(&upcall.done);
	msg = vhca_upcall_msg(flags, port_num, in_wc, in);
	if (!msg)
		return IB_MAD_RESULT_FAILURE;
	if (!vhca_start_upcall(hca, &upcall, msg)) {
		kmem_cache_free(vhca_msgs, msg);
		return IB_MAD_RESULT_FAILURE;
	}
	wake_up_interruptible(&hca->waiting->readable);
	wait_for_completion_killable_timeout(&upcall.done,
					     msecs_to_jiffies(vhca_upcall_timeout_ms));
	vhca_finish_upcall(hca, &upcall);

	switch (upcall.result) {
	case VHCA_REPLY:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case VHCA_CONSUMED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	case VHCA_PASS:
		return IB_MAD_RESULT_SUCCESS;
	default:
		/* "Consumed" would make the request vanish without any notice to its sender. */
		return IB_MAD_RESULT_FAILURE;
	}
}

int vhca_answer(struct vhca *hca, const struct vhca_answer *answer)
{
	struct vhca_upcall *upcall;

	if (answer->head.port || answer->result > VHCA_PASS)
		return -EINVAL;
	spin_lock_irq(&hca->lock);
	list_for_each_entry(upcall, &hca->upcalls, link) {
		if (upcall->id != answer->id)
			continue;
		memcpy(upcall->out, answer->mad, VHCA_MAD_BYTES);
		upcall->result = answer->result;
		list_del_init(&upcall->link);
		complete(&upcall->done);
		break;
	}
	spin_unlock_irq(&hca->lock);
	return 0;
}

void vhca_end_upcalls(struct vhca *hca)
{
	struct vhca_upcall *upcall, *next;

	spin_lock_irq(&hca->lock);
	list_for_each_entry_safe(upcall, next, &hca->upcalls, link) {
		list_del_init(&upcall->link);
		complete(&upcall->done);
	}
	spin_unlock_irq(&hca->lock);
}
