/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <madring.h>

#include "exchange_table.h"

#define UMAD_BYTES    sizeof(struct ib_user_mad)
#define LANES	      8 /* the kernel walks the unanswered requests of a file at each write */
#define MOST_PORTS    8
#define MOST_AGENTS   32
#define CLASS_VERSION 1 /* of SMPs and performance management */

struct exchange {
	struct exchange *next;
	uint64_t id;
	uint64_t tid; /* the program's own, as on the wire */
	int fd, agent_id;
	int status;
	int length; /* bytes of MAD */
	bool is_done, is_dropped;
	uint8_t umad[UMAD_BYTES + MADRING_MAD_BYTES]; /* the reply; until then, the request */
};

struct open_port {
	struct exchange_port name;
	struct madring_port *port;
	int error; /* of opening it */
};

struct open_agent {
	const struct open_port *port;
	struct madring_agent *agent;
	int error; /* of opening it */
	int patience_ms;
	uint8_t mgmt_class;
};

static struct madring *ring;
static int ring_error;
static pid_t process; /* that has opened the ring; 0: none has */
static __thread bool is_owner;
static struct open_port ports[MOST_PORTS];
static struct open_agent agents[MOST_AGENTS];
static unsigned int port_count, agent_count;
/* The requests in the order in which they were handed over. */
static struct exchange *first, **last = &first;

