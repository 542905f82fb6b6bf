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

/* What is known of a write() before it is done. */
enum umad_write {
	UMAD_WRITE_GOOD,
	UMAD_WRITE_DOUBTFUL, /* too short, or by an agent that is not known */
	UMAD_WRITE_ASTRAY,   /* an SMP with a route that does not begin at the port */
};

/*
 * umad_file_judge_write tells whether ib_umad might refuse a write(). It is called before the
 * write(), because another thread may free the message once it is sent.
 */
enum umad_write umad_file_judge_write(int fd, const void *buffer, size_t count, uint32_t *agent_id);

/*
 * umad_file_refuses_write tells whether ib_umad would have refused the write() that has just been
 * done, and that the server has dropped. If so, it stores the write()'s result in *@result, and
 * sets errno.
 */
bool umad_file_refuses_write(int fd, enum umad_write judged, size_t count, uint32_t agent_id,
			     ssize_t *result);

#endif
