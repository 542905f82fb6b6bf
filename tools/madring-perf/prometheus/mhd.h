/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmicrohttpd, which is loaded when a server starts. It brings a TLS library and seven others,
 * which take longer to load than all else that a program does before it opens a ring.
 */
#ifndef PROMETHEUS_MHD_H
#define PROMETHEUS_MHD_H

#include <microhttpd.h>

/* FUNCTION(name): a function of libmicrohttpd, by its name without MHD_ */
/* clang-format off */
#define MHD_FUNCTIONS(FUNCTION)						\
	FUNCTION(add_connection)					\
	FUNCTION(add_response_header)					\
	FUNCTION(create_response_from_buffer)				\
	FUNCTION(create_response_from_callback)				\
	FUNCTION(destroy_response)					\
	FUNCTION(get_connection_info)					\
	FUNCTION(get_connection_values)					\
	FUNCTION(get_daemon_info)					\
	FUNCTION(get_timeout)						\
	FUNCTION(lookup_connection_value)				\
	FUNCTION(queue_response)					\
	FUNCTION(resume_connection)					\
	FUNCTION(run)							\
	FUNCTION(start_daemon)						\
	FUNCTION(stop_daemon)						\
	FUNCTION(suspend_connection)
/* clang-format on */

#define MHD_MEMBER(name) __typeof__(MHD_##name) *(name);

/* The functions, which may be called after mhd_load(). */
extern struct mhd {
	MHD_FUNCTIONS(MHD_MEMBER)
} mhd;

/* Loads the library. Returns 0; or -1 with a message written when it is missing. */
int mhd_load(void);

#endif
