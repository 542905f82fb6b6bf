/* SPDX-License-Identifier: BSD-2-Clause */
/* Does read() and write() on a umad file, where ib_umad differs from a socket. */
#ifndef SIM_UMAD_FILE_H
#define SIM_UMAD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* umad_file_read reads if a plain read() would not do; *@result is the result. */
bool umad_file_read(int fd, void *buffer, size_t count, ssize_t *result);

/* umad_file_write_failed writes in another way after a write() has failed, if it can. */
bool umad_file_write_failed(int fd, const void *buffer, size_t count, ssize_t *result);

/*
 * umad_file_doubts_write tells whether ib_umad might refuse a write(): the message is too short, or
 * its agent is not registered. It is called before the write(), because another thread may free the
 * message once it is sent.
 */
bool umad_file_doubts_write(int fd, const void *buffer, size_t count, uint32_t *agent_id);

/*
 * umad_file_refuses_write tells whether ib_umad would have refused the write() that has just been
 * done, and that the server has dropped. If so, it stores the write()'s result in *@result, and
 * sets errno.
 */
bool umad_file_refuses_write(int fd, size_t count, uint32_t agent_id, ssize_t *result);

#endif
