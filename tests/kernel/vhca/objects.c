// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Protection domains, address handles and memory regions: what the stack has to have. */
#include <linux/slab.h>

#include "vhca.h"

int vhca_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}

int vhca_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}

int vhca_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	rdma_copy_ah_attr(&to_vhca_ah(ibah)->attr, init->ah_attr);
	return 0;
}

/* Returns the address of an AH, by which ib_mad matches a response to its request. */
int vhca_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_vhca_ah(ibah)->attr;
	return 0;
}

int vhca_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	rdma_destroy_ah_attr(&to_vhca_ah(ibah)->attr);
	return 0;
}

struct ib_mr *vhca_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ?: ERR_PTR(-ENOMEM);
}

int vhca_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	kfree(ibmr);
	return 0;
}
