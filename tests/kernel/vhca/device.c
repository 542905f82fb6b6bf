// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The HCA as the stack sees it, from its making to its end. */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/version.h>

#include "vhca.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
static int vhca_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *init,
			  struct ib_udata *udata)
#else
static int vhca_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *init,
			  struct uverbs_attr_bundle *attrs)
#endif
{
	return vhca_cq_init(ibcq, init);
}

/*
 * Refuses: the stack takes a device for a whole one only with this function, but no user can call
 * it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
static struct ib_mr *vhca_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt,
				      int access, struct ib_udata *udata)
#else
static struct ib_mr *vhca_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt,
				      int access, struct ib_dmah *dmah, struct ib_udata *udata)
#endif
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int vhca_query_device(struct ib_device *ibdev, struct ib_device_attr *props,
			     struct ib_udata *udata)
{
	*props = to_vhca(ibdev)->attr;
	return 0;
}

static int vhca_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *props)
{
	struct vhca *hca = to_vhca(ibdev);
	unsigned long flags;

	if (vhca_is_smi(ibdev) || (mask & ~IB_DEVICE_MODIFY_NODE_DESC))
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	spin_lock_irqsave(&hca->lock, flags);
	memcpy(ibdev->node_desc, props->node_desc, VHCA_NODE_DESC_BYTES);
	hca->node_desc_changed = true;
	spin_unlock_irqrestore(&hca->lock, flags);
	wake_up_interruptible(&hca->waiting->readable);
	return 0;
}

static void vhca_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u", VHCA_ABI_VERSION);
}

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "vhca\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct vhca *hca = to_vhca(rdma_device_to_ibdev(device));

	return sysfs_emit(buf, "%x\n", hca->attr.hw_ver);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t discarded_sends_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct vhca *hca = to_vhca(rdma_device_to_ibdev(device));

	return sysfs_emit(buf, "%llu\n", READ_ONCE(hca->discarded_sends));
}
static DEVICE_ATTR_RO(discarded_sends);

static ssize_t discarded_receives_show(struct device *device, struct device_attribute *attr,
				       char *buf)
{
	const struct vhca *hca = to_vhca(rdma_device_to_ibdev(device));

	return sysfs_emit(buf, "%llu\n", READ_ONCE(hca->discarded_receives));
}
static DEVICE_ATTR_RO(discarded_receives);

static struct attribute *vhca_attributes[] = {
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	&dev_attr_discarded_sends.attr,
	&dev_attr_discarded_receives.attr,
	NULL,
};

static const struct attribute_group vhca_attribute_group = {
	.attrs = vhca_attributes,
};

const struct ib_device_ops vhca_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.device_group = &vhca_attribute_group,

	.alloc_pd = vhca_alloc_pd,
	.create_ah = vhca_create_ah,
	.create_cq = vhca_create_cq,
	.create_qp = vhca_create_qp,
	.dealloc_pd = vhca_dealloc_pd,
	.dereg_mr = vhca_dereg_mr,
	.destroy_ah = vhca_destroy_ah,
	.destroy_cq = vhca_destroy_cq,
	.destroy_qp = vhca_destroy_qp,
	.get_dev_fw_str = vhca_get_dev_fw_str,
	.get_dma_mr = vhca_get_dma_mr,
	.get_link_layer = vhca_get_link_layer,
	.get_port_immutable = vhca_get_port_immutable,
	.modify_device = vhca_modify_device,
	.modify_port = vhca_modify_port,
	.modify_qp = vhca_modify_qp,
	.poll_cq = vhca_poll_cq,
	.post_recv = vhca_post_recv,
	.post_send = vhca_post_send,
	.process_mad = vhca_process_mad,
	.query_ah = vhca_query_ah,
	.query_device = vhca_query_device,
	.query_gid = vhca_query_gid,
	.query_pkey = vhca_query_pkey,
	.query_port = vhca_query_port,
	.query_qp = vhca_query_qp,
	.reg_user_mr = vhca_reg_user_mr,
	.req_notify_cq = vhca_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, vhca_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, vhca_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, vhca_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, vhca_qp, ibqp),
};

/* Tells whether the number of planes fits the number of ports. */
static bool vhca_planes_fit(const struct vhca_create *create)
{
	if (!create->planes)
		return true;
	return create->ports == 1 && create->planes >= 2 && create->planes <= VHCA_MAX_PLANES;
}

static int vhca_check_create(const struct vhca_create *create)
{
	if (create->version != VHCA_ABI_VERSION)
		return -EPROTO;
	if (create->head.port || !vhca_planes_fit(create) || !create->ports ||
	    create->ports > VHCA_MAX_PORTS ||
	    memchr_inv(create->reserved, 0, sizeof(create->reserved)) || create->reserved2)
		return -EINVAL;
	return 0;
}

