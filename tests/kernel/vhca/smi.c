// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The second device of an HCA of planes. It has a port with QP0 for each plane. */
#include "vhca.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
int vhca_smi_create(struct vhca *hca)
{
	return -EOPNOTSUPP;
}
#else
/*
 * The device has no parent, so that "rdma dev delete" refuses to remove it: it lives as long as its
 * HCA.
 */
int vhca_smi_create(struct vhca *hca)
{
	struct vhca_smi *smi = ib_alloc_device(vhca_smi, ibdev);
	int ret;

	if (!smi)
		return -ENOMEM;
	smi->hca = hca;
	smi->ibdev.type = RDMA_DEVICE_TYPE_SMI;
	smi->ibdev.node_type = hca->ibdev.node_type;
	smi->ibdev.phys_port_cnt = hca->port_count;
	smi->ibdev.num_comp_vectors = 1;
	smi->ibdev.node_guid = hca->ibdev.node_guid;
	memcpy(smi->ibdev.node_desc, hca->ibdev.node_desc, VHCA_NODE_DESC_BYTES);
	ib_set_device_ops(&smi->ibdev, &vhca_ops);
	ret = ib_register_device(&smi->ibdev, "smi%d", NULL);
	if (ret)
		ib_dealloc_device(&smi->ibdev);
	else
		hca->smi = smi;
	return ret;
}
#endif

void vhca_smi_destroy(struct vhca *hca)
{
	if (!hca->smi)
		return;
	ib_unregister_device(&hca->smi->ibdev);
	ib_dealloc_device(&hca->smi->ibdev);
	hca->smi = NULL;
}
