/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts a program with the library that has its MADs go over a ring. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/complain.h"
#include "common/option_table.h"

#define LIBRARY "madring-accelerate.so"
/* The exit statuses of env(1). */
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND	127

struct options {
	bool verbose;
};

#define OPTION_STRUCT struct options

static const struct option_entry entries[] = {
	{ 'v', "verbose", NULL, "say on standard error why requests take their usual way",
	  OPTION_FLAG(verbose) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: madring-accelerate [-v] PROGRAM [ARGUMENT...]\n"
		 "\n"
		 "Runs a program that uses libibnetdisc or libibmad, such as ibnetdiscover,\n"
		 "iblinkinfo or ibqueryerrors, unchanged. Its SMPs and performance management go\n"
		 "over a ring of madring's.\n",
	.notes =
		"Exit status: the program's; 127: it was not found; 126: it could not be started;\n"
		"2: a wrong command line, or the library to preload is missing.\n",
	.is_command_last = true,
	.entries = entries,
};

/*
 * find_library returns the absolute path of the library, or NULL: it is beside the program, as
 * built, or where it is installed. The caller frees it.
 */
static char *find_library(void)
{
	char *program = realpath("/proc/self/exe", NULL), *path = NULL, *library = NULL;

	if (program && asprintf(&path, "%s/" LIBRARY, dirname(program)) >= 0) {
		library = access(path, R_OK) ? NULL : realpath(path, NULL);
		free(path);
	}
	free(program);
	if (!library && !access(MADRING_ACCELERATE_INSTALLED, R_OK))
		library = realpath(MADRING_ACCELERATE_INSTALLED, NULL);
	return library;
}

/* preload appends the library to LD_PRELOAD. Returns 0 or -errno. */
static int preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;
	int ret;

	if (strpbrk(library, ": "))
		return -EINVAL;
	if (asprintf(&list, "%s%s%s", old ? old : "", old && *old ? ":" : "", library) < 0)
		return -ENOMEM;
	ret = setenv("LD_PRELOAD", list, 1) ? -errno : 0;
	free(list);
	return ret;
}

int main(int argc, char *argv[])
{
	struct options options = { .verbose = false };
	char **command =
		argv + option_table_read(&table, &options, MADRING_ACCELERATE_VERSION, argc, argv);
	char *library;
	int ret;

	if (!*command)
		option_refuse("program", "give the program to run");
	library = find_library();
	if (!library) {
		complain("%s: no such file: install madring, or build it whole",
			 MADRING_ACCELERATE_INSTALLED);
		return EXIT_UNABLE;
	}
	ret = preload(library);
	if (!ret && options.verbose && setenv("MADRING_ACCELERATE_VERBOSE", "1", 1))
		ret = -errno;
	if (ret) {
		complain("%s: cannot be preloaded: %s", library,
			 ret == -EINVAL ? "its path has a colon or a space" : strerror(-ret));
		free(library);
		return EXIT_UNABLE;
	}
	free(library);
	execvp(command[0], command);
	ret = errno;
	complain("%s: %s", command[0], strerror(ret));
	return ret == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