static void vhca_set_attributes(struct vhca *hca, const struct vhca_create *create)
{
	struct ib_device *ibdev = &hca->ibdev;
	u32 i;

	hca->port_count = create->planes ?: create->ports;
	hca->has_planes = create->planes;
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = create->ports;
	ibdev->num_comp_vectors = 1;
	ibdev->local_dma_lkey = 0;
	ibdev->node_guid = create->node_guid;
	memcpy(ibdev->node_desc, create->node_desc, VHCA_NODE_DESC_BYTES);

	hca->attr = (struct ib_device_attr){
		.fw_ver = VHCA_ABI_VERSION,
		.sys_image_guid = create->system_image_guid,
		.vendor_id = create->vendor_id,
		.vendor_part_id = create->part_id,
		.hw_ver = create->hw_version,
		.kernel_cap_flags = IBK_LOCAL_DMA_LKEY,
		.max_mr_size = ~0ull,
		.page_size_cap = PAGE_SIZE,
		.max_qp = 2 * hca->port_count,
		.max_qp_wr = VHCA_MAX_QP_WR,
		.max_send_sge = 8,
		.max_recv_sge = 1,
		.max_cq = 2 * hca->port_count,
		.max_cqe = VHCA_MAX_CQE,
		.max_mr = 1,
		.max_pd = hca->port_count,
		.max_ah = INT_MAX,
		.max_pkeys = VHCA_PKEYS,
	};
	for (i = 0; i < hca->port_count; i++) {
		hca->ports[i].attr.state = IB_PORT_DOWN;
		hca->ports[i].attr.phys_state = IB_PORT_PHYS_STATE_POLLING;
		hca->ports[i].attr.width = IB_WIDTH_4X;
		hca->ports[i].attr.speed = IB_SPEED_SDR;
		hca->ports[i].attr.pkeys[0] = 0xffff;
	}
}

static struct vhca *vhca_alloc(const struct vhca_create *create, struct vhca_waiting *waiting)
{
	struct vhca *hca = ib_alloc_device(vhca, ibdev);

	if (!hca)
		return NULL;
	spin_lock_init(&hca->lock);
	INIT_LIST_HEAD(&hca->urgent);
	INIT_LIST_HEAD(&hca->queue);
	INIT_LIST_HEAD(&hca->held);
	INIT_LIST_HEAD(&hca->upcalls);
	INIT_DELAYED_WORK(&hca->discard, vhca_discard_work);
	hca->waiting = waiting;
	vhca_set_attributes(hca, create);
	ib_set_device_ops(&hca->ibdev, &vhca_ops);
	return hca;
}

static void vhca_free_msgs(struct list_head *list)
{
	struct vhca_msg *msg, *next;

	list_for_each_entry_safe(msg, next, list, link)
		kmem_cache_free(vhca_msgs, msg);
}

static void vhca_free(struct vhca *hca)
{
	cancel_delayed_work_sync(&hca->discard);
	vhca_free_msgs(&hca->urgent);
	vhca_free_msgs(&hca->queue);
	ib_dealloc_device(&hca->ibdev);
}

/*
 * Queues the greeting. The device's name is the first that the fabric reads; from then on it can
 * answer.
 */
static void vhca_greet(struct vhca *hca, struct vhca_msg *msg)
{
	struct vhca_created *created = &msg->record.created;

	created->head.length = sizeof(*created);
	created->head.type = VHCA_CREATED;
	strscpy(created->name, dev_name(&hca->ibdev.dev), sizeof(created->name));
	spin_lock_irq(&hca->lock);
	hca->live = true;
	list_add(&msg->link, &hca->urgent);
	spin_unlock_irq(&hca->lock);
}

struct vhca *vhca_create(const struct vhca_create *create, struct vhca_waiting *waiting)
{
	struct vhca_msg *greeting;
	struct vhca *hca;
	int ret;

	ret = vhca_check_create(create);
	if (ret)
		return ERR_PTR(ret);
	greeting = kmem_cache_zalloc(vhca_msgs, GFP_KERNEL);
	if (!greeting)
		return ERR_PTR(-ENOMEM);
	hca = vhca_alloc(create, waiting);
	if (!hca) {
		kmem_cache_free(vhca_msgs, greeting);
		return ERR_PTR(-ENOMEM);
	}
	/* No DMA device: addresses in work requests are the kernel's own. */
	ret = ib_register_device(&hca->ibdev, "vhca%d", NULL);
	if (ret)
		goto free;
	if (create->planes)
		ret = vhca_smi_create(hca);
	if (ret)
		goto unregister;
	vhca_greet(hca, greeting);
	return hca;

unregister:
	ib_unregister_device(&hca->ibdev);
free:
	kmem_cache_free(vhca_msgs, greeting);
	vhca_free(hca);
	return ERR_PTR(ret);
}

void vhca_destroy(struct vhca *hca)
{
	/* Nothing waits for the fabric from here on; callers that do are let go. */
	spin_lock_irq(&hca->lock);
	hca->gone = true;
	spin_unlock_irq(&hca->lock);
	vhca_end_upcalls(hca);
	vhca_discard_held(hca);
	vhca_smi_destroy(hca);
	ib_unregister_device(&hca->ibdev);
	vhca_free(hca);
}
