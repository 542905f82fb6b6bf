/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that take the place of libibumad's, libibmad's and libibnetdisc's. The two latter
 * libraries run unchanged; while they discover a fabric, the MADs that they send go over a ring.
 *
 * To open a ring costs more than a few requests that are answered at once, and one request after
 * another is no faster by a ring. So mad_rpc() takes its usual way until a reply is late: then a
 * ring is opened, which repeats the request, and has those that follow. Everything else passes
 * through to the real functions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>
#include <madring/mad.h>

#include "exchange.h"

#define EXPORT		__attribute__((visibility("default")))
#define MOST_FILES	1024
#define DEFAULT_TIMEOUT 1000 /* ms, of libibmad and libibnetdisc */
#define SMP		0x01
#define SMP_DIRECTED	0x81
#define PMA		0x04
#define LATE_MS		10 /* a reply that was not lost takes less, as a rule */

typedef int open_function(const char *ca_name, int number);
typedef int close_function(int fd);
typedef int send_function(int fd, int agent_id, void *umad, int length, int timeout_ms,
			  int retries);
typedef int receive_function(int fd, void *umad, int *length, int timeout_ms);
typedef int size_function(void);
typedef void *rpc_function(const struct ibmad_port *port, ib_rpc_t *rpc, ib_portid_t *to,
			   void *payload, void *reply);
typedef void destroy_function(ibnd_fabric_t *fabric);
typedef ibnd_fabric_t *discover_function(char *ca_name, int ca_port, ib_portid_t *from,
					 struct ibnd_config *config);

/* The umad files that the program has opened, by file descriptor. */
static struct {
	struct exchange_port port;
	bool is_open;
} files[MOST_FILES];
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

/* Tells what this thread does at the moment. */
static __thread bool in_rpc, in_discovery;
/* The request of the mad_rpc() under way, if it has taken the usual way and may be repeated. */
static __thread struct {
	bool is_set;
	int fd, agent_id, timeout_ms;
	uint8_t umad[sizeof(struct ib_user_mad) + IB_MAD_SIZE];
} usual;
/* A request of the discovery was refused. */
static __thread bool is_refused;
/* The request that the mad_rpc() under way has timed out with, which it sends again. */
static __thread bool has_timed_out;
static __thread uint64_t timed_out_tid;

/*
 * find_real returns the function that @name would be without this library. A program may have
 * loaded the library by dlopen(3), where only its file name leads to it.
 */
static void *find_real(const char *name, const char *library)
{
	void *function = dlsym(RTLD_NEXT, name), *handle;

	if (!function) {
		handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
		function = handle ? dlsym(handle, name) : NULL;
	}
	if (!function)
		errno = ENOSYS;
	return function;
}

#define LIBIBNETDISC		  "libibnetdisc.so.5"
#define REAL(type, name, library) ((type *)find_real(name, library))
#define REAL_UMAD(type, name)	  REAL(type, name, "libibumad.so.3")

static bool is_verbose(void)
{
	return getenv("MADRING_ACCELERATE_VERBOSE") != NULL;
}

/* pass_through says, once for each reason, why something takes its usual way. */
static void pass_through(int error)
{
	static int said;

	if (error && error != said && is_verbose())
		fprintf(stderr, "madring-accelerate: requests take their usual way: %s\n",
			exchange_error(error));
	said = error;
}

static void name_port(struct exchange_port *port, const char *ca_name, int number)
{
	snprintf(port->ca_name, sizeof(port->ca_name), "%s", ca_name ? ca_name : "");
	port->number = number;
}

/* find_file copies the port of a file, if the program has opened it by umad_open_port(3). */
static bool find_file(int fd, struct exchange_port *port)
{
	bool is_known;

	if (fd < 0 || fd >= MOST_FILES)
		return false;
	pthread_mutex_lock(&files_lock);
	is_known = files[fd].is_open;
	*port = files[fd].port;
	pthread_mutex_unlock(&files_lock);
	return is_known;
}

EXPORT int umad_open_port(const char *ca_name, int number)
{
	open_function *real = REAL_UMAD(open_function, "umad_open_port");
	int fd = real ? real(ca_name, number) : -ENOSYS;

	if (fd < 0 || fd >= MOST_FILES)
		return fd;
	pthread_mutex_lock(&files_lock);
	name_port(&files[fd].port, ca_name, number);
	files[fd].is_open = true;
	pthread_mutex_unlock(&files_lock);
	return fd;
}

