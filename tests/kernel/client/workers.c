/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Worker threads of io_uring ("iou-wrk"): one is the sign of a request that the kernel could not do
 * at once, and a program of madring's must never have any. Linked with a program, this looks for
 * them while it runs, and once more when it ends; the first one seen ends it, with status 70. They
 * live on for some seconds after their work.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_US 100000
#define STATUS	    70

static bool is_worker(const char *task)
{
	char path[300], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
	file = fopen(path, "r");
	if (!file)
		return false; /* it has ended meanwhile */
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return strstr(name, "iou-wrk") != NULL;
}

static void look(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	if (!tasks) {
		perror("/proc/self/task");
		_exit(STATUS);
	}
	while ((entry = readdir(tasks))) {
		if (is_worker(entry->d_name)) {
			fprintf(stderr, "there is a worker thread of io_uring\n");
			_exit(STATUS);
		}
	}
	closedir(tasks);
}

static void *look_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		look();
		usleep(INTERVAL_US);
	}
	return NULL;
}

__attribute__((constructor)) static void forbid(void)
{
	pthread_t thread;

	if (atexit(look) || pthread_create(&thread, NULL, look_for_ever, NULL)) {
		fprintf(stderr, "worker threads can't be looked for\n");
		exit(STATUS);
	}
	pthread_detach(thread);
}
