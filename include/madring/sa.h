/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries subnet administration (SA, IBA 15), and subscribes to notices. These functions are in the
 * library madring-fabric; madring.h does not include this header.
 *
 * madring finds the SA by the port's attributes, which the kernel shows in sysfs, and follows it
 * when the subnet manager (SM) moves. umad does not show an SM's ClientReregister request to
 * programs. madring therefore reads the attributes each second, and renews subscriptions each
 * minute. It does both while the ring runs, or steps in an event loop: a batch
 * (madring_batch_start()) is the timer.
 *
 * Everything here belongs to the thread of the ring. Numbers are in host byte order.
 */
#ifndef MADRING_SA_H
#define MADRING_SA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/agent.h>
#include <madring/mad.h>
#include <madring/record.h>
#include <madring/send.h>
#include <madring/structs.h>
#include <madring/subnet.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_sa;
struct madring_subscription;

/* Holds what the local port knows of its subnet. */
struct madring_sa_state {
	uint16_t sm_lid; /* the LID of the SM, where the SA is; 0: there is no SM yet */
	uint8_t sm_sl;	 /* the service level to the SM */
	uint16_t lid;	 /* the base LID of the local port; 0: it has none yet */
	uint8_t lmc;
	uint8_t port_state;	/* 1 down, 2 initialized, 3 armed, 4 active (IBA 14.2.5.6) */
	struct madring_gid gid; /* GID 0 of the local port */
};

/*
 * Called when the state has changed, such as when there is another SM. @before, @now: valid during
 * the call. The callback may end any subscription, and cannot close the SA.
 */
typedef void (*madring_sa_change)(void *user, const struct madring_sa_state *before,
				  const struct madring_sa_state *now);

/* Describes how the SA is used. Zeroed fields select the defaults, which the comments give after a
   colon. */
struct madring_sa_config {
	/* The agent that sends the queries: as madring_subnet_get_agent_config() describes it. The
	   class and its version are always those, and so is .rmpp if it is MADRING_RMPP_NONE.
	   Unless .patience_ms or .timeout_ms is set, the patience is 10 s. */
	const struct madring_agent_config *agent;
	uint64_t smkey;		  /* the SM_Key of trusted queries (IBA 15.2.1.1) */
	uint32_t watch_ms;	  /* the time between two readings of the attributes: 1000 */
	uint32_t renew_ms;	  /* the time between two renewals of a subscription: 60000 */
	uint32_t close_ms;	  /* the most time that madring_sa_close() unsubscribes: 1000 */
	madring_sa_change change; /* may be NULL */
	void *user;		  /* for .change */
};

/*
 * Opens the SA of a subnet. This succeeds without an SM, too: see madring_sa_get_state().
 * @config: copied; may be NULL. @sa: set on success; closed by madring_sa_close().
 * Returns 0, or
 *   -EINVAL  a time is more than 3600000
 *   -ENOMEM  out of memory
 *   other    an error of madring_ca_port_get_link(), madring_agent_open() or madring_batch_start()
 */
int madring_sa_open_sized(struct madring_subnet *subnet, const struct madring_sa_config *config,
			  size_t config_size, size_t agent_size, struct madring_sa **sa);
MADRING_SIZED int madring_sa_open(struct madring_subnet *subnet,
				  const struct madring_sa_config *config, struct madring_sa **sa)
{
	return madring_sa_open_sized(subnet, config, sizeof(*config),
				     sizeof(struct madring_agent_config), sa);
}

/*
 * Unsubscribes from all notices, and closes the SA. It runs the ring until the SA has confirmed
 * all this, or until madring_sa_config.close_ms is over. Queries in flight end with -ECANCELED.
 * Callbacks that it runs cannot query or subscribe. They may end subscriptions, whose handles are
 * valid until this function returns. Accepts NULL.
 * Returns 0, or a negative errno, with which the SA stays open:
 *   -EBUSY    called from a callback, which includes .change and that of madring_sa_nodes()
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 */
int madring_sa_close(struct madring_sa *sa);