EXPORT int umad_close_port(int fd)
{
	close_function *real = REAL_UMAD(close_function, "umad_close_port");

	if (fd >= 0 && fd < MOST_FILES) {
		exchange_drop(fd);
		pthread_mutex_lock(&files_lock);
		files[fd].is_open = false;
		pthread_mutex_unlock(&files_lock);
	}
	return real ? real(fd) : -ENOSYS;
}

/* is_served_class tells whether the ring sends MADs of this class. */
static bool is_served_class(uint8_t mgmt_class)
{
	return mgmt_class == SMP || mgmt_class == SMP_DIRECTED || mgmt_class == PMA;
}

/* Returns a copy of a message's header: libibmad aligns its buffers for the umad header alone. */
static struct madring_mad_hdr header_of(const void *umad)
{
	struct madring_mad_hdr header;

	memcpy(&header, ((const struct ib_user_mad *)umad)->data, sizeof(header));
	return header;
}

static uint64_t tid_of(const void *umad)
{
	return header_of(umad).tid;
}

/* has_umad_header tells whether messages have the header with the P_Key index. */
static bool has_umad_header(void)
{
	size_function *real = REAL_UMAD(size_function, "umad_size");

	return real && real() == (int)sizeof(struct ib_user_mad);
}

/* can_be_served tells whether a ring can send a request; if so, it stores the port. */
static bool can_be_served(int fd, int agent_id, void *umad, int length, int timeout_ms,
			  struct exchange_port *port)
{
	return agent_id >= 0 && length == IB_MAD_SIZE && timeout_ms > 0 && has_umad_header() &&
	       find_file(fd, port) && is_served_class(header_of(umad).mgmt_class);
}

/* send_by_ring queues a request. Returns 0 or -errno: the request takes the usual way. */
static int send_by_ring(int fd, int agent_id, void *umad, int length, int timeout_ms)
{
	struct exchange_port port;
	int ret;

	if (!can_be_served(fd, agent_id, umad, length, timeout_ms, &port))
		return -EPFNOSUPPORT;
	if (in_rpc && has_timed_out && timed_out_tid == tid_of(umad))
		return exchange_expire(fd, agent_id, umad);
	ret = exchange_send(&port, fd, agent_id, umad, timeout_ms);
	if (ret || in_discovery)
		return ret;
	/* Only one request is under way, and its failure is that of the write. */
	ret = exchange_wait(fd);
	if (!ret || ret == -ETIMEDOUT) {
		has_timed_out = ret;
		timed_out_tid = tid_of(umad);
		return 0;
	}
	exchange_drop(fd);
	return ret;
}

/*
 * note_usual keeps a request that takes the usual way, if the ring may repeat it. To repeat a Set
 * could do twice what it does.
 */
static void note_usual(int fd, int agent_id, void *umad, int length, int timeout_ms)
{
	struct exchange_port port;

	usual.is_set = can_be_served(fd, agent_id, umad, length, timeout_ms, &port) &&
		       header_of(umad).method == MADRING_GET;
	if (!usual.is_set)
		return;
	usual.fd = fd;
	usual.agent_id = agent_id;
	usual.timeout_ms = timeout_ms;
	memcpy(usual.umad, umad, sizeof(usual.umad));
}

/*
 * repeat_by_ring sends the request anew, and waits for a reply on either way. Returns whether it is
 * the ring that has it.
 */
static bool repeat_by_ring(void)
{
	struct exchange_port port;
	int ret;

	if (!find_file(usual.fd, &port))
		return false;
	ret = exchange_send(&port, usual.fd, usual.agent_id, usual.umad, usual.timeout_ms);
	if (!ret)
		ret = exchange_wait_beside(usual.fd);
	if (!ret)
		return true;
	exchange_drop(usual.fd);
	pass_through(ret < 0 ? ret : 0);
	return false;
}

/*
 * receive_usual receives the reply to a request that has taken the usual way. If the reply is late,
 * the ring repeats the request.
 */
