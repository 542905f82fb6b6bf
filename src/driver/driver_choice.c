/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the driver: io_uring where the process has it, and plain system calls elsewhere. */
#include "driver/driver_state.h"

#include <stdlib.h>

#include "base/debug.h"

#define VARIABLE "MADRING_DRIVER"

#ifdef MADRING_WITHOUT_URING
#define NO_URING_TEXT "madring was built without io_uring"

static int open_uring(struct driver **out, const struct driver_config *config)
{
	(void)out;
	(void)config;
	return -ENOSYS;
}
#else
#define NO_URING_TEXT "this kernel has no io_uring"

static int open_uring(struct driver **out, const struct driver_config *config)
{
	return driver_open_kind(out, config, &uring_operations);
}
#endif

static const struct {
	const char *name;
	enum madring_driver driver;
} names[] = {
	{ "auto", MADRING_DRIVER_AUTO },
	{ "uring", MADRING_DRIVER_URING },
	{ "plain", MADRING_DRIVER_PLAIN },
};

/* Returns the driver that the environment asks for, or -EINVAL if it names none. */
static int driver_of_environment(void)
{
	const char *text = secure_getenv(VARIABLE);

	if (!text || !*text)
		return MADRING_DRIVER_AUTO;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i].name))
			return (int)names[i].driver;
	if (debug_is(DEBUG_EVENTS))
		debug_say(VARIABLE " is \"%s\": set it to uring, plain or auto", text);
	return -EINVAL;
}

/*
 * Tells whether an error of io_uring means that this process cannot have it. Its rings count
 * against the memory-lock limit of the user, which plain system calls need less of, or nothing.
 */
static bool is_unavailable(int error)
{
	switch (-error) {
	case ENOSYS:
	case EPERM:
	case EOPNOTSUPP:
	case ENOBUFS:
	case ENOMEM:
		return true;
	default:
		return false;
	}
}

static const char *plain_text(int reason)
{
	switch (-reason) {
	case ENOSYS:
		return "plain system calls: " NO_URING_TEXT;
	case EPERM:
		return "plain system calls: this process may not use io_uring";
	case EOPNOTSUPP:
		return "plain system calls: this kernel's io_uring is too old";
	case ENOBUFS:
		return "plain system calls: the memory-lock limit is too low for io_uring";
	case ENOMEM:
		return "plain system calls: there is too little memory for io_uring";
	default:
		return "plain system calls";
	}
}

int driver_open(struct driver **out, const struct driver_config *config)
{
	int kind = (int)config->driver;
	int reason = 0;
	int error;

	if (kind == MADRING_DRIVER_AUTO)
		kind = driver_of_environment();
	if (kind < 0)
		return kind;
	if (kind != MADRING_DRIVER_PLAIN) {
		reason = open_uring(out, config);
		/* Only io_uring has a thread that submits. */
		if (kind == MADRING_DRIVER_URING || config->sqpoll_idle_ms ||
		    !is_unavailable(reason))
			return reason;
	}
	error = driver_open_kind(out, config, &plain_operations);
	if (error)
		return error;
	(*out)->reason = reason;
	if (debug_is(DEBUG_EVENTS))
		debug_say("driver: %s", plain_text(reason));
	return 0;
}

enum madring_driver driver_kind(const struct driver *driver)
{
	return driver->plain ? MADRING_DRIVER_PLAIN : MADRING_DRIVER_URING;
}

int driver_reason(const struct driver *driver)
{
	return driver->reason;
}

const char *driver_text(const struct driver *driver)
{
	return driver->plain ? plain_text(driver->reason) : "io_uring";
}
