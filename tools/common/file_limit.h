/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a program that may need a file for each of many others, or for each connection. */
#ifndef COMMON_FILE_LIMIT_H
#define COMMON_FILE_LIMIT_H

#include <sys/resource.h>

/* As many open files as the hard limit allows; the default for a process is a thousand. */
static inline void file_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
