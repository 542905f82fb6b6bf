/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the library with the ring at its first use, and hands the calls of exchange.h to it. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exchange_table.h"

static const struct exchange_table *table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_table(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;
	void *library;
	int length;

	if (!dladdr(&table, &self))
		return;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return;
	length = snprintf(path, sizeof(path), "%.*s/" EXCHANGE_LIBRARY,
			  (int)(slash - self.dli_fname), self.dli_fname);
	if (length < 0 || (size_t)length >= sizeof(path))
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		__atomic_store_n(&table, dlsym(library, EXCHANGE_TABLE), __ATOMIC_RELEASE);
}

/* find_loaded returns the functions, or NULL when they have not been needed yet. */
static const struct exchange_table *find_loaded(void)
{
	return __atomic_load_n(&table, __ATOMIC_ACQUIRE);
}

/* find_table returns the functions, loaded at the first call, or NULL. */
static const struct exchange_table *find_table(void)
{
	pthread_once(&once, load_table);
	return find_loaded();
}

bool exchange_is_open(void)
{
	return find_loaded() && find_loaded()->is_open();
}

int exchange_can_serve(const struct exchange_port *port, uint8_t mgmt_class, int timeout_ms)
{
	const struct exchange_table *loaded = find_table();

	return loaded ? loaded->can_serve(port, mgmt_class, timeout_ms) : -ELIBACC;
}

int exchange_send(const struct exchange_port *port, int fd, int agent_id, const void *umad,
		  int timeout_ms)
{
	const struct exchange_table *loaded = find_table();

	return loaded ? loaded->send(port, fd, agent_id, umad, timeout_ms) : -ELIBACC;
}

/* The functions below have something to do once a request was sent, and the library is loaded. */

int exchange_expire(int fd, int agent_id, const void *umad)
{
	return find_loaded() ? find_loaded()->expire(fd, agent_id, umad) : -ELIBACC;
}

bool exchange_is_waiting(int fd)
{
	return find_loaded() && find_loaded()->is_waiting(fd);
}

int exchange_wait(int fd)
{
	return find_loaded() ? find_loaded()->wait(fd) : -ELIBACC;
}

int exchange_wait_beside(int fd)
{
	return find_loaded() ? find_loaded()->wait_beside(fd) : -ELIBACC;
}

int exchange_receive(int fd, void *umad, int *length)
{
	return find_loaded() ? find_loaded()->receive(fd, umad, length) : -ELIBACC;
}

void exchange_drop(int fd)
{
	if (find_loaded())
		find_loaded()->drop(fd);
}

const char *exchange_error(int error)
{
	return find_loaded() ? find_loaded()->error(error) : strerror(-error);
}
