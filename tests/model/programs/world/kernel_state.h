/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the kernel's model, which its files share. */
#ifndef MODEL_KERNEL_STATE_H
#define MODEL_KERNEL_STATE_H

#include "model_kernel.h"

#include <string.h>

#include "model/common/agenda.h"
#include "fabric/fabric.h"

#define MAD_BYTES 256
#define BUCKETS	  8192u
#define NONE	  UINT32_MAX

#define CLASS_SMP	   0x01
#define CLASS_SA	   0x03
#define CLASS_SMP_DIRECTED 0x81
#define TRAP_REPRESS	   0x07
#define RESPONSE_BIT	   0x80

struct message {
	struct message *next;
	size_t bytes;
	struct ib_user_mad umad;
	uint8_t mad[MAD_BYTES];
};

/* Names a waiting request, as long as it has not been dropped. */
struct ticket {
	uint32_t number, serial;
};

struct agent {
	bool registered;
	uint32_t tid_high; /* of its requests */
	struct kernel_registration registration;
	uint32_t sent; /* requests that are on their way */
	/* Requests that are not sent before others have their replies. */
	struct ticket *backlog;
	size_t backlog_first, backlog_count, backlog_room;
};

struct file {
	bool open;
	unsigned int host;
	struct agent agent[KERNEL_AGENTS];
	struct message *first, **last;
	uint32_t queued;
};

/* A request that waits for its reply. */
struct waiting {
	uint64_t tid; /* network order, as in the MAD */
	uint8_t mgmt_class;
	bool used;
	bool sent;	 /* it is not in its agent's backlog */
	uint32_t serial; /* of this use: a timer of an earlier one is stale */
	uint32_t retries;
	uint32_t next; /* of its bucket, or of the free ones */
	unsigned int file;
	struct ib_user_mad umad;
	struct fabric_packet packet;
};

struct kernel {
	const struct scenario *scenario;
	bool gone;
	struct file file[KERNEL_FILES];
	uint32_t tid_high;
	struct waiting *waiting;
	uint32_t room, free, bucket[BUCKETS];
	struct agenda timers; /* .tag: a waiting request's serial and number */
	struct message *spare;
	uint64_t written, dropped;
	unsigned int duplicates;
};

extern struct kernel kernel;

static inline bool is_response(const uint8_t *mad)
{
	return mad[3] & RESPONSE_BIT || mad[3] == TRAP_REPRESS;
}

static inline uint64_t tid_of(const uint8_t *mad)
{
	uint64_t tid;

	memcpy(&tid, mad + 8, sizeof(tid));
	return tid;
}

static inline bool is_smp(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SMP || mgmt_class == CLASS_SMP_DIRECTED;
}

/* model_kernel.c */
struct file *file_of(int fd);
/* Adds a message to the end of a file's queue. The caller fills it in. */
struct message *push_message(struct file *file);

/* kernel_agents.c */
/* Returns whether an agent has registered for a request. */
bool agent_takes(const struct agent *agent, const uint8_t *mad);

/* kernel_requests.c */
/* Returns the request that a reply of this TID answers, or NULL. */
struct waiting *find_waiting(uint64_t tid, uint8_t mgmt_class);
struct agent *sender_of(const struct waiting *waiting);
void drop_waiting(struct waiting *waiting);
/* Drops the requests of one agent of a file, or with NONE of all its agents. */
void drop_all_waiting(unsigned int file, uint32_t agent_id);
void send_request(int fd, const struct ib_user_mad *umad, const struct fabric_packet *packet);
/* Sends requests from an agent's backlog, after one of its others has ended. */
void send_backlog(struct agent *agent);
/* Retries or ends the request whose timer has this tag. */
void expire_waiting(uint64_t tag);

#endif
