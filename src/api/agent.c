/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes agents. */
#include "api/events.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mad_class.h"
#include "device/limits.h"

#define QUEUE_US 200u
#define RETRIES	 7

/*
 * The message memory of an agent with RMPP, unless the ring was opened with another size. It is
 * enough for one message of 16 MiB and some others.
 */
#define MESSAGE_BYTES (UINT64_C(32) << 20)

/* Bounds of a timeout, in ms. */
struct bounds {
	uint32_t first, min, max;
};
/* A long reply takes seconds. */
static const struct bounds rmpp_bounds = { 2000, 1000, 16000 };
/* An attempt waits this long for the beginning of a reply; the rest may take longer. */
static const struct bounds user_rmpp_bounds = { 1000, 100, 8000 };

static bool is_valid_config(const struct madring_agent_config *config)
{
	bool has_oui = mad_class_of(config->mgmt_class)->has_oui;

	if (config->timeout_ms < MADRING_FOREVER || config->retries < MADRING_NO_RETRIES ||
	    config->retries > MOST_RETRIES)
		return false;
	if (config->min_timeout_ms && config->max_timeout_ms &&
	    config->min_timeout_ms > config->max_timeout_ms)
		return false;
	/* libibumad refuses such an OUI, too, but with a less clear error. */
	if (has_oui && (!config->oui || config->oui > 0xffffff))
		return false;
	if (config->rmpp > MADRING_RMPP_USER ||
	    (config->rmpp == MADRING_RMPP_KERNEL && config->flags & UMAD_USER_RMPP))
		return false;
	return !config->receive == !(config->method_mask[0] || config->method_mask[1]) &&
	       config->receive_queue <= MADRING_MAX_RECEIVED;
}

static uint64_t ms_or(uint32_t ms, uint32_t other)
{
	return (uint64_t)(ms ? ms : other) * NS_PER_MS;
}

static uint32_t window_or(uint32_t window, uint32_t other)
{
	return window ? window : other;
}

static struct bounds timeout_bounds(const struct madring_agent_config *config)
{
	const struct mad_class *properties = mad_class_of(config->mgmt_class);

	if (config->rmpp == MADRING_RMPP_USER)
		return user_rmpp_bounds;
	if (config->rmpp == MADRING_RMPP_KERNEL)
		return rmpp_bounds;
	return (struct bounds){ properties->first_timeout_ms, properties->min_timeout_ms,
				properties->max_timeout_ms };
}

/*
 * Returns the default patience. A request with a long reply only ends after all its attempts (0).
 */
static uint32_t patience_ms(const struct madring_agent_config *config)
{
	const struct mad_class *properties = mad_class_of(config->mgmt_class);

	if (config->rmpp != MADRING_RMPP_NONE && !properties->is_of_nodes)
		return 0;
	return properties->patience_ms;
}

/* Fills in the timeouts, the patience and the number of attempts; 0 selects the class's default. */
static void set_timeouts(struct engine_agent_config *to, const struct madring_agent_config *from)
{
	const struct bounds bounds = timeout_bounds(from);

	to->first_timeout_ns = ms_or(from->first_timeout_ms, bounds.first);
	to->min_timeout_ns = ms_or(from->min_timeout_ms, bounds.min);
	to->max_timeout_ns = ms_or(from->max_timeout_ms, bounds.max);
	if (to->max_timeout_ns < to->min_timeout_ns)
		to->max_timeout_ns = to->min_timeout_ns;
	to->patience_ns = ms_or(from->patience_ms, patience_ms(from));
	to->is_patient = !from->retries;
	to->attempts = (unsigned int)(from->retries ? from->retries : RETRIES) + 1;
	if (from->retries == MADRING_NO_RETRIES)
		to->attempts = 1;
	if (!from->timeout_ms)
		return;
	to->pin_timeout = true;
	to->first_timeout_ns = (uint64_t)from->timeout_ms * NS_PER_MS;
	if (from->timeout_ms == MADRING_FOREVER) {
		to->first_timeout_ns = ENGINE_NEVER;
		to->attempts = 1;
	}
}

static void set_windows(struct engine_agent_config *to, const struct madring_agent_config *from)
{
	const struct mad_class *properties = mad_class_of(from->mgmt_class);

	to->window = agent_window(from);
	to->flow_window = window_or(from->flow_window, properties->flow_window);
	to->flow_first = properties->flow_first;
	to->pin_window = from->pin_window;
	to->pin_flow_window = from->pin_flow_window;
	to->queue_ns = (from->queue_us ? from->queue_us : QUEUE_US) * UINT64_C(1000);
}

/* Opens the engine's part of an agent. Returns its number or a negative errno. */
static int open_engine_agent(struct madring_agent *agent, const struct madring_agent_config *config)
{
	struct engine_agent_config engine_config = {
		.rmpp = config->rmpp == MADRING_RMPP_KERNEL,
		.user_rmpp = config->rmpp == MADRING_RMPP_USER,
		.report_busy = config->report_busy,
		.report_redirects = config->report_redirects,
		.mgmt_class = agent->mgmt_class,
		.lmc = agent->port->device.lmc,
		.pkeys = agent->port->device.pkeys,
		.pkey_count = agent->port->device.pkey_count,
		.kernel_limit = agent->kernel_limit,
		.lane_count = agent->registrations,
	};

	set_windows(&engine_config, config);
	set_timeouts(&engine_config, config);
	if (config->receive) {
		engine_config.inbox = agent_receive_queue(config->receive_queue);
		engine_config.inbox_slack = agent->ring->config.reads;
	}
	for (unsigned int i = 0; i < agent->registrations; i++) {
		const struct registration *at = &agent->registration[i];

		engine_config.lane[i].lane = agent->port->lanes[at->lane].lane;
		engine_config.lane[i].agent_id = at->id;
	}
	return engine_agent_open(agent->ring->engine, &engine_config);
}

