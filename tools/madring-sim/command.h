/* SPDX-License-Identifier: BSD-2-Clause */
/* The command that runs on the simulated fabric: started, signalled, and waited for. */
#ifndef SIM_COMMAND_H
#define SIM_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int signal_fd; /* readable when there is something for command_signals() to do */
	int status;    /* as of waitpid() */
};

/*
 * command_hold_signals makes the signals that end the program wait for command_signals() from here
 * on, so that it can tidy up. It is called before there is anything to tidy up.
 */
void command_hold_signals(void);

/*
 * command_find_shim returns the absolute path of the library to preload, to be freed; or NULL with
 * errno, and @*expected says where it ought to be.
 */
char *command_find_shim(const char **expected);

/*
 * command_start starts the command, with the folder in its environment. If @shim is NULL, nothing
 * is preloaded. Returns 0 or -errno.
 */
int command_start(struct command *command, char **argv, const char *folder, const char *shim);

/*
 * command_signals takes the signals that have come, and passes on those for the command. Returns
 * true if the command has ended.
 */
bool command_signals(struct command *command);

/* command_kill ends the command with SIGTERM or, when it takes no notice of that, with SIGKILL. */
void command_kill(struct command *command);

/* command_exit_status returns the status that a shell would report of the command. */
int command_exit_status(const struct command *command);

#endif
