/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of the server: its HCAs and ports, the umad files open on them, and how MADs get
 * through. The functions stand below by their files, each of which may use those above it.
 */
#ifndef SIM_SERVER_DEVICE_H
#define SIM_SERVER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "hash/keyed_hash.h"
#include "fabric/fabric.h"
#include "fabric/slab.h"
#include "loop/loop.h"
#include "server/agent.h"
#include "server/counts.h"
#include "server/kernel.h"
#include "server/message_queue.h"
#include "server/outstanding.h"
#include "server/protocol.h"
#include "server/wheel.h"

#define FILE_AGENTS	 32
#define FILE_OUTSTANDING 262144	      /* in one file */
#define FILE_SENDING	 (256u << 20) /* bytes of one file's messages in segments */
#define FILE_RECEIVED	 200000	      /* MADs that wait for one reader */
#define RMPP_BUCKETS	 4096

/* The messages in segments that are on their way to the agents of one port. */
struct rmpp_receives {
	struct rmpp_receive_list bucket[RMPP_BUCKETS];	       /* by TID */
	TAILQ_HEAD(rmpp_receive_queue, rmpp_receive) finished; /* the oldest first */
	size_t finished_count, unfinished_count;
	struct hash_key key;
	size_t bytes; /* of the unfinished ones */
	struct slabs slabs;
};

/* A port of an HCA, and so a umad device. */
struct device_port {
	struct hca *hca;
	const char *device; /* the name of the device that it is a port of */
	/*
	 * A plane's port has no QP1; the port of another device has it for all planes. That one has
	 * no QP0, and has .planes ports.
	 */
	struct device_port *gsi;
	unsigned int planes;
	uint32_t index; /* the N of umadN */
	uint8_t number;
	int endpoint;
	struct fabric_port_state state;
	struct agents agents;
	struct outstanding_table outstanding;
	struct rmpp_receives receives;
	struct source *issm; /* who has opened the issm file, or NULL */
};

/* A node of the fabric that programs run on. */
struct hca {
	const struct topology_node *node;
	uint32_t tree; /* the number of the folder that stands for / */
	struct device_port *port[1 + SERVER_PORT_MAX]; /* by the N of umadN */
	size_t port_count;
};

/* port_has_qp tells whether a port has QP0 or QP1. */
static inline bool port_has_qp(const struct device_port *port, uint32_t qpn)
{
	return qpn ? !port->gsi : !port->planes;
}

struct umad_file {
	struct source source;
	struct device_port *port;
	uint64_t cookie;
	bool has_pkey_index; /* the longer of the two headers */
	bool used;
	bool one_by_one;     /* its messages may be long */
	bool waits_for_room; /* its socket is full */
	bool to_flush;
	struct umad_file *next_to_flush;
	struct agent *agent[FILE_AGENTS];
	size_t outstanding;
	size_t sending; /* bytes of messages in segments */
	LIST_HEAD(unfinished_list, outstanding) unfinished;
	struct message_queue queue;
};

static inline size_t umad_file_header_bytes(const struct umad_file *file)
{
	return file->has_pkey_index ? MAD_UMAD_HEADER : MAD_OLD_HEADER;
}

struct server {
	struct loop loop;
	unsigned int planes; /* of each HCA with so many ports; 0: none has planes */
	struct umad_file *to_flush;
	struct hca **hca; /* the first is the command's */
	size_t hca_count;
	struct device_port **port; /* by endpoint; NULL: not one of these */
	size_t port_count;
	struct wheel wheel;
	struct kernel kernel;
	struct counts counts;
};

/* ---- umad.c: what programs have outstanding, and what they are given ---- */

/*
 * umad_start_timeout makes an entry's timer fire after so many ms. A negative number starts none.
 */