/* Reserves memory for RMPP messages. Returns 0, -ENOMEM or -ENOBUFS. */
static int reserve_rmpp(struct madring *ring, enum madring_rmpp rmpp)
{
	uint64_t bytes = ring->config.message_bytes ? ring->config.message_bytes : MESSAGE_BYTES;
	int error;

	if (rmpp == MADRING_RMPP_NONE)
		return 0;
	error = pool_reserve_messages(ring->pool, bytes);
	if (!error && rmpp == MADRING_RMPP_USER)
		error = user_rmpp_open(ring, bytes);
	return error;
}

/*
 * Opens an agent. @adopted is the kernel's number of an agent that the program has; if it is
 * NULL, the agent is registered.
 */
static int agent_open(struct madring_port *port, const struct madring_agent_config *config,
		      const uint32_t *adopted, struct madring_agent **out)
{
	struct madring_agent *agent;
	int number;

	if (!is_valid_config(config))
		return -EINVAL;
	if (config->mgmt_class && !config->class_version)
		return -EBADRQC;
	number = ring_try(port->ring);
	if (!number && port->is_closing)
		number = -EBUSY;
	if (!number)
		number = reserve_rmpp(port->ring, config->rmpp);
	if (number < 0)
		return number;
	agent = calloc(1, sizeof(*agent));
	if (!agent)
		return -ENOMEM;
	agent->ring = port->ring;
	agent->port = port;
	agent->mgmt_class = config->mgmt_class;
	agent->class_version = config->class_version;
	if (mad_class_of(config->mgmt_class)->has_oui)
		agent->oui = config->oui;
	agent->rmpp = config->rmpp;
	agent->receive = config->receive;
	agent->receive_user = config->receive_user;
	agent->kernel_limit = device_request_limit(config->mgmt_class);
	number = adopted ? agent_adopt(agent, *adopted) : agent_register(agent, config);
	if (!number)
		number = open_engine_agent(agent, config);
	event_agent_opened(port, config, number < 0 ? number : 0);
	if (number < 0) {
		agent_unregister(agent);
		free(agent);
		return number;
	}
	agent->number = (unsigned int)number;
	port->ring->agents[number] = agent;
	*out = agent;
	return 0;
}

API int madring_agent_open_sized(struct madring_port *port,
				 const struct madring_agent_config *config, size_t config_size,
				 struct madring_agent **agent)
{
	struct madring_agent_config filled;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error && !config)
		error = -EINVAL;
	return error ? error : agent_open(port, &filled, NULL, agent);
}

API int madring_agent_adopt_sized(struct madring_port *port, uint32_t agent_id,
				  const struct madring_agent_config *config, size_t config_size,
				  struct madring_agent **agent)
{
	struct madring_agent_config filled;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error && (!config || !port->is_adopted))
		error = -EINVAL;
	return error ? error : agent_open(port, &filled, &agent_id, agent);
}

/* Drops the requests that wait, because nobody will answer them. */
static void drop_requests(struct madring_agent *agent)
{
	struct engine_received received;

	while (engine_drop_request(agent->ring->engine, agent->number, &received))
		if (received.umad)
			driver_give(agent->ring->driver, (struct madring_mad *)received.umad);
}

/* Calls back for what an adopted agent has received. Meanwhile nobody else closes the agent. */
static void hand_over_last(struct madring_agent *agent)
{
	const bool was_closing = agent->port->is_closing;

	agent->port->is_closing = true;
	agent_hand_over(agent);
	agent->port->is_closing = was_closing;
}

void agent_close(struct madring_agent *agent)
{
	event_agent_closes(agent);
	batches_forget_agent(agent);
	/* The kernel refuses writes by an agent that is not registered. */
	driver_settle(agent->ring->driver);
	if (agent->adopted)
		hand_over_last(agent);
	drop_requests(agent);
	engine_agent_close(agent->ring->engine, agent->number);
	driver_ready_update(agent->ring->driver);
	agent_unregister(agent);
	agent->ring->agents[agent->number] = NULL;
	free(agent);
}

API int madring_agent_close(struct madring_agent *agent)
{
	int error = agent ? ring_try(agent->ring) : 0;

	if (error || !agent)
		return error;
	if (agent->port->is_closing)
		return -EBUSY;
	agent_close(agent);
	return 0;
}

API int madring_agent_cancel(struct madring_agent *agent)
{
	unsigned int count;

	if (ring_is_foreign(agent->ring))
		return -EREMOTE;
	/* A transaction ends only after its write is reported. */
	driver_collect(agent->ring->driver);
	count = engine_agent_cancel(agent->ring->engine, agent->number);
	driver_ready_update(agent->ring->driver);
	return (int)count;
}

API void madring_agent_get_state_sized(const struct madring_agent *agent,
				       struct madring_agent_state *state, size_t state_size)
{
	struct engine_agent_state now;
	struct madring_agent_state own;

	engine_agent_state(agent->ring->engine, agent->number, &now);
	own = (struct madring_agent_state){
		.window = now.window,
		.in_flight = now.in_flight,
		.queued = now.queued,
		.timeout_ms = now.timeout_ns == ENGINE_NEVER
				      ? UINT32_MAX
				      : (uint32_t)(now.timeout_ns / NS_PER_MS),
		.kernel_limit = now.kernel_limit,
		.kernel_held = now.kernel_held,
		.registrations = agent->registrations,
	};
	sized_give(state, state_size, &own, sizeof(own));
}
