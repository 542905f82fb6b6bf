// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A virtual InfiniBand HCA whose MADs go to a fabric in user space; see vhca_abi.h. */
#include <linux/module.h>
#include <linux/slab.h>

#include "vhca.h"

static int __init vhca_init(void)
{
	int ret;

	vhca_msgs = KMEM_CACHE_USERCOPY(vhca_msg, SLAB_HWCACHE_ALIGN, record);
	if (!vhca_msgs)
		return -ENOMEM;
	ret = vhca_chardev_register();
	if (ret)
		kmem_cache_destroy(vhca_msgs);
	return ret;
}

static void __exit vhca_exit(void)
{
	/* Every open file holds the module: there is no HCA left. */
	vhca_chardev_unregister();
	kmem_cache_destroy(vhca_msgs);
}

module_init(vhca_init);
module_exit(vhca_exit);

MODULE_DESCRIPTION("Virtual InfiniBand HCA with a fabric in user space");
MODULE_AUTHOR("The madring authors");
MODULE_LICENSE("Dual BSD/GPL");