/* claim_ring opens the ring at the first call. Returns 0 or -errno. */
static int claim_ring(void)
{
	static const struct madring_config config = {
		.transactions = 2 * EXCHANGE_MOST,
		.reads = 2 * EXCHANGE_MOST,
		.agents = MOST_AGENTS,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	pid_t none = 0;

	if (__atomic_compare_exchange_n(&process, &none, getpid(), false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		is_owner = true;
		ring_error = madring_open(&ring, &config);
	}
	return is_owner && process == getpid() ? ring_error : -EREMOTE;
}

bool exchange_is_open(void)
{
	return is_owner && process == getpid() && !ring_error;
}

static const struct open_port *find_port(const struct exchange_port *name)
{
	static const struct madring_port_config config = { .lanes = LANES };
	struct open_port *port;

	for (unsigned int i = 0; i < port_count; i++) {
		if (ports[i].name.number == name->number &&
		    !strcmp(ports[i].name.ca_name, name->ca_name))
			return &ports[i];
	}
	if (port_count == MOST_PORTS)
		return NULL;
	port = &ports[port_count++];
	port->name = *name;
	port->error = madring_port_open(ring, name->ca_name[0] ? name->ca_name : NULL, name->number,
					&config, &port->port);
	return port;
}

/* open_agent opens an agent in the next place of the table. */
static struct open_agent *open_agent(const struct open_port *port, uint8_t mgmt_class,
				     int patience_ms)
{
	const struct madring_agent_config config = {
		.mgmt_class = mgmt_class,
		.class_version = CLASS_VERSION,
		.patience_ms = (uint32_t)patience_ms,
		/* The program deals with both, or reports them. */
		.report_busy = true,
		.report_redirects = true,
	};
	struct open_agent *agent = &agents[agent_count++];

	*agent = (struct open_agent){
		.port = port,
		.patience_ms = patience_ms,
		.mgmt_class = mgmt_class,
	};
	agent->error =
		port->error ? port->error : madring_agent_open(port->port, &config, &agent->agent);
	return agent;
}

/* find_agent returns the agent, opened at its first use, or NULL with @error set. */
static struct madring_agent *find_agent(const struct exchange_port *name, uint8_t mgmt_class,
					int patience_ms, int *error)
{
	const struct open_port *port;
	struct open_agent *agent = NULL;

	*error = claim_ring();
	port = *error ? NULL : find_port(name);
	for (unsigned int i = 0; port && i < agent_count; i++) {
		if (agents[i].port == port && agents[i].mgmt_class == mgmt_class &&
		    agents[i].patience_ms == patience_ms)
			agent = &agents[i];
	}
	if (port && !agent && agent_count < MOST_AGENTS)
		agent = open_agent(port, mgmt_class, patience_ms);
	if (!*error)
		*error = agent ? agent->error : -ENOSPC;
	return *error ? NULL : agent->agent;
}

int exchange_can_serve(const struct exchange_port *port, uint8_t mgmt_class, int timeout_ms)
{
	int error;

	find_agent(port, mgmt_class, timeout_ms, &error);
	return error;
}

/* end_exchange takes the outcome of a request. */
static void end_exchange(const struct madring_completion *completion)
{
	struct exchange *exchange = completion->user;

	if (exchange->is_dropped) {
		free(exchange);
		return;
	}
	exchange->is_done = true;
	exchange->status = completion->status;
	if (completion->status || completion->length > MADRING_MAD_BYTES)
		return;
	exchange->length = (int)completion->length;
	memcpy(exchange->umad, madring_mad_umad(completion->mad), UMAD_BYTES + completion->length);
}

/* new_exchange returns an exchange with the request, or NULL without memory. */
static struct exchange *new_exchange(int fd, int agent_id, const void *umad)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		return NULL;
	exchange->fd = fd;
	exchange->agent_id = agent_id;
	memcpy(exchange->umad, umad, sizeof(exchange->umad));
	memcpy(&exchange->tid, exchange->umad + UMAD_BYTES + offsetof(struct madring_mad_hdr, tid),
	       sizeof(exchange->tid));
	return exchange;
}

static void append(struct exchange *exchange)
{
	*last = exchange;
	last = &exchange->next;
}

/* take_buffer takes a buffer of the ring's, and runs the ring while there is none. */
static struct madring_mad *take_buffer(struct madring_agent *agent, int *error)
{
	struct madring_mad *mad;

	*error = 0;
	do {
		mad = madring_mad_alloc(agent);
		if (!mad)
			*error = madring_outstanding(ring) ? madring_run(ring, -1) : -ENOMEM;
	} while (!mad && (*error >= 0 || *error == -EINTR));
	return mad;
}

int exchange_send(const struct exchange_port *port, int fd, int agent_id, const void *umad,
		  int timeout_ms)
{
	const struct ib_user_mad *request = umad;
	struct madring_mad_hdr header;
	struct madring_send_options send = { .callback = end_exchange };
	struct madring_agent *agent;
	struct exchange *exchange;
	struct madring_mad *mad;
	int error;

	/* A program's buffer need not be aligned for the header. */
	memcpy(&header, request->data, sizeof(header));
	if (header.class_version != CLASS_VERSION)
		return -EPFNOSUPPORT;
	agent = find_agent(port, header.mgmt_class, timeout_ms, &error);
	mad = agent ? take_buffer(agent, &error) : NULL;
	if (!mad)
		return error;
	exchange = new_exchange(fd, agent_id, umad);
	if (!exchange) {
		madring_mad_free(ring, mad);
		return -ENOMEM;
	}
	memcpy(madring_mad_data(mad), request->data, MADRING_MAD_BYTES);
	*madring_mad_address(mad) = request->addr;
	send.user = exchange;
	send.id = &exchange->id;
	error = madring_send(agent, mad, &send);
	if (error) {
		madring_mad_free(ring, mad);
		free(exchange);
		return error;
	}
	append(exchange);
	return 0;
}

int exchange_expire(int fd, int agent_id, const void *umad)
{
	struct exchange *exchange = new_exchange(fd, agent_id, umad);

	if (!exchange)
		return -ENOMEM;
	exchange->is_done = true;
	exchange->status = -ETIMEDOUT;
	append(exchange);
	return 0;
}

/* find_place returns the place in the list of the oldest exchange of @fd, or of its end. */
static struct exchange **find_place(int fd)
{
	struct exchange **place = &first;

	while (*place && (*place)->fd != fd)
		place = &(*place)->next;
	return place;
}

static void unlink_exchange(struct exchange **place)
{
	struct exchange *exchange = *place;

	*place = exchange->next;
	if (last == &exchange->next)
		last = place;
}

bool exchange_is_waiting(int fd)
{
	return is_owner && process == getpid() && *find_place(fd);
}

int exchange_wait(int fd)
{
	const struct exchange *exchange = *find_place(fd);
	int ret;

	while (!exchange->is_done) {
		ret = madring_run(ring, -1);
		if (ret < 0 && ret != -EINTR)
			return ret;
	}
	return exchange->status;
}

int exchange_wait_beside(int fd)
{
	const struct exchange *exchange = *find_place(fd);
	struct pollfd files[] = {
		{ .fd = madring_fd(ring), .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};

	if (files[0].fd < 0)
		return files[0].fd;
	while (!exchange->is_done) {
		int ret = madring_step(ring);

		if (ret < 0 && ret != -EINTR)
			return ret;
		if (exchange->is_done)
			break;
		if (poll(files, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (files[1].revents)
			return 1;
	}
	return 0;
}

/* write_outcome writes an ended exchange into the program's buffer. */
static void write_outcome(const struct exchange *exchange, struct ib_user_mad *out, int *length)
{
	const int had = exchange->status ? (int)sizeof(struct madring_mad_hdr) : exchange->length;
	const int room = *length < had ? *length : had;
	const size_t tid = UMAD_BYTES + offsetof(struct madring_mad_hdr, tid);

	memcpy(out, exchange->umad, UMAD_BYTES + (size_t)room);
	out->agent_id = (uint32_t)exchange->agent_id;
	out->status = exchange->status ? ETIMEDOUT : 0;
	out->length = (uint32_t)UMAD_BYTES + (uint32_t)room;
	if (room >= (int)sizeof(struct madring_mad_hdr))
		memcpy((uint8_t *)out + tid, &exchange->tid, sizeof(exchange->tid));
	*length = room;
}

int exchange_receive(int fd, void *umad, int *length)
{
	const int status = exchange_wait(fd);
	struct exchange **place = find_place(fd);
	struct exchange *exchange = *place;
	int ret = status;

	unlink_exchange(place);
	if (!status || status == -ETIMEDOUT) {
		write_outcome(exchange, umad, length);
		ret = exchange->agent_id;
	}
	exchange->is_dropped = true;
	if (exchange->is_done)
		free(exchange);
	return ret;
}

void exchange_drop(int fd)
{
	struct exchange **place, *exchange;

	while (exchange_is_waiting(fd)) {
		place = find_place(fd);
		exchange = *place;
		unlink_exchange(place);
		exchange->is_dropped = true;
		if (exchange->is_done)
			free(exchange);
		else
			madring_cancel(ring, exchange->id);
	}
}

const char *exchange_error(int error)
{
	return madring_error_text(error);
}

extern const struct exchange_table exchange_table;

__attribute__((visibility("default"))) const struct exchange_table exchange_table = {
	.is_open = exchange_is_open,
	.can_serve = exchange_can_serve,
	.send = exchange_send,
	.expire = exchange_expire,
	.is_waiting = exchange_is_waiting,
	.wait = exchange_wait,
	.wait_beside = exchange_wait_beside,
	.receive = exchange_receive,
	.drop = exchange_drop,
	.error = exchange_error,
};
