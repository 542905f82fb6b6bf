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
 * From here on the signals that end the program wait for command_signals(), so that it can tidy
 * up; to be called before there is anything to tidy up.
 */
void command_hold_signals(void);

/* The absolute path of the library to preload, to be freed; NULL with errno, and @*expected says
   where it ought to be. */
char *command_find_shim(const char **expected);

/* Starts it, with the folder in its environment; @shim: NULL: nothing is preloaded. 0 or -errno. */
int command_start(struct command *command, char **argv, const char *folder, const char *shim);

/* Takes the signals that have come, and passes on those for the command. True: it has ended. */
bool command_signals(struct command *command);

/* Ends it with SIGTERM, or when it takes no notice of that, with SIGKILL. */
void command_kill(struct command *command);

/* What a shell would report of it. */
int command_exit_status(const struct command *command);

#endif
