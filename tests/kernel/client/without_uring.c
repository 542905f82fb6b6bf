/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * without-uring EPERM|ENOSYS COMMAND...: a program that may not use io_uring, as a container's
 * seccomp profile has it; or, with ENOSYS, as if the kernel had none.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int forbid(unsigned int error)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(rules[0]),
		.filter = rules,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv)
{
	if (argc < 3 || (strcmp(argv[1], "EPERM") != 0 && strcmp(argv[1], "ENOSYS") != 0)) {
		fprintf(stderr, "usage: without-uring EPERM|ENOSYS COMMAND...\n");
		return EXIT_FAILURE;
	}
	if (forbid(strcmp(argv[1], "EPERM") ? ENOSYS : EPERM)) {
		perror("without-uring: seccomp");
		return EXIT_FAILURE;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return EXIT_FAILURE;
}
