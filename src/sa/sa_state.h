/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of an open SA, and the functions that the files of this folder call in each other. */
#ifndef SA_STATE_H
#define SA_STATE_H

#include <time.h>

#include <madring.h>
#include <madring/batch.h>
#include <madring/sa.h>

#define API __attribute__((visibility("default")))

#define NS_PER_MS 1000000ull
#define NEVER	  UINT64_MAX

/* Pairs a class whose notices are received with the agent that receives them. */
struct sa_receiver {
	struct madring_agent *agent;
	uint8_t mgmt_class;
};

#define SA_RECEIVERS 8u	 /* classes: the SA, and those of madring_subscription_config.trap_class */
#define REPORTS_SEEN 64u /* Reports whose repetition is known */
#define REPORT_BYTES 80u /* a Notice with its IssuerGID */
#define SEEN_NS	     (10000 * NS_PER_MS)

/* Holds a received Report, to know its repetition by. */
struct sa_seen {
	uint64_t tid;
	uint64_t at; /* sa_clock() */
	uint16_t lid;
	uint8_t mgmt_class;
	uint8_t notice[REPORT_BYTES];
};

/* A query in flight. */
struct sa_query {
	struct madring_sa *sa; /* NULL: it was closed */
	struct sa_query *next, **link;
	struct madring *ring;
	uint64_t id;
	uint8_t method;
	bool is_own; /* of this library, not of the program */
	madring_sa_callback callback;
	void *user;
};

struct madring_subscription {
	struct madring_sa *sa;
	struct madring_subscription *next;
	struct madring_subscription_config config;
	madring_notification_callback callback;
	void *user;
	struct sa_query *query; /* the InformInfo in flight, or NULL */
	uint64_t due;		/* when the InformInfo is sent again */
	uint16_t sa_lid;	/* the LID that confirmed it last; 0: none has */
	bool is_active;
	bool is_lost;  /* the program knows that the subscription does not hold */
	bool is_ended; /* freed when no callback is running */
};

struct madring_sa {
	struct madring_subnet *subnet;
	struct madring *ring;
	struct madring_agent *agent;
	struct madring_batch *timer;
	struct madring_sa_config config;
	struct madring_sa_state state;
	uint16_t mad_status; /* of the answer to the last madring_sa_call() */
	uint64_t watch_at;
	uint64_t stranger_at; /* when a Report from another LID may have the port looked at again */
	struct sa_query *queries;
	unsigned int farewells; /* unsubscriptions in flight */
	unsigned int calling;	/* callbacks that are running, and a close: no memory is freed */
	bool is_closing;	/* only callbacks run, and nothing begins any more */
	struct madring_subscription *subscriptions;
	struct sa_receiver receivers[SA_RECEIVERS];
	struct sa_seen seen[REPORTS_SEEN];
	unsigned int next_seen;
};

/* Returns the monotonic clock in ns. */
static inline uint64_t sa_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

/*
 * sa_caller.c
 *
 * Returns 0 if the caller may run the ring, and has no effect. Returns -EBUSY in a callback, or
 * -EREMOTE when the ring belongs to another thread, or to the parent process.
 */
int sa_check_caller(const struct madring_sa *sa);

/*
 * sa_port.c
 *
 * Reads what sysfs says of the port of an SA. Returns 0 or a negative errno.
 */
int sa_read_state(const struct madring_sa *sa, struct madring_sa_state *state);

/*
 * sa_query.c
 *
 * `sa_query_write` writes and addresses the MAD of a query. @component_size: that of the caller's
 * struct madring_sa_component. Returns 0, or an error of
 * madring_sa_query().
 * `sa_answer_read` fills @answer, but .user, from the outcome of a query with this method.
 * `sa_words_of_refusal` tells in words why a query was not sent.
 * `sa_query_start` sends a query as madring_sa_query() does. @started: where to store it; it is
 * freed after @callback was called. NULL: the query is the program's.
 * `sa_query_cancel` ends a query; @callback is called.
 * `sa_queries_forget` detaches the queries in flight from an SA that is being closed. Callbacks of
 * the library's own are not called any more.
 */
int sa_query_write(const struct madring_sa *sa, const struct madring_sa_request *query,
		   size_t component_size, struct madring_mad *mad);
void sa_answer_read(struct madring_sa_answer *answer, const struct madring_completion *completion,
		    uint8_t method);
const char *sa_words_of_refusal(int error);
int sa_query_start(struct madring_sa *sa, const struct madring_sa_request *query,
		   size_t component_size, madring_sa_callback callback, void *user,
		   struct sa_query **started);
void sa_query_cancel(struct sa_query *query);
void sa_queries_forget(struct madring_sa *sa);

/*
 * sa_subscriptions.c
 *
 * `subscriptions_renew` has all subscriptions sent anew, because the SM may not know them.
 * `subscriptions_sweep` frees those that have ended.
 */
void subscriptions_renew(struct madring_sa *sa);
void subscriptions_sweep(struct madring_sa *sa);

/* sa_subscription.c: sends the subscriptions that are due. Returns when the next one is due. */
uint64_t subscriptions_turn(struct madring_sa *sa, uint64_t now);

/*
 * sa_report.c
 *
 * `receiver_open` opens the agent that receives the Reports, or the Traps of a class, unless it is
 * open. @trap_class: as in struct madring_subscription_config. Returns 0 or -errno.
 * `notification_give` calls the callback of a subscription.
 */
int receiver_open(struct madring_sa *sa, uint8_t trap_class);
void notification_give(struct madring_subscription *subscription,
		       struct madring_notification *notification);

#endif
