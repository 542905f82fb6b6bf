/* SPDX-License-Identifier: BSD-2-Clause */
/* Subscribes to notices, renews subscriptions, and ends them. */
#include "sa/sa_state.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring/names.h>

#define ALL_LIDS      0xffff
#define ALL_TYPES     0xffff
#define ALL_TRAPS     0xffff
#define ALL_PRODUCERS 0xffffff
#define RESPONSE_TIME 19 /* 4.096 us * 2^19, or 2.1 s */
#define INFORM_BYTES  36u

#define AGAIN_MS	    5000u /* the pause after a subscription has failed */
#define NO_BUFFER_MS	    100u  /* the pause while the pool has no buffer */
#define FAREWELL_TIMEOUT_MS 300
#define FAREWELL_RETRIES    2

/* Encodes the InformInfo of a subscription. */
static void write_inform(uint8_t attribute[INFORM_BYTES],
			 const struct madring_subscription_config *config, bool subscribe)
{
	static const struct madring_gid any_gid;
	struct madring_inform_info inform = {
		.gid = config->gid,
		.is_generic = !config->vendor,
		.subscribe = subscribe,
		.type = ALL_TYPES,
		.trap_number = config->trap_number ? config->trap_number : ALL_TRAPS,
		.qpn = 1,
		.resp_time_value = RESPONSE_TIME,
		.producer_type = config->producer ? config->producer : ALL_PRODUCERS,
	};

	if (!memcmp(&config->gid, &any_gid, sizeof(any_gid))) {
		inform.lid_range_begin = config->lid_begin ? config->lid_begin : ALL_LIDS;
		inform.lid_range_end = config->lid_begin ? config->lid_end : 0;
	}
	memset(attribute, 0, INFORM_BYTES);
	madring_inform_info_encode(attribute, &inform);
}

/* Sends the InformInfo of a subscription. Returns 0, or -errno as madring_sa_query(). */
static int send_inform(struct madring_sa *sa, const struct madring_subscription_config *config,
		       bool subscribe, madring_sa_callback callback, void *user,
		       struct sa_query **started)
{
	uint8_t attribute[INFORM_BYTES];
	const struct madring_sa_request query = {
		.method = MADRING_SET,
		.attr_id = MADRING_ATTR_INFORM_INFO,
		.record = attribute,
		.record_bytes = sizeof(attribute),
		.timeout_ms = subscribe ? 0 : FAREWELL_TIMEOUT_MS,
		.retries = subscribe ? 0 : FAREWELL_RETRIES,
	};

	write_inform(attribute, config, subscribe);
	return sa_query_start(sa, &query, sizeof(struct madring_sa_component), callback, user,
			      started);
}

/* Tells the program that a subscription does not hold, unless it knows. */
static void lose_subscription(struct madring_subscription *subscription, int status,
			      uint16_t mad_status)
{
	struct madring_notification lost = { .kind = MADRING_NOTIFICATION_LOST,
					     .status = status,
					     .mad_status = mad_status };
	bool is_known = subscription->is_lost;

	subscription->is_active = false;
	subscription->is_lost = true;
	if (!is_known)
		notification_give(subscription, &lost);
}

/* Takes the SA's answer to an InformInfo that subscribes. */
static void on_subscribed(struct madring_sa_answer *answer)
{
	struct madring_subscription *subscription = answer->user;
	struct madring_sa *sa = subscription->sa;
	struct madring_notification held = { .kind = MADRING_NOTIFICATION_SUBSCRIBED };
	bool was_active = subscription->is_active;
	unsigned int pause_ms;

	subscription->query = NULL;
	/* subscriptions_renew() has canceled it, because it went to another SM. */
	if (subscription->is_ended || answer->status == -ECANCELED)
		return;
	pause_ms = answer->status ? AGAIN_MS : sa->config.renew_ms;
	if (pause_ms > sa->config.renew_ms)
		pause_ms = sa->config.renew_ms;
	subscription->due = sa_clock() + pause_ms * NS_PER_MS;
	if (answer->status) {
		lose_subscription(subscription, answer->status, answer->mad_status);
		return;
	}
	subscription->sa_lid = be16toh(madring_mad_address(answer->mad)->lid);
	subscription->is_active = true;
	subscription->is_lost = false;
	if (!was_active)
		notification_give(subscription, &held);
}

