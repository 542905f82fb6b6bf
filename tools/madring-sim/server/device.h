/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's inside: its ports, the umad files open on them, and how MADs get through. */
#ifndef SIM_SERVER_DEVICE_H
#define SIM_SERVER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "loop/loop.h"
#include "server/agent.h"
#include "server/counts.h"
#include "server/hca.h"
#include "server/message_queue.h"
#include "server/outstanding.h"
#include "server/server.h"
#include "server/wheel.h"

#define FILE_AGENTS	 32
#define FILE_OUTSTANDING 262144	      /* in one file */
#define FILE_SENDING	 (256u << 20) /* bytes of messages in segments, of one file */
#define FILE_RECEIVED	 200000	      /* MADs waiting for one reader */

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
	size_t sending; /* bytes of those that go in segments */
	struct message_queue queue;
};

static inline size_t umad_file_header_bytes(const struct umad_file *file)
{
	return file->has_pkey_index ? MAD_UMAD_HEADER : MAD_OLD_HEADER;
}

struct server {
	struct loop loop;
	struct umad_file *to_flush;
	struct hca **hca; /* the first is the command's */
	size_t hca_count;
	struct device_port **port; /* by endpoint; NULL: not one of these */
	size_t port_count;
	struct wheel wheel;
	struct counts counts;
};

/* send.c: takes one message that a program wrote; @length is the whole message's. */
void umad_written(struct server *server, struct umad_file *file, const uint8_t *message,
		  size_t length);

/* receive.c: takes one packet that came out of the fabric. */
void umad_received(struct server *server, struct device_port *port,
		   const struct fabric_packet *packet);
/* Takes a message of @length bytes from several packets, of which @first was the first. @block
   has room for a umad header in front of it, and is freed. */
void umad_take(struct server *server, struct agent *agent, const struct fabric_packet *first,
	       uint8_t *block, size_t length);
/* What was sent from this port and @packet is the reply to, or the ACK of; NULL. */
struct outstanding *umad_find_sent(const struct device_port *port,
				   const struct fabric_packet *packet);

/* timeout.c */
void umad_start_timeout(struct server *server, struct outstanding *entry, uint32_t ms);
void umad_outstanding_expired(struct server *server, struct wheel_timer *timer);
void umad_expire(struct server *server);
void umad_drop_outstanding(struct server *server, struct outstanding *entry);

/* file.c */
extern const struct source_type umad_file_type;
struct umad_file *umad_file_open(struct server *server, struct device_port *port, int fd,
				 uint64_t cookie);
void umad_file_close(struct server *server, struct umad_file *file);
void umad_file_drop_agent(struct server *server, struct umad_file *file, uint32_t id);
/* Has its messages received one by one, however long they are. */
void umad_file_expect_long(struct umad_file *file);
/* Reads what has been written, up to a bound that keeps it fair. */
enum read_result { READ_ALL, READ_MORE, READ_ENDED };
enum read_result umad_file_read(struct server *server, struct umad_file *file);

/* outgoing.c */
/* A message to be filled in, flushed before the server sleeps; NULL: dropped, and counted. */
struct message *umad_file_push(struct server *server, struct umad_file *file, size_t bound);
/* As above, for a message that is in @block already, which is taken over. */
bool umad_file_push_block(struct server *server, struct umad_file *file, uint8_t *block,
			  uint8_t *start, uint32_t length);
/* Sends what is queued; closes nothing. */
void umad_file_flush(struct server *server, struct umad_file *file);

/* control.c: a connection, before it is anything else. */
extern const struct source_type connection_type;

/* sysfs.c: 0 or -errno. */
int sysfs_create(const struct server *server, const struct hca *hca);
/* Writes the port's files again when the port has changed. */
int sysfs_update(const struct server *server, struct device_port *port);

#endif
