// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* /dev/vhca: records in and out. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "vhca.h"

struct vhca_file {
	struct mutex read_lock, write_lock; /* keep records whole and in order */
	struct vhca *hca;		    /* NULL until it is created */
	struct vhca_waiting waiting;
	union { /* the record being written */
		struct vhca_record head;
		struct vhca_create create;
		struct vhca_port_record port;
		struct vhca_answer answer;
		struct vhca_mad mad;
	} record;
};

static struct vhca *vhca_of(struct vhca_file *vfile)
{
	/* Pairs with the release in vhca_make(). */
	return smp_load_acquire(&vfile->hca);
}

static int vhca_open(struct inode *inode, struct file *file)
{
	struct vhca_file *vfile = kzalloc(sizeof(*vfile), GFP_KERNEL_ACCOUNT);

	if (!vfile)
		return -ENOMEM;
	mutex_init(&vfile->read_lock);
	mutex_init(&vfile->write_lock);
	init_waitqueue_head(&vfile->waiting.readable);
	init_waitqueue_head(&vfile->waiting.writable);
	file->private_data = vfile;
	return stream_open(inode, file);
}

static int vhca_release(struct inode *inode, struct file *file)
{
	struct vhca_file *vfile = file->private_data;

	if (vfile->hca)
		vhca_destroy(vfile->hca);
	kfree(vfile);
	return 0;
}

static int vhca_make(struct vhca_file *vfile)
{
	struct vhca *hca;

	if (vfile->hca)
		return -EEXIST;
	hca = vhca_create(&vfile->record.create, &vfile->waiting);
	if (IS_ERR(hca))
		return PTR_ERR(hca);
	/* Readers may have it only when it is whole. */
	smp_store_release(&vfile->hca, hca);
	wake_up_interruptible(&vfile->waiting.readable);
	return 0;
}

/* Waits until there is a buffer for the MAD, or a signal. */
static int vhca_receive_waiting(struct vhca *hca, const struct vhca_mad *mad, bool nonblock)
{
	int ret;

	while ((ret = vhca_receive(hca, mad)) == -EAGAIN && !nonblock) {
		if (wait_event_interruptible(hca->waiting->writable, vhca_has_room(hca)))
			return -ERESTARTSYS;
	}
	return ret;
}

static size_t vhca_length_of(u16 type)
{
	switch (type) {
	case VHCA_CREATE:
		return sizeof(struct vhca_create);
	case VHCA_PORT:
		return sizeof(struct vhca_port_record);
	case VHCA_ANSWER:
		return sizeof(struct vhca_answer);
	case VHCA_MAD:
		return sizeof(struct vhca_mad);
	default:
		return 0;
	}
}

/* Copies the next record into the file. Its length, or an error. */
static ssize_t vhca_fetch(struct vhca_file *vfile, const char __user *from, size_t count)
{
	struct vhca_record *head = &vfile->record.head;
	size_t length;

	if (count < sizeof(*head))
		return -EINVAL;
	if (copy_from_user(head, from, sizeof(*head)))
		return -EFAULT;
	length = vhca_length_of(head->type);
	if (!length || head->length != length || count < length || head->reserved)
		return -EINVAL;
	if (copy_from_user(head + 1, from + sizeof(*head), length - sizeof(*head)))
		return -EFAULT;
	return length;
}

static int vhca_write_record(struct vhca_file *vfile, bool nonblock)
{
	u16 type = vfile->record.head.type;

	if (type == VHCA_CREATE)
		return vhca_make(vfile);
	if (!vfile->hca)
		return -ENOTCONN;
	switch (type) {
	case VHCA_PORT:
		return vhca_port_set(vfile->hca, &vfile->record.port);
	case VHCA_ANSWER:
		return vhca_answer(vfile->hca, &vfile->record.answer);
	default:
		return vhca_receive_waiting(vfile->hca, &vfile->record.mad, nonblock);
	}
}

static ssize_t vhca_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	struct vhca_file *vfile = file->private_data;
	bool nonblock = file->f_flags & O_NONBLOCK;
	ssize_t ret = 0, length;
	size_t done = 0;

	if (mutex_lock_interruptible(&vfile->write_lock))
		return -ERESTARTSYS;
	while (done < count) {
		length = vhca_fetch(vfile, from + done, count - done);
		/* Having taken some, what is left is for the next call to wait with. */
		ret = length < 0 ? length : vhca_write_record(vfile, nonblock || done);
		if (ret)
			break;
		done += length;
		cond_resched();
	}
	mutex_unlock(&vfile->write_lock);
	return done ?: ret;
}

/* Reads as many records as there are, and as there is room for. */
static ssize_t vhca_read_records(struct vhca *hca, char __user *to, size_t count)
{
	struct vhca_msg *msg;
	size_t done = 0;

	while (count - done >= sizeof(struct vhca_mad)) {
		msg = vhca_take(hca);
		if (!msg)
			break;
		if (copy_to_user(to + done, &msg->record, msg->record.head.length)) {
			vhca_untake(hca, msg);
			return done ?: -EFAULT;
		}
		done += msg->record.head.length;
		kmem_cache_free(vhca_msgs, msg);
		cond_resched();
	}
	return done ?: -EAGAIN;
}

static ssize_t vhca_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct vhca_file *vfile = file->private_data;
	struct vhca *hca = vhca_of(vfile);
	ssize_t ret;

	if (!hca)
		return -ENOTCONN;
	if (count < sizeof(struct vhca_mad))
		return -EINVAL;
	if (mutex_lock_interruptible(&vfile->read_lock))
		return -ERESTARTSYS;
	while ((ret = vhca_read_records(hca, to, count)) == -EAGAIN &&
	       !(file->f_flags & O_NONBLOCK)) {
		if (wait_event_interruptible(hca->waiting->readable, vhca_has_record(hca))) {
			ret = -ERESTARTSYS;
			break;
		}
	}
	mutex_unlock(&vfile->read_lock);
	return ret;
}

static __poll_t vhca_poll(struct file *file, struct poll_table_struct *table)
{
	struct vhca_file *vfile = file->private_data;
	struct vhca *hca;
	__poll_t events = 0;

	/* The file's own, as epoll registers once and for all. */
	poll_wait(file, &vfile->waiting.readable, table);
	poll_wait(file, &vfile->waiting.writable, table);
	hca = vhca_of(vfile);
	if (!hca)
		return EPOLLOUT | EPOLLWRNORM;
	if (vhca_has_record(hca))
		events |= EPOLLIN | EPOLLRDNORM;
	if (vhca_has_room(hca))
		events |= EPOLLOUT | EPOLLWRNORM;
	return events;
}

static const struct file_operations vhca_fops = {
	.owner = THIS_MODULE,
	.open = vhca_open,
	.release = vhca_release,
	.read = vhca_read,
	.write = vhca_write,
	.poll = vhca_poll,
};

static struct miscdevice vhca_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vhca",
	.fops = &vhca_fops,
	.mode = 0600,
};

int vhca_chardev_register(void)
{
	return misc_register(&vhca_misc);
}

void vhca_chardev_unregister(void)
{
	misc_deregister(&vhca_misc);
}
