/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of the kernel's umad device with one port, between a program and the fabric: files,
 * agents, requests that wait for their replies, timeout notices. It speaks no RMPP.
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/umad.h>

struct scenario;

#define KERNEL_FILES	64
#define KERNEL_AGENTS	32 /* of one file */
#define KERNEL_FIRST_FD 1000000

struct kernel_registration {
	uint8_t mgmt_class, class_version;
	uint64_t method_mask[2];
};

void kernel_open(const struct scenario *scenario);
/* Fails the seed when a file is still open, or a request was written whose TID was in use. */
void kernel_close(void);

/* Opens a file of a host's device. Returns its descriptor, or -ENODEV or -EMFILE. */
int kernel_file_open(unsigned int host);
void kernel_file_close(int fd);

/* Returns 0 and *@id, -EINVAL, -ENOMEM (the file has all its agents) or -ENODEV. */
int kernel_register(int fd, const struct kernel_registration *registration, uint32_t *id);
/* Returns 0, or -EINVAL if there is no such agent. */
int kernel_unregister(int fd, uint32_t id);
bool kernel_has_agent(int fd, uint32_t id);

/*
 * Returns how many requests of an agent are sent at once, as the library is told; 0: any. The seed
 * fails if the library then writes more than are sent.
 */
uint32_t kernel_known_limit(uint8_t mgmt_class);

/* Returns 0, -EINVAL or -EIO. */
int kernel_write(int fd, const struct ib_user_mad *umad, size_t bytes);

bool kernel_is_readable(int fd);
/*
 * Takes the first message of the file's queue, which must fit. Returns its bytes, -EAGAIN or -EIO.
 */
ssize_t kernel_read(int fd, struct ib_user_mad *umad, size_t room);

/* Returns whether the device has been unplugged, which it is at the scenario's time. */
bool kernel_is_gone(void);

/* Plays everything that is due by now. */
void kernel_run(void);
/* Returns when kernel_run() has something to do next, or UINT64_MAX. */
uint64_t kernel_next_event(void);

/* Returns how many MADs were written and not refused. */
uint64_t kernel_written(void);
/* Returns how many MADs found a file's queue full. */
uint64_t kernel_dropped(void);

#endif
