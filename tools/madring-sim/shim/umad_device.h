/* SPDX-License-Identifier: BSD-2-Clause */
/* The device files, opened as sockets to the server, and the ioctls on them. */
#ifndef SIM_UMAD_DEVICE_H
#define SIM_UMAD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* device_open opens @path if it names a device file; *@fd is what open() returns. */
bool device_open(const char *path, int flags, int *fd);

/*
 * device_cookie returns the cookie that names the socket @fd (see protocol.h), or 0 if @fd is no
 * socket. It keeps errno.
 */
uint64_t device_cookie(int fd);

/*
 * device_is_umad_file tells whether @fd is a socket to the server, whoever opened it and whatever
 * its number is.
 */
bool device_is_umad_file(int fd);

/*
 * device_fetch gets the message that the server keeps for a umad file; see protocol.h. Returns its
 * length, or -errno; -EAGAIN: there is none.
 */
ssize_t device_fetch(int fd, void *buffer, size_t count);

/* device_find_agent returns 0 if a umad file has this agent, or the -errno of a write by it. */
int device_find_agent(int fd, uint32_t agent_id);

/* device_ioctl answers @request if @fd is a umad file; *@result is what ioctl() returns. */
bool device_ioctl(int fd, unsigned long request, void *argument, int *result);

/* The facts that are known of an open umad file. */
enum umad_file_fact {
	UMAD_FILE_OPEN = 1,
	UMAD_FILE_NEW_HEADER = 2, /* the one with the P_Key index */
	UMAD_FILE_LONG = 4,	  /* its messages may be longer than a MAD */
};

/* umad_facts returns what is known of a umad file, by its number. */
uint8_t umad_facts(int fd);

/* umad_port returns the port of a umad file, by its number, as in sim_reply; 0: it is not known. */
uint8_t umad_port(int fd);

/*
 * umad_knows_agent tells whether an agent is known to be registered, on the file with this cookie.
 */
bool umad_knows_agent(uint64_t cookie, uint32_t id);

#endif