/* Stores in @state what madring read last. */
void madring_sa_get_state_sized(const struct madring_sa *sa, struct madring_sa_state *state,
				size_t state_size);
MADRING_SIZED void madring_sa_get_state(const struct madring_sa *sa, struct madring_sa_state *state)
{
	madring_sa_get_state_sized(sa, state, sizeof(*state));
}

/*
 * Reads the attributes of the port now, as madring does each second. If they have changed, it calls
 * .change, and renews all subscriptions.
 * Returns 0, or an error of madring_ca_port_get_link().
 */
int madring_sa_refresh(struct madring_sa *sa);

/* Describes a component of a query: the name of a field (madring_component()) and its value. */
struct madring_sa_component {
	const char *name;
	uint64_t value;	   /* used if .bytes is NULL */
	const void *bytes; /* the bytes, as they are sent, of a field such as a GID */
	size_t size;	   /* the number of .bytes */
};

/* Describes a query. */
struct madring_sa_request {
	uint16_t attr_id; /* such as MADRING_ATTR_PATH_RECORD */
	uint8_t method;	  /* MADRING_GET, MADRING_SET, MADRING_DELETE; 0: MADRING_GET_TABLE */
	uint32_t attr_mod;
	/* The components that select records, or that a Set writes. Without any, a GetTable returns
	   all records. */
	const struct madring_sa_component *components;
	size_t component_count;
	/* Components without names: a record as it is sent, at most 200 bytes, and the mask of its
	   components (IBA 15.2.1.1). .components are then written into this record. */
	const void *record;
	size_t record_bytes;
	uint64_t component_mask;
	/* The timeout and the retries of this query, as in struct madring_send_options. */
	int timeout_ms, retries;
};

/* Holds the outcome of a query. */
struct madring_sa_answer {
	void *user; /* that of madring_sa_query() */
	/*
	 * 0            the SA has answered: .records has the records
	 * -ENOENT      the SA has no such record (ERR_NO_RECORDS). A GetTable is answered by 0
	 *              records instead.
	 * -EREMOTEIO   the SA has refused the query: see .mad_status
	 * -EBADMSG     the answer is malformed
	 * -ETIMEDOUT   the SA has not answered: the SM is gone, or too busy
	 * other        madring_completion.status
	 */
	int status;
	uint16_t mad_status; /* Status of the answer (IBA 13.4.7, 15.2.1.1); 0 if there is none */
	const char *text;    /* .status or .mad_status in words. Never NULL, never freed */
	/* The records; madring_records_next() returns one after another. */
	struct madring_records records;
	size_t count; /* the number of records */
	/* The answer, which holds the records, or NULL. */
	struct madring_mad *mad;
	size_t length; /* the bytes of MAD in the answer */
};

/*
 * Called with the outcome of a query. @answer: valid during the call, with its buffer. The callback
 * may do what a madring_callback may.
 */
typedef void (*madring_sa_callback)(struct madring_sa_answer *answer);

/*
 * Sends a query to the SA. Makes no system call: run the ring.
 * @query: copied. @user: for @callback, which is called exactly once.
 * Returns 0, or
 *   -ENETUNREACH  there is no SM: its LID is 0
 *   -ENOENT       .components has a name that is no component of the attribute
 *   -ERANGE       a component's value has more bits than its field
 *   -EINVAL       .record_bytes is more than 200, a component needs .bytes, or .size does not fit
 *                 its field
 *   -ENOBUFS      the pool has no buffer: run the ring and try again
 *   -ENOMEM       out of memory
 *   -ESHUTDOWN    the SA is being closed
 *   other         an error of madring_send()
 */
int madring_sa_query_sized(struct madring_sa *sa, const struct madring_sa_request *query,
			   size_t query_size, size_t component_size, madring_sa_callback callback,
			   void *user);
