/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The types and functions that the parts of the module share.
 *
 * Locks: vhca.lock, then vhca_cq.lock. Both are taken with interrupts off, as the stack posts
 * sends from within its own such locks. A consumer's completion handler is called with neither
 * held: what adds a completion under vhca.lock gets a CQ back to be told, and vhca_cq_tell()s it
 * after unlocking; the CQ holds a reference meanwhile.
 *
 * Life: the file owns the HCA. Ending it sets .gone under the lock, so that nothing waits for the
 * fabric any more, and nothing is queued again; then the stack is made to let go of it; then
 * it is freed.
 */
#ifndef VHCA_H
#define VHCA_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "vhca_abi.h"

#define VHCA_MAX_QP_WR 16384
#define VHCA_MAX_CQE   65536
#define VHCA_GIDS      1

struct vhca_cq {
	struct ib_cq ibcq;
	spinlock_t lock; /* all below but the reference count */
	struct ib_wc *wc;
	u32 size, head, count;
	bool armed;
	refcount_t refs;
	struct completion released;
};

struct vhca_recv {
	u64 wr_id;
	void *buffer;
	u32 length;
};

/* QP0 or QP1 of a port. */
struct vhca_qp {
	struct ib_qp ibqp;
	struct ib_qp_init_attr init;
	/* The fields from here on are protected by vhca.lock. */
	enum ib_qp_state state;
	u32 qkey;
	u16 pkey_index;
	u32 held; /* sends that wait for room in the queue to the fabric */
	struct vhca_recv *recvs;
	u32 recv_head, recv_count;
};

struct vhca_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr;
};

struct vhca_pd {
	struct ib_pd ibpd;
};

/* A record on its way to the fabric. */
struct vhca_msg {
	struct list_head link;
	struct vhca_qp *qp; /* whose send waits; NULL when it is complete */
	u64 wr_id;
	union {
		struct vhca_record head;
		struct vhca_mad mad;
		struct vhca_upcall_record upcall;
		struct vhca_created created;
		struct vhca_port_caps caps;
		struct vhca_node_desc node_desc;
	} record;
};

struct vhca_port {
	struct vhca_port_record attr;
	bool is_sm, caps_changed; /* the latter: to be told to the fabric */
	u32 qkey_violations;
	struct vhca_qp *qps[2];
};

/*
 * The queues of those who wait for the file to be readable or writable. They may come before there
 * is an HCA.
 */
struct vhca_waiting {
	wait_queue_head_t readable, writable;
};

/* The device with QP0 of an HCA of planes: each of its ports is a plane. */
struct vhca_smi {
	struct ib_device ibdev;
	struct vhca *hca;
};

struct vhca {
	struct ib_device ibdev; /* has no QP0 if there are planes */
	struct vhca_smi *smi;	/* NULL: there are no planes */
	struct ib_device_attr attr;
	u32 port_count; /* or planes */
	bool has_planes;

	spinlock_t lock; /* all below but the last two */
	bool live;	 /* the fabric can answer upcalls */
	bool gone;	 /* there is no fabric any more */
	bool node_desc_changed;
	struct list_head urgent; /* to the fabric: upcalls and the like */
	struct list_head queue;	 /* MADs to the fabric; no more than vhca_queue_depth */
	struct list_head held;	 /* MADs of sends that wait for room there */
	u32 queued;
	u64 taken, taken_before; /* MADs that the fabric read; when the work below last looked */
	u64 discarded_sends, discarded_receives;
	struct list_head upcalls;
	u32 upcall_count, last_upcall;
	/* The planes, if there are any. The first one's has QP1 besides QP0, for all of them. */
	struct vhca_port ports[VHCA_MAX_PLANES];

	struct delayed_work discard; /* runs while sends are held */
	struct vhca_waiting *waiting;
};

/* Tells whether a device is that with QP0 of an HCA of planes. */
static inline bool vhca_is_smi(const struct ib_device *ibdev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	return false;
#else
	return ibdev->type == RDMA_DEVICE_TYPE_SMI;
#endif
}

static inline struct vhca *to_vhca(struct ib_device *ibdev)
{
	if (vhca_is_smi(ibdev))
		return container_of(ibdev, struct vhca_smi, ibdev)->hca;
	return container_of(ibdev, struct vhca, ibdev);
}

static inline struct vhca_cq *to_vhca_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct vhca_cq, ibcq);
}

