/* SPDX-License-Identifier: BSD-2-Clause */
/* The command that runs on the simulated fabric: started, signalled, and waited for. */
#ifndef SIM_COMMAND_H
#define SIM_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct command {
	pid_t pid;
	int signal_fd; /* readable when there is something for command_signals() to do */
	int status;    /* as of waitpid() */
};

/* Writes the path of the library to preload. False: there is none, and @path is where it ought
   to be. */
bool command_find_shim(char *path, size_t size);

/* Starts it, with the server's folder in its environment. 0 or -errno. */
int command_start(struct command *command, char **argv, const char *folder, const char *shim);

/* Takes the signals that have come, and passes on those for the command. True: it has ended. */
bool command_signals(struct command *command);

/* Ends it. */
void command_kill(struct command *command);

/* What a shell would report of it. */
int command_exit_status(const struct command *command);

#endif