MADRING_SIZED int madring_sa_query(struct madring_sa *sa, const struct madring_sa_request *query,
				   madring_sa_callback callback, void *user)
{
	return madring_sa_query_sized(sa, query, sizeof(*query),
				      sizeof(struct madring_sa_component), callback, user);
}

/*
 * Sends a query, and runs the ring until the query has its outcome.
 * @answer: filled. Give its buffer back by madring_sa_answer_release(), whatever is returned.
 * Returns .status of @answer; an error of madring_sa_query(); -EBUSY when called from a callback;
 * or an error of madring_run(), with which the query was canceled.
 */
int madring_sa_call_sized(struct madring_sa *sa, const struct madring_sa_request *query,
			  size_t query_size, size_t component_size,
			  struct madring_sa_answer *answer, size_t answer_size);
MADRING_SIZED int madring_sa_call(struct madring_sa *sa, const struct madring_sa_request *query,
				  struct madring_sa_answer *answer)
{
	return madring_sa_call_sized(sa, query, sizeof(*query), sizeof(struct madring_sa_component),
				     answer, sizeof(*answer));
}

/*
 * Returns the Status (IBA 13.4.7, 15.2.1.1) of the answer to the last query that was waited for: by
 * madring_sa_call(), madring_sa_path_by_lid(), madring_sa_path_by_gid() or madring_sa_nodes(). It
 * says why one of them has returned -EREMOTEIO; madring_status_text() has it in words. 0: the
 * query has succeeded, or has no answer.
 */
uint16_t madring_sa_mad_status(const struct madring_sa *sa);

/* Gives back the buffer of an answer that madring_sa_call() has filled, if it has one. */
void madring_sa_answer_release(struct madring_sa *sa, struct madring_sa_answer *answer);

/* Holds many queries, of which a bounded number is in flight. */
struct madring_sa_batch;
struct madring_batch;

/*
 * Writes the next query into @query, and may set .user, .id and .flow in @send, which
 * madring_send_options describes. Both are zeroed. What @query points to has to be valid until the
 * next call. @user: madring_sa_batch_config.user. Returns as a madring_batch_next does: 1, 0,
 * MADRING_BATCH_FINISHED or a negative errno.
 */
typedef int (*madring_sa_batch_next)(void *user, struct madring_sa_request *query,
				     struct madring_send_options *send);

/*
 * Takes an answer, exactly once for each query that .next has written, but not after
 * madring_sa_batch_end(). @answer: valid during the call, with its buffer; its .user is that of the
 * query's @send. A query that cannot be sent has an error of madring_sa_query() as its .status.
 */
typedef void (*madring_sa_batch_done)(void *user, struct madring_sa_answer *answer);

/*
 * Describes many queries: one callback writes each, another takes each answer. The callbacks may do
 * what those of a madring_batch may (batch.h). Zeroed fields select the defaults, which the
 * comments give after a colon.
 */
struct madring_sa_batch_config {
	madring_sa_batch_next next;
	madring_sa_batch_done done;
	void *user;	 /* for the callbacks */
	uint32_t most;	 /* the most queries in flight at once: what the ring has room for */
	int deadline_ms; /* as in struct madring_batch_config */
};

/*
 * Starts a batch of queries to the SA. The queries are sent when the ring runs.
 * @config: copied. @batch: set on success; ended by madring_sa_batch_end(), before the subnet is
 * closed. madring_sa_close() cancels it, and leaves it to be ended.
 * Returns 0, or
 *   -EINVAL     .next or .done is NULL, or .deadline_ms is negative
 *   -ENOMEM     out of memory
 *   -ESHUTDOWN  the SA is being closed
 *   other       an error of madring_batch_start()
 */
int madring_sa_batch_start_sized(struct madring_sa *sa,
				 const struct madring_sa_batch_config *config, size_t config_size,
				 size_t request_size, size_t component_size, size_t send_size,
				 struct madring_sa_batch **batch);
