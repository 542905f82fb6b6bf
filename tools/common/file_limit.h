/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit of open files, for programs that may need one for each node or connection. */
#ifndef COMMON_FILE_LIMIT_H
#define COMMON_FILE_LIMIT_H

#include <sys/resource.h>

/* Allows as many open files as the hard limit does. The default is a thousand. */
static inline void file_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