static int receive_usual(receive_function *real, void *umad, int *length, int timeout_ms)
{
	const int room = *length;
	int ret = real(usual.fd, umad, length, LATE_MS);

	if (ret == -ETIMEDOUT) {
		*length = room;
		if (repeat_by_ring())
			ret = exchange_receive(usual.fd, umad, length);
		else
			ret = real(usual.fd, umad, length, timeout_ms - LATE_MS);
	}
	has_timed_out = ret >= 0 && ((const struct ib_user_mad *)umad)->status == ETIMEDOUT;
	timed_out_tid = tid_of(usual.umad);
	return ret;
}

EXPORT int umad_send(int fd, int agent_id, void *umad, int length, int timeout_ms, int retries)
{
	send_function *real = REAL_UMAD(send_function, "umad_send");
	int ret = -EPFNOSUPPORT;

	usual.is_set = false;
	if (in_discovery || (in_rpc && exchange_is_open())) {
		ret = send_by_ring(fd, agent_id, umad, length, timeout_ms);
		if (!ret)
			return 0;
		pass_through(ret);
	}
	if (in_discovery && !in_rpc) {
		/* A discovery that has a wide window would flood the fabric. */
		is_refused = true;
		errno = -ret;
		return -EIO;
	}
	if (in_rpc)
		note_usual(fd, agent_id, umad, length, timeout_ms);
	return real ? real(fd, agent_id, umad, length, timeout_ms, retries) : -ENOSYS;
}

EXPORT int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	receive_function *real = REAL_UMAD(receive_function, "umad_recv");
	const bool is_usual = in_rpc && usual.is_set && usual.fd == fd;
	int ret;

	if (!real)
		return -ENOSYS;
	usual.is_set = false;
	if (is_usual && umad && length && timeout_ms > LATE_MS) {
		ret = receive_usual(real, umad, length, timeout_ms);
	} else if ((in_rpc || in_discovery) && umad && length && exchange_is_waiting(fd)) {
		ret = exchange_receive(fd, umad, length);
		is_refused |= ret < 0;
	} else {
		return real(fd, umad, length, timeout_ms);
	}
	errno = ret < 0 ? -ret : 0;
	return ret;
}

EXPORT void *mad_rpc(const struct ibmad_port *port, ib_rpc_t *rpc, ib_portid_t *to, void *payload,
		     void *reply)
{
	rpc_function *real = REAL(rpc_function, "mad_rpc", "libibmad.so.5");
	const bool was_in_discovery = in_discovery;
	void *ret;

	if (!real)
		return NULL;
	in_rpc = true;
	in_discovery = has_timed_out = false;
	ret = real(port, rpc, to, payload, reply);
	in_rpc = false;
	in_discovery = was_in_discovery;
	return ret;
}

/*
 * The window of libibnetdisc becomes as wide as the ring's, unless the program sets it: the ring
 * decides how many requests are on the wire. If the ring fails meanwhile, the discovery is repeated
 * without it.
 */
EXPORT ibnd_fabric_t *ibnd_discover_fabric(char *ca_name, int ca_port, ib_portid_t *from,
					   struct ibnd_config *config)
{
	discover_function *real = REAL(discover_function, "ibnd_discover_fabric", LIBIBNETDISC);
	destroy_function *destroy;
	struct ibnd_config wide;
	struct exchange_port port;
	ibnd_fabric_t *fabric;
	int timeout_ms, ret;

	if (!real)
		return NULL;
	if (!config)
		return real(ca_name, ca_port, from, config);
	wide = *config;
	timeout_ms = config->timeout_ms ? (int)config->timeout_ms : DEFAULT_TIMEOUT;
	name_port(&port, ca_name, ca_port);
	ret = timeout_ms > 0 ? exchange_can_serve(&port, SMP_DIRECTED, timeout_ms) : -EINVAL;
	if (ret) {
		pass_through(ret);
		return real(ca_name, ca_port, from, config);
	}
	if (!wide.max_smps)
		wide.max_smps = EXCHANGE_MOST;
	in_discovery = true;
	is_refused = false;
	fabric = real(ca_name, ca_port, from, &wide);
	in_discovery = false;
	if (!is_refused)
		return fabric;
	/* libibnetdisc leaves out what it could not ask for. */
	destroy = REAL(destroy_function, "ibnd_destroy_fabric", LIBIBNETDISC);
	if (fabric && destroy)
		destroy(fabric);
	return real(ca_name, ca_port, from, config);
}