MADRING_SIZED int madring_sa_batch_start(struct madring_sa *sa,
					 const struct madring_sa_batch_config *config,
					 struct madring_sa_batch **batch)
{
	return madring_sa_batch_start_sized(
		sa, config, sizeof(*config), sizeof(struct madring_sa_request),
		sizeof(struct madring_sa_component), sizeof(struct madring_send_options), batch);
}

/*
 * Returns the batch of requests that carries the queries: to run it, to cancel it, to continue it,
 * and to see its state, which does not count queries that could not be sent. It is valid until
 * madring_sa_batch_end(), which alone ends it.
 */
struct madring_batch *madring_sa_batch_requests(const struct madring_sa_batch *batch);

/* Ends a batch of queries, and frees it, as madring_batch_end() does, with the same errors. Accepts
   NULL. */
int madring_sa_batch_end(struct madring_sa_batch *batch);

/* Starts a batch of queries, runs it until it is done, and ends it. Returns as madring_batch_call()
   does, or an error of madring_sa_batch_start(). */
int madring_sa_batch_call_sized(struct madring_sa *sa, const struct madring_sa_batch_config *config,
				size_t config_size, size_t request_size, size_t component_size,
				size_t send_size);
MADRING_SIZED int madring_sa_batch_call(struct madring_sa *sa,
					const struct madring_sa_batch_config *config)
{
	return madring_sa_batch_call_sized(
		sa, config, sizeof(*config), sizeof(struct madring_sa_request),
		sizeof(struct madring_sa_component), sizeof(struct madring_send_options));
}

/*
 * Asks the SA for a path (PathRecord, IBA 15.2.5.16), and runs the ring until it has the answer.
 * @slid, @sgid: the source; 0 or NULL: the local port. @path: filled on success.
 * Returns 0, -ENOENT if there is no path, -EREMOTEIO if the SA has refused the query
 * (madring_sa_mad_status()), or another error of madring_sa_call().
 */
int madring_sa_path_by_lid_sized(struct madring_sa *sa, uint16_t slid, uint16_t dlid,
				 struct madring_path_record *path, size_t path_size);
MADRING_SIZED int madring_sa_path_by_lid(struct madring_sa *sa, uint16_t slid, uint16_t dlid,
					 struct madring_path_record *path)
{
	return madring_sa_path_by_lid_sized(sa, slid, dlid, path, sizeof(*path));
}
int madring_sa_path_by_gid_sized(struct madring_sa *sa, const struct madring_gid *sgid,
				 const struct madring_gid *dgid, struct madring_path_record *path,
				 size_t path_size);
MADRING_SIZED int madring_sa_path_by_gid(struct madring_sa *sa, const struct madring_gid *sgid,
					 const struct madring_gid *dgid,
					 struct madring_path_record *path)
{
	return madring_sa_path_by_gid_sized(sa, sgid, dgid, path, sizeof(*path));
}

/*
 * Asks the SA for the NodeRecords (IBA 15.2.5.2) of all nodes, runs the ring until it has the
 * answer, and calls @callback for each. @record: valid during the call.
 * Returns the number of records, or an error of madring_sa_call().
 */
int madring_sa_nodes(struct madring_sa *sa,
		     void (*callback)(void *user, const struct madring_node_record *record),
		     void *user);

/* Selects notices (IBA 13.4.8.2). Zeroed fields select all. */
struct madring_subscription_config {
	/*
	 * 0: notices of the whole subnet, which the SA reports. Otherwise the Traps of this class
	 * that nodes send to the local port: 0x01 (to the port of an SM only), 0x04, 0x05 or 0x06.
	 * The SA has no part in these.
	 */
	uint8_t trap_class;
	bool vendor; /* selects the notices of a vendor's devices, which are not generic */
	/* The trap's number, such as 64, or the device ID if .vendor is set; 0: all. */
	uint16_t trap_number;
	/* The producer's node type (1 CA, 2 switch, 3 router, 4 class manager), or the vendor ID if
	   .vendor is set; 0: all. */
	uint32_t producer;
	/* The first and the last LID of the nodes that issue the notices; 0: all. Both are set, or
	   none. */
	uint16_t lid_begin, lid_end;
	/* The GID of the port that issues the notices, or that traps 64 to 67 are about. Zeros: the
	   LIDs above select. */
	struct madring_gid gid;
};