static inline struct vhca_qp *to_vhca_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct vhca_qp, ibqp);
}

static inline struct vhca_ah *to_vhca_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct vhca_ah, ibah);
}

static inline struct vhca_port *vhca_port(struct vhca *hca, u32 port_num)
{
	return &hca->ports[port_num - 1];
}

/* device.c: the HCA as the stack sees it. */
extern const struct ib_device_ops vhca_ops;
struct vhca *vhca_create(const struct vhca_create *create, struct vhca_waiting *waiting);
void vhca_destroy(struct vhca *hca);

/* smi.c: the second device of an HCA of planes */
int vhca_smi_create(struct vhca *hca); /* -EOPNOTSUPP: the kernel has no such devices */
void vhca_smi_destroy(struct vhca *hca);

/* port.c */
int vhca_port_set(struct vhca *hca, const struct vhca_port_record *record);
int vhca_query_port(struct ib_device *ibdev, u32 port_num, struct ib_port_attr *props);
int vhca_modify_port(struct ib_device *ibdev, u32 port_num, int mask, struct ib_port_modify *props);
int vhca_query_gid(struct ib_device *ibdev, u32 port_num, int index, union ib_gid *gid);
int vhca_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey);
int vhca_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			    struct ib_port_immutable *immutable);
enum rdma_link_layer vhca_get_link_layer(struct ib_device *ibdev, u32 port_num);
/* Writes the GRH that a packet to such an address has. */
void vhca_port_grh(struct vhca *hca, const struct rdma_ah_attr *attr, u8 *grh);

/* objects.c: PDs, AHs, MRs */
int vhca_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int vhca_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int vhca_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int vhca_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int vhca_destroy_ah(struct ib_ah *ibah, u32 flags);
struct ib_mr *vhca_get_dma_mr(struct ib_pd *ibpd, int access);
int vhca_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* cq.c */
int vhca_cq_init(struct ib_cq *ibcq, const struct ib_cq_init_attr *init);
int vhca_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int vhca_poll_cq(struct ib_cq *ibcq, int count, struct ib_wc *wc);
int vhca_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
/* Adds a completion. Returns the CQ if its consumer is to be told of it. */
struct vhca_cq *vhca_cq_add(struct ib_cq *ibcq, const struct ib_wc *wc);
void vhca_cq_tell(struct vhca_cq *cq); /* NULL: nothing */

/* qp.c */
int vhca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int vhca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int vhca_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);
int vhca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* send.c: what the stack sends, up to the queue */
extern struct kmem_cache *vhca_msgs;
int vhca_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr);
/* Moves the first one held into the queue, if there is room; with the lock held. */
struct vhca_cq *vhca_admit(struct vhca *hca);
void vhca_discard_work(struct work_struct *work);
/* Ends all sends that wait. */
void vhca_discard_held(struct vhca *hca);
/* Ends those of one QP. */
void vhca_flush_held(struct vhca *hca, struct vhca_qp *qp, bool complete);

/* take.c: what the fabric reads */
bool vhca_has_record(struct vhca *hca);
/* Takes the next record, which is the caller's to free. Returns NULL if there is none. */
struct vhca_msg *vhca_take(struct vhca *hca);
/* Gives one back that could not be handed over. */
void vhca_untake(struct vhca *hca, struct vhca_msg *msg);

/* receive.c: what the fabric sends */
int vhca_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr);
void vhca_flush_recvs(struct vhca *hca, struct vhca_qp *qp);
/* Takes a MAD from the fabric. Returns 0, -EINVAL, or -EAGAIN when there is no buffer for it. */
int vhca_receive(struct vhca *hca, const struct vhca_mad *mad);
/* Tells whether every QP that takes packets has a buffer for one. */
bool vhca_has_room(struct vhca *hca);

/* upcall.c: MADs for the HCA's own agents, which the fabric plays */
int vhca_process_mad(struct ib_device *ibdev, int flags, u32 port_num, const struct ib_wc *in_wc,
		     const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index);
/*
 * Takes an answer from the fabric. Returns 0 or -EINVAL; 0 too if no request waits for the answer,
 * or none any longer.
 */
int vhca_answer(struct vhca *hca, const struct vhca_answer *answer);
void vhca_end_upcalls(struct vhca *hca);

/* chardev.c */
int vhca_chardev_register(void);
void vhca_chardev_unregister(void);

#endif /* VHCA_H */