static void on_farewell(struct madring_sa_answer *answer)
{
	struct madring_sa *sa = answer->user;

	sa->farewells--;
}

/* Sends a subscription that is due. */
static void send_subscription(struct madring_subscription *subscription, uint64_t now)
{
	struct madring_sa *sa = subscription->sa;
	int error = send_inform(sa, &subscription->config, true, on_subscribed, subscription,
				&subscription->query);

	if (!error)
		return;
	if (error == -EAGAIN || error == -ENOBUFS || error == -ENOMEM) {
		subscription->due = now + NO_BUFFER_MS * NS_PER_MS;
		return;
	}
	subscription->due = now + AGAIN_MS * NS_PER_MS;
	lose_subscription(subscription, error, 0);
}

uint64_t subscriptions_turn(struct madring_sa *sa, uint64_t now)
{
	uint64_t next = NEVER;

	/* A callback may unsubscribe any. */
	sa->calling++;
	for (struct madring_subscription *each = sa->subscriptions; each; each = each->next) {
		if (each->is_ended || each->query || each->config.trap_class)
			continue;
		if (each->due <= now)
			send_subscription(each, now);
		if (!each->query && each->due < next)
			next = each->due;
	}
	sa->calling--;
	subscriptions_sweep(sa);
	return next;
}

static bool config_is_valid(const struct madring_subscription_config *config)
{
	switch (config->trap_class) {
	case 0:
	case MADRING_CLASS_SMP:
	case MADRING_CLASS_PMA:
	case MADRING_CLASS_BM:
	case MADRING_CLASS_DM:
		break;
	default:
		return false;
	}
	return config->lid_end >= config->lid_begin && config->producer <= ALL_PRODUCERS &&
	       (config->lid_begin || !config->lid_end);
}

API int madring_subscribe_sized(struct madring_sa *sa,
				const struct madring_subscription_config *theirs,
				size_t config_size, madring_notification_callback callback,
				void *user, struct madring_subscription **subscription)
{
	struct madring_subscription_config filled, *config = &filled;
	struct madring_subscription *opened;
	int error = sized_take(&filled, sizeof(filled), theirs, config_size);

	if (error)
		return error;
	if (!config_is_valid(config))
		return -EINVAL;
	if (sa->is_closing)
		return -ESHUTDOWN;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	error = receiver_open(sa, config->trap_class);
	if (error) {
		free(opened);
		return error;
	}
	opened->sa = sa;
	opened->config = *config;
	opened->callback = callback;
	opened->user = user;
	opened->is_active = config->trap_class != 0;
	opened->next = sa->subscriptions;
	sa->subscriptions = opened;
	/* The timer sends what this turn cannot. */
	if (!config->trap_class && sa->state.sm_lid)
		send_inform(sa, config, true, on_subscribed, opened, &opened->query);
	*subscription = opened;
	return 0;
}

API bool madring_subscription_is_active(const struct madring_subscription *subscription)
{
	return subscription->is_active;
}

/* Returns whether another subscription has the InformInfo of this one. */
static bool has_twin(const struct madring_subscription *subscription)
{
	uint8_t own[INFORM_BYTES], other[INFORM_BYTES];

	write_inform(own, &subscription->config, true);
	for (const struct madring_subscription *each = subscription->sa->subscriptions; each;
	     each = each->next) {
		if (each == subscription || each->is_ended || each->config.trap_class)
			continue;
		write_inform(other, &each->config, true);
		if (!memcmp(own, other, INFORM_BYTES))
			return true;
	}
	return false;
}

API void madring_unsubscribe(struct madring_subscription *subscription)
{
	struct madring_sa *sa = subscription ? subscription->sa : NULL;
	struct sa_query *farewell;

	if (!subscription || subscription->is_ended)
		return;
	subscription->is_ended = true;
	if (subscription->config.trap_class)
		return;
	if (subscription->query)
		sa_query_cancel(subscription->query);
	/* An InformInfo without an answer may have come to the SA, too. */
	if (sa->state.sm_lid && !has_twin(subscription) &&
	    !send_inform(sa, &subscription->config, false, on_farewell, sa, &farewell))
		sa->farewells++;
}