/* The kinds of notifications. */
enum madring_notification_kind {
	/* .notice is a notice. */
	MADRING_NOTIFICATION_NOTICE = 1,
	/* The SA has confirmed the subscription: for the first time, after the kind below, or
	   because the SM or the local port has changed (madring_sa_config.change). Earlier notices
	   may be missing: look at the fabric anew. */
	MADRING_NOTIFICATION_SUBSCRIBED,
	/* The subscription does not hold: .status says why. madring subscribes again after 5 s, and
	   as soon as there is another SM. */
	MADRING_NOTIFICATION_LOST,
};

/* Holds a notice, or a change of a subscription. */
struct madring_notification {
	void *user; /* that of madring_subscribe() */
	struct madring_subscription *subscription;
	enum madring_notification_kind kind;
	/* Why the subscription does not hold: as madring_sa_answer.status, or -ENETUNREACH if there
	   is no SM. Otherwise 0. */
	int status;
	uint16_t mad_status;		     /* as in struct madring_sa_answer */
	const struct madring_notice *notice; /* the notice, or NULL */
	/*
	 * The source LID of the Report or the Trap. A Report from a LID that is neither the SM's
	 * nor that of the SA which confirmed a subscription is dropped without an answer. A Trap
	 * may come from any node, and nothing proves what it says.
	 */
	uint16_t lid;
	const struct madring_mad *mad; /* the Report or the Trap, or NULL */
};

/*
 * Called for each notice, and when a subscription begins or ceases to hold. @notification: valid
 * during the call. The callback may do what a madring_callback may, and end any subscription.
 */
typedef void (*madring_notification_callback)(const struct madring_notification *notification);

/*
 * Subscribes to notices: madring sends an InformInfo to the SA (IBA 13.4.8.3), and renews it. It
 * answers each Report by ReportResp, and each Trap by TrapRepress. A Report that the SM repeats is
 * answered again, but handed out once. Each subscription that selects a notice gets it. The SM
 * sends a Report for each InformInfo, so subscriptions that overlap, but are not the same, get a
 * notice more than once.
 * @config: copied; NULL: all generic notices. @callback, @user: see above. @subscription: set on
 * success; closed by madring_unsubscribe() or madring_sa_close().
 * Returns 0, also when there is no SM yet; or
 *   -EADDRINUSE  another program, or another struct madring_sa, receives the Reports of this port
 *                (or the Traps of the class). The kernel gives them to one agent only.
 *   -EINVAL      .trap_class is none of those above, .lid_end is less than .lid_begin, only one of
 *                them is 0, or .producer has more than 24 bits
 *   -ENOMEM      out of memory
 *   -ESHUTDOWN   the SA is being closed
 *   other        an error of madring_agent_open()
 */
int madring_subscribe_sized(struct madring_sa *sa, const struct madring_subscription_config *config,
			    size_t config_size, madring_notification_callback callback, void *user,
			    struct madring_subscription **subscription);
MADRING_SIZED int madring_subscribe(struct madring_sa *sa,
				    const struct madring_subscription_config *config,
				    madring_notification_callback callback, void *user,
				    struct madring_subscription **subscription)
{
	return madring_subscribe_sized(sa, config, sizeof(*config), callback, user, subscription);
}

/* Returns whether the SA has confirmed a subscription that still holds. Always true with
   .trap_class. */
bool madring_subscription_is_active(const struct madring_subscription *subscription);

/*
 * Ends a subscription. Its callback is not called any more, and the handle is invalid on return.
 * madring unsubscribes at the SA when the ring runs, unless another subscription selects the same.
 * Accepts NULL.
 */
void madring_unsubscribe(struct madring_subscription *subscription);

#ifdef __cplusplus
}
#endif
#endif
