/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "loop/ctl_protocol.h"
#include "server/protocol.h"

#define SHIM	     "libmadring-sim-shim.so"
#define KILL_SECONDS 5

/* The signals that are held back, and the mask that the command is to start with. */
static sigset_t held, original_mask;

/*
 * usable returns the absolute path of a library that can be read, or NULL. Whatever the command
 * starts looks for the library again, in any folder.
 */
static char *usable(const char *path)
{
	return access(path, R_OK) ? NULL : realpath(path, NULL);
}

/* find_built_shim returns the library's path in the build folder: beside the program. */
static char *find_built_shim(void)
{
	char *program = realpath("/proc/self/exe", NULL), *path = NULL, *shim = NULL;

	if (program && asprintf(&path, "%s/shim/" SHIM, dirname(program)) >= 0) {
		shim = usable(path);
		free(path);
	}
	free(program);
	return shim;
}

char *command_find_shim(const char **expected)
{
	const char *chosen = getenv("MADRING_SIM_SHIM");
	char *shim;

	*expected = chosen ? chosen : MADRING_SIM_SHIM_INSTALLED;
	if (chosen)
		return usable(chosen);
	shim = find_built_shim();
	return shim ? shim : usable(MADRING_SIM_SHIM_INSTALLED);
}

/* Prepends @value to a list in the environment. */
static int prepend(const char *name, const char *value)
{
	const char *old = getenv(name);
	char *list;
	int ret;

	if (asprintf(&list, "%s%s%s", value, old && *old ? ":" : "", old ? old : "") < 0)
		return -ENOMEM;
	ret = setenv(name, list, 1) ? -errno : 0;
	free(list);
	return ret;
}

/*
 * set_environment sets the command's environment. AddressSanitizer wants to be loaded first unless
 * it is told that another library is.
 */
static int set_environment(const char *folder, const char *shim)
{
	static const char *const host[] = { SIM_HOST_NAMES };
	int ret = shim ? prepend("LD_PRELOAD", shim) : 0;
	size_t i;

	/*
	 * The command runs at the node that was chosen for it; what it starts may choose another
	 * one.
	 */
	for (i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		unsetenv(host[i]);
	if (!ret && shim)
		ret = prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
	if (!ret && setenv(SIM_ENVIRONMENT, folder, 1))
		ret = -errno;
	return ret;
}

static void __attribute__((noreturn)) run_child(char **argv, const char *folder, const char *shim,
						int report)
{
	int error = -set_environment(folder, shim);

	if (!error) {
		sigprocmask(SIG_SETMASK, &original_mask, NULL);
		execvp(argv[0], argv);
		error = errno;
	}
	/* If the report is not written, the exit status still tells of the error. */
	_exit(write(report, &error, sizeof(error)) == sizeof(error) ? EXIT_FAILURE : 127);
}

/*
 * wait_for_exec waits until the child has started the command, or reports an error. A successful
 * exec closes the pipe.
 */
static int wait_for_exec(struct command *command, int report)
{
	int error = 0;
	ssize_t length;

	do {
		length = read(report, &error, sizeof(error));
	} while (length < 0 && errno == EINTR);
	close(report);
	if (length != sizeof(error))
		return 0;
	waitpid(command->pid, &command->status, 0);
	return -error;
}

void command_hold_signals(void)
{
	sigset_t blocked;

	/* A parent may have left SIGCHLD ignored, and the command's end would go unnoticed. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	sigaddset(&held, SIGHUP);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGQUIT);
	sigaddset(&held, SIGTERM);
	/* SIGPIPE is blocked, too: a message to a closed pipe must not end the program. */
	blocked = held;
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &original_mask);
}

/*
 * is_interrupted tells whether the program has been told to end before there is a command to tell.
 */
static bool is_interrupted(void)
{
	static const struct timespec at_once;
	sigset_t ending = held;

	sigdelset(&ending, SIGCHLD);
	return sigtimedwait(&ending, NULL, &at_once) > 0;
}

int command_start(struct command *command, char **argv, const char *folder, const char *shim)
{
	int report[2], ret;

	if (is_interrupted())
		return -EINTR;
	command->signal_fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	if (command->signal_fd < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		ret = -errno;
		goto failed;
	}
	command->pid = fork();
	if (!command->pid)
		run_child(argv, folder, shim, report[1]);
	ret = command->pid < 0 ? -errno : 0;
	close(report[1]);
	if (ret)
		close(report[0]);
	else
		ret = wait_for_exec(command, report[0]);
	if (!ret)
		return 0;

failed:
	close(command->signal_fd);
	return ret;
}

/*
 * pass_on passes a signal on to the command, unless it comes from a terminal, which has sent it to
 * the command already.
 */
static void pass_on(const struct command *command, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL)
		kill(command->pid, (int)info->ssi_signo);
}

bool command_signals(struct command *command)
{
	struct signalfd_siginfo info;

	while (read(command->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			pass_on(command, &info);
	}
	return waitpid(command->pid, &command->status, WNOHANG) == command->pid;
}

void command_kill(struct command *command)
{
	const struct timespec patience = { .tv_sec = KILL_SECONDS };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	kill(command->pid, SIGTERM);
	sigtimedwait(&child, NULL, &patience);
	kill(command->pid, SIGKILL);
	waitpid(command->pid, &command->status, 0);
}

int command_exit_status(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
