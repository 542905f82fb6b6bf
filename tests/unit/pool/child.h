/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a function in a child process, for what ends or changes the process. */
#ifndef TESTS_POOL_CHILD_H
#define TESTS_POOL_CHILD_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the status as waitpid() has it; @text: what the child wrote to stderr. */
static inline int child_run(void (*function)(void), char *text, size_t text_bytes)
{
	size_t filled = 0;
	int fds[2], status;
	ssize_t bytes;
	pid_t pid;

	if (pipe(fds))
		return -1;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		dup2(fds[1], STDERR_FILENO);
		function();
		_exit(0);
	}
	close(fds[1]);
	while (filled < text_bytes - 1) {
		bytes = read(fds[0], text + filled, text_bytes - 1 - filled);
		if (bytes <= 0)
			break;
		filled += (size_t)bytes;
	}
	text[filled] = '\0';
	close(fds[0]);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

#endif
