/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * restrict MODE COMMAND...: runs a program that may not use some system calls, as on another kernel
 * or in a container. The filter is inherited by all that the program starts.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The exit statuses of what goes wrong before the program runs, as env(1) has them. */
#define WRONG_USAGE 2
#define NO_FILTER   125
#define NOT_FOUND   127

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define OWN_ARCH AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define OWN_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCH AUDIT_ARCH_RISCV64
#else
#error "restrict: the AUDIT_ARCH of this machine is not known"
#endif

/* The last system call of Linux 4.18. Numbers only grow, so all later calls come after it. */
#if __NR_io_pgetevents > __NR_rseq
#define LAST_OF_4_18 __NR_io_pgetevents
#else
#define LAST_OF_4_18 __NR_rseq
#endif

/* Parts of a filter. Calls by the numbers of another machine, such as 32-bit x86, fail. */
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define LOAD_NUMBER                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),                   \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0), FAIL(ENOSYS),                 \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define FAIL_CALL(call, error)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), FAIL(error)
#define FAIL_AFTER(call, error) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (call), 0, 1), FAIL(error)
#define ALLOW			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter linux_4_18[] = {
	LOAD_NUMBER,
	FAIL_AFTER(LAST_OF_4_18, ENOSYS),
	ALLOW,
};

/*
 * A filter cannot read the flags of io_uring_setup(2), which are in memory. madring always sets
 * IORING_SETUP_SUBMIT_ALL, which Linux 5.1 to 5.17 refuse with EINVAL.
 */
static struct sock_filter old_uring[] = {
	LOAD_NUMBER,
	FAIL_CALL(__NR_io_uring_setup, EINVAL),
	FAIL_CALL(__NR_io_uring_register, EINVAL),
	ALLOW,
};

static struct sock_filter container[] = {
	LOAD_NUMBER,
	FAIL_CALL(__NR_io_uring_setup, EPERM),
	FAIL_CALL(__NR_io_uring_enter, EPERM),
	FAIL_CALL(__NR_io_uring_register, EPERM),
	ALLOW,
};

#define FILTER(array) { .len = sizeof(array) / sizeof((array)[0]), .filter = (array) }

static const struct mode {
	const char *name;
	const char *what;
	struct sock_fprog filter;
} modes[] = {
	{ "linux-4.18", "all system calls later than Linux 4.18 fail with ENOSYS",
	  FILTER(linux_4_18) },
	{ "old-uring", "io_uring_setup(2) and io_uring_register(2) fail with EINVAL",
	  FILTER(old_uring) },
	{ "container", "io_uring's system calls fail with EPERM, as by Docker's default profile",
	  FILTER(container) },
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

static void print_usage(FILE *file)
{
	fprintf(file, "usage: restrict MODE COMMAND...\n\n"
		      "Runs the command with a seccomp filter. The modes:\n\n");
	for (size_t i = 0; i < MODES; i++)
		fprintf(file, "  %-12s%s\n", modes[i].name, modes[i].what);
}

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < MODES; i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct mode *mode;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_usage(stdout);
		return 0;
	}
	if (argc < 3) {
		print_usage(stderr);
		return WRONG_USAGE;
	}
	mode = find_mode(argv[1]);
	if (!mode) {
		fprintf(stderr, "restrict: %s: no such mode\n\n", argv[1]);
		print_usage(stderr);
		return WRONG_USAGE;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &mode->filter, 0, 0)) {
		fprintf(stderr, "restrict: seccomp: %s\n", strerror(errno));
		return NO_FILTER;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "restrict: %s: %s\n", argv[2], strerror(errno));
	return NOT_FOUND;
}
