/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "server/protocol.h"

#define SHIM "libmadring-sim-shim.so"

static bool is_usable(const char *path)
{
	return !access(path, R_OK);
}

bool command_find_shim(char *path, size_t size)
{
	const char *chosen = getenv("MADRING_SIM_SHIM");
	char self[PATH_MAX];
	ssize_t length;

	if (chosen) {
		snprintf(path, size, "%s", chosen);
		return is_usable(path);
	}
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length > 0) {
		self[length] = '\0';
		snprintf(path, size, "%s/shim/" SHIM, dirname(self));
		if (is_usable(path))
			return true;
	}
	snprintf(path, size, "%s", MADRING_SIM_SHIM_INSTALLED);
	return is_usable(path);
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

/* AddressSanitizer wants to be loaded first unless it is told that another library is. */
static int set_environment(const char *folder, const char *shim)
{
	int ret = prepend("LD_PRELOAD", shim);

	if (!ret)
		ret = prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
	if (!ret && setenv(SIM_ENVIRONMENT, folder, 1))
		ret = -errno;
	return ret;
}

static void __attribute__((noreturn))
run_child(char **argv, const char *folder, const char *shim, const sigset_t *mask, int report)
{
	int error = -set_environment(folder, shim);

	if (!error) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		error = errno;
	}
	if (write(report, &error, sizeof(error)) != sizeof(error))
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

/* The child reports only what has gone wrong; a successful exec closes the pipe. */
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

int command_start(struct command *command, char **argv, const char *folder, const char *shim)
{
	sigset_t taken, mask;
	int report[2], ret;

	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGQUIT);
	sigaddset(&taken, SIGTERM);
	sigprocmask(SIG_BLOCK, &taken, &mask);
	command->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (command->signal_fd < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		ret = -errno;
		goto failed;
	}
	command->pid = fork();
	if (!command->pid)
		run_child(argv, folder, shim, &mask, report[1]);
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

/* A terminal has sent its signal to the command already. */
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
	kill(command->pid, SIGTERM);
	while (waitpid(command->pid, &command->status, 0) < 0 && errno == EINTR)
		;
}

int command_exit_status(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
