/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's version, and the meanings of errors. */
#include "api/handles.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

API const char *madring_version(void)
{
	return MADRING_VERSION;
}

API int madring_version_number(void)
{
	return MADRING_VERSION_NUMBER;
}

static const struct {
	int error;
	const char *text;
} meanings[] = {
	{ ENOENT,
	  "nothing has this name or number; or, of a transaction, it has completed already" },
	{ EINVAL, "an argument is out of range, or the kernel refuses it" },
	{ EAGAIN, "all transactions are outstanding: run the ring" },
	{ EBUSY, "not from a callback" },
	{ ENOBUFS, "the memory-lock limit is too low: raise it (ulimit -l, LimitMEMLOCK=), "
		   "ask for fewer, or for best effort" },
	{ ENODEV, "no InfiniBand device, or it is gone: see ibstat(8)" },
	{ ENXIO, "the device has no such port, or no port is up: see ibstat(8)" },
	{ EACCES, "the umad device may not be opened: run as root, or give the user access to "
		  "/dev/infiniband/umad*" },
	{ EIO,
	  "the umad device cannot be opened: see that it has a file in /dev/infiniband, which "
	  "udev makes and a container has to be given; or it refuses a MAD, because its agent is "
	  "not registered any more" },
	{ EPERM,
	  "io_uring, or a thread of the kernel's for it (SQPOLL), is forbidden here: use plain "
	  "system calls, or see sysctl kernel.io_uring_disabled, the container's seccomp "
	  "profile, and SELinux" },
	{ ECHILD, "the kernel's thread (SQPOLL) cannot be made: raise the limit on processes "
		  "(ulimit -u, TasksMax=)" },
	{ ENOSYS,
	  "this kernel, or this build of madring, has no io_uring: use plain system calls; or the "
	  "receive strategy asked for does not work on it" },
	{ EOPNOTSUPP, "the ib_umad module is not loaded, or its ABI is older than 5: modprobe "
		      "ib_umad; or io_uring is older than Linux 5.19" },
	{ ENOPROTOOPT, "this kernel's ib_umad has not all of the registration flags" },
	{ EADDRINUSE,
	  "another program, or another agent of this one, receives the requests of this class and "
	  "method at this port already: stop it (fuser -v /dev/infiniband/umad* shows who has the "
	  "port open), or use another port" },
	{ EPROTONOSUPPORT,
	  "the port has not the queue pair of this class: SMPs need QP0, which RoCE "
	  "ports lack; HCAs of several planes have a device for SMPs and one for "
	  "all else" },
	{ EUSERS, "the port's files have their 32 agents each: open the port once more" },
	{ ENOSPC, "the ring's lanes or agents are used up: open another ring, or one with more" },
	{ EMFILE, "the file descriptors of the process are used up: raise ulimit -n" },
	{ EMSGSIZE,
	  "longer than there is room for (message_bytes, and the memory-lock limit, ulimit "
	  "-l), or than a MAD without RMPP" },
	{ EPROTOTYPE, "the reply comes in segments, and the agent has no RMPP: open one with "
		      "madring_agent_config.rmpp" },
	{ ENOMEM, "out of memory, or of room for messages (message_bytes)" },
	{ ECONNABORTED, "the other end ended the message (RMPP STOP or ABORT)" },
	{ EPROTO, "the other end does not keep to the rules of RMPP" },
	{ EEXIST, "the response to this request is on its way already" },
	{ EREMOTE,
	  "the ring belongs to the thread, and the process, that opened it: call from there" },
	{ ENOTTY, "the descriptor is of no umad file: umad_open_port(3) opens one" },
	{ EBADFD, "the umad file has no P_Key index in its header: turn it on, as "
		  "umad_open_port(3) does, before an agent is registered" },
	{ EALREADY,
	  "the ring has it already: the buffer was sent or given back before, or it was not "
	  "kept; or the file or the agent was adopted before" },
	{ EFAULT, "not a buffer of this ring: take one with madring_mad_alloc()" },
	{ ENODATA, "no MAD was prepared in the buffer: call a function such as "
		   "madring_gmp_prepare()" },
	{ EPFNOSUPPORT, "the MAD is of another class than the agent: send it by an agent of its "
			"class" },
	{ EDESTADDRREQ, "the destination is LID 0: set the LID, or a GRH" },
	{ EBADRQC, "the class version is 0: set it, to 1 for SMPs and performance management, or "
		   "2 for subnet administration" },
	{ ESRCH, "no agent of this number is registered on the umad file" },
	{ ENETDOWN, "the link of the local port is down" },
	{ ENETUNREACH, "no subnet manager has been seen: start one, such as opensm(8)" },
	{ EREMOTEIO, "the subnet administration refused the query: madring_sa_mad_status() tells "
		     "its status" },
	{ EBADMSG, "the reply is malformed" },
	{ ETIMEDOUT, "no attempt was answered in time" },
	{ ECANCELED, "canceled" },
	{ ESHUTDOWN, "the ring or the agent is being closed" },
};

/*
 * Returns the C library's text for an errno. strerror_r(3) of glibc returns it, and that of others,
 * such as musl, writes it to @text and returns 0 or an errno.
 */
static const char *system_text(int error, char *text, size_t size)
{
#ifdef __GLIBC__
	return strerror_r(error, text, size);
#else
	if (strerror_r(error, text, size))
		snprintf(text, size, "error %d", error);
	return text;
#endif
}

API const char *madring_error_text(int error)
{
	static _Thread_local char text[96];
	/* -INT_MIN does not fit in an int. */
	int positive = error < 0 && error > INT_MIN ? -error : error;

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].error == positive)
			return meanings[i].text;
	return system_text(positive, text, sizeof(text));
}