void umad_start_timeout(struct server *server, struct outstanding *entry, uint32_t ms);
/* umad_drop_outstanding forgets an entry. What waits in its agent's backlog goes on waiting. */
void umad_drop_outstanding(struct server *server, struct outstanding *entry);
/* umad_send_outstanding sends an entry, or puts it in the backlog of its agent. */
void umad_send_outstanding(struct server *server, struct outstanding *entry);
/* umad_send_waiting sends what has waited in an agent's backlog and now has room. */
void umad_send_waiting(struct server *server, struct agent *agent);
/* umad_find_sent returns what was sent from a port and @packet is the reply to, or the ACK of. */
struct outstanding *umad_find_sent(const struct device_port *port,
				   const struct fabric_packet *packet);

/*
 * umad_file_push returns a message to be filled in, which is sent before the server sleeps. It
 * returns NULL if @bound messages wait already, and counts that.
 */
struct message *umad_file_push(struct server *server, struct umad_file *file, size_t bound);
/* umad_file_flush sends what is queued. It closes nothing. */
void umad_file_flush(struct server *server, struct umad_file *file);

/* umad_deliver gives a MAD to an agent's program. */
void umad_deliver(struct server *server, struct agent *agent, const struct fabric_packet *packet);
/*
 * umad_deliver_message gives a message of @length bytes to an agent's program, if it is a request
 * or the program waits for it. It came in several packets, of which @first was the first. @block
 * has room for a umad header in front of the message, and is freed.
 */
void umad_deliver_message(struct server *server, struct agent *agent,
			  const struct fabric_packet *first, uint8_t *block, size_t length);

/* ---- rmpp.h: messages in segments ---- */

/* ---- send.c ---- */

/* umad_written takes a message that a program wrote; @length is that of the whole message. */
void umad_written(struct server *server, struct umad_file *file, const uint8_t *message,
		  size_t length);
/* umad_finish_writes completes the MADs of a file that have no reply. */
void umad_finish_writes(struct server *server, struct umad_file *file);
/* umad_expire sends again, or gives up, all that has had no reply in time. */
void umad_expire(struct server *server);

/* ---- receive.c ---- */

/* umad_received takes a packet that has come out of the fabric. */
void umad_received(struct server *server, struct device_port *port,
		   const struct fabric_packet *packet);

/* ---- file.c ---- */

extern const struct source_type umad_file_type;
struct umad_file *umad_file_open(struct server *server, struct device_port *port, int fd,
				 uint64_t cookie);
void umad_file_close(struct server *server, struct umad_file *file);
void umad_file_drop_agent(struct server *server, struct umad_file *file, uint32_t id);
/* umad_file_expect_long makes the file receive its messages one by one, however long they are. */
void umad_file_expect_long(struct umad_file *file);
/* umad_file_read takes what has been written, up to a bound that is fair to other files. */
enum read_result { READ_ALL, READ_MORE, READ_ENDED };
enum read_result umad_file_read(struct server *server, struct umad_file *file);

/* ---- sysfs.c: the files of an HCA. The functions return 0 or -errno. ---- */

int sysfs_create(const struct server *server, const struct hca *hca);
/* sysfs_create_kernel writes the files of the kernel itself, which are those of all nodes. */
int sysfs_create_kernel(const struct server *server);
/* sysfs_update writes the files of a port again if the port has changed. */
int sysfs_update(const struct server *server, struct device_port *port);

/* ---- hca.c ---- */

/*
 * hca_open opens the HCA of a node with one port or, if @port is 0, all, and then with planes if it
 * has as many ports. Returns 0 or -errno.
 */
int hca_open(struct server *server, struct topology_node *node, unsigned int port);
/* hca_close closes an HCA. No file of it may be open. */
void hca_close(struct hca *hca);
/* hca_of_host returns the HCA of a named node, which it opens if need be; or NULL, with errno. */
struct hca *hca_of_host(struct server *server, const char *name);

/* ---- control.c: a connection, before it is anything else ---- */

extern const struct source_type connection_type;

#endif
