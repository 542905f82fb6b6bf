/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes an SA, and follows the attributes of its port. */
#include "sa/sa_state.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <madring/names.h>

#define WATCH_MS    1000u
#define RENEW_MS    60000u
#define CLOSE_MS    1000u
#define PATIENCE_MS 10000u
#define MAX_WAIT_MS 3600000u

#define STATE_ACTIVE 4

/* Is the timer's .next: the timer has no requests. */
static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	(void)user;
	(void)batch;
	(void)mad;
	(void)send;
	return 0;
}

static void on_done(void *user, const struct madring_completion *completion)
{
	(void)user;
	(void)completion;
}

/* Is the timer's .watch: does what is due. */
static int on_time(void *user, struct madring_batch *batch)
{
	struct madring_sa *sa = user;
	uint64_t now = sa_clock(), next;
	struct madring_batch_state state;

	madring_batch_get_state(batch, &state);
	/* The agent is closed, and its port may be, when the timer has been stopped. */
	if (state.canceled || state.error)
		return -1;
	if (now >= sa->watch_at) {
		sa->watch_at = now + sa->config.watch_ms * NS_PER_MS;
		/* A port that cannot be read now is read again next time. */
		madring_sa_refresh(sa);
	}
	next = subscriptions_turn(sa, now);
	if (next > sa->watch_at)
		next = sa->watch_at;
	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

static int open_agent(struct madring_sa *sa, const struct madring_agent_config *tuning)
{
	struct madring_agent_config config, defaults;

	madring_subnet_get_agent_config(sa->subnet, MADRING_CLASS_SA, &defaults);
	config = tuning ? *tuning : defaults;
	config.mgmt_class = defaults.mgmt_class;
	config.class_version = defaults.class_version;
	if (config.rmpp == MADRING_RMPP_NONE)
		config.rmpp = defaults.rmpp;
	if (!config.patience_ms && !config.timeout_ms)
		config.patience_ms = PATIENCE_MS;
	return madring_subnet_agent_open(sa->subnet, &config, &sa->agent);
}

static bool config_is_valid(const struct madring_sa_config *config)
{
	return config->watch_ms <= MAX_WAIT_MS && config->renew_ms <= MAX_WAIT_MS &&
	       config->close_ms <= MAX_WAIT_MS;
}

/* Copies the configuration, with the defaults in the place of zeros. */
static void set_config(struct madring_sa *sa, const struct madring_sa_config *config)
{
	sa->config = *config;
	sa->config.agent = NULL;
	if (!config->watch_ms)
		sa->config.watch_ms = WATCH_MS;
	if (!config->renew_ms)
		sa->config.renew_ms = RENEW_MS;
	if (!config->close_ms)
		sa->config.close_ms = CLOSE_MS;
}

/* Does what madring_sa_open() does, with structs of the library's size. */
static int open_sa(struct madring_subnet *subnet, const struct madring_sa_config *config,
		   struct madring_sa **sa)
{
	struct madring_batch_config timer = {
		.next = next_request, .done = on_done, .watch = on_time, .most = 1
	};
	struct madring_sa *opened;
	int error;

	if (!config_is_valid(config))
		return -EINVAL;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	opened->subnet = subnet;
	opened->ring = madring_subnet_ring(subnet);
	set_config(opened, config);
	error = sa_read_state(opened, &opened->state);
	if (!error)
		error = open_agent(opened, config->agent);
	if (!error) {
		opened->watch_at = sa_clock() + opened->config.watch_ms * NS_PER_MS;
		timer.user = opened;
		error = madring_batch_start(opened->agent, &timer, &opened->timer);
	}
	if (error) {
		if (opened->agent)
			madring_agent_close(opened->agent);
		free(opened);
		return error;
	}
	*sa = opened;
	return 0;
}

API int madring_sa_open_sized(struct madring_subnet *subnet, const struct madring_sa_config *config,
			      size_t config_size, size_t agent_size, struct madring_sa **sa)
{
	struct madring_agent_config agent;
	struct madring_sa_config filled;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error)
		error = sized_take(&agent, sizeof(agent), filled.agent, agent_size);
	if (error)
		return error;
	if (filled.agent)
		filled.agent = &agent;
	return open_sa(subnet, &filled, sa);
}

/* Runs the ring until the SA has confirmed all unsubscriptions, or the time is over. */
static void await_farewells(struct madring_sa *sa)
{
	uint64_t end = sa_clock() + sa->config.close_ms * NS_PER_MS;
	int result = 0;

	while (sa->farewells && (result >= 0 || result == -EINTR)) {
		uint64_t now = sa_clock();

		if (now >= end)
			return;
		result = madring_run(sa->ring, (int)((end - now + NS_PER_MS - 1) / NS_PER_MS));
	}
}

API int madring_sa_close(struct madring_sa *sa)
{
	int error;

	if (!sa)
		return 0;
	error = sa_check_caller(sa);
	/* The ring runs no callback while the program's own call of this library calls back. */
	if (!error && sa->calling)
		error = -EBUSY;
	if (error)
		return error;
	/* The timer ends first: from here on nothing is renewed. */
	error = madring_batch_end(sa->timer);
	if (error)
		return error;
	for (struct madring_subscription *each = sa->subscriptions; each; each = each->next)
		madring_unsubscribe(each);
	sa->is_closing = true;
	/* The callbacks of queries may end any subscription, so all of them live until the end. */
	sa->calling++;
	await_farewells(sa);
	for (unsigned int i = 0; i < SA_RECEIVERS; i++) {
		if (sa->receivers[i].agent)
			madring_agent_close(sa->receivers[i].agent);
	}
	madring_agent_close(sa->agent);
	madring_dispatch(sa->ring, 0);
	sa_queries_forget(sa);
	for (struct madring_subscription *each = sa->subscriptions; each; each = each->next)
		each->query = NULL;
	sa->calling--;
	subscriptions_sweep(sa);
	free(sa);
	return 0;
}
