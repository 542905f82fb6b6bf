/* SPDX-License-Identifier: BSD-2-Clause */
#include "library_messages.h"

#include <stdlib.h>
#include <string.h>

const struct madring_agent_config by_kernel = {
	.rmpp = MADRING_RMPP_KERNEL,
	.timeout_ms = MADRING_FOREVER,
	.window = 256,
	.pin_window = true,
	.flow_window = 256,
	.pin_flow_window = true,
};

struct last_reply last_reply;

void messages_open(struct fixture *fixture, const struct madring_config *config,
		   const struct madring_agent_config *agent_config)
{
	last_reply = (struct last_reply){ .fixture = fixture };
	fixture_open(fixture, config, agent_config);
}

static uint8_t byte_at(uint32_t seed, size_t i)
{
	return (uint8_t)((seed + i) * 2654435761u >> 24);
}

void message_fill(uint8_t *mad, size_t length, uint32_t seed)
{
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		mad[i] = byte_at(seed, i);
}

bool message_is_filled(const uint8_t *mad, size_t length, uint32_t seed)
{
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		if (mad[i] != byte_at(seed, i))
			return false;
	return true;
}

void check_reply(const struct madring_completion *completion)
{
	last_reply.count++;
	last_reply.status = completion->status;
	last_reply.length = completion->length;
	if (completion->status) {
		assert_null(completion->mad);
		return;
	}
	assert_true(message_is_filled(madring_mad_data(completion->mad), completion->length,
				      (uint32_t)(uintptr_t)completion->user));
	if (last_reply.keep) {
		assert_int_equal(madring_mad_keep(last_reply.fixture->ring, completion->mad), 0);
		*last_reply.keep = completion->mad;
	}
}

struct fake_umad ask(struct fixture *fixture, uint32_t seed)
{
	const struct madring_send_options send = {
		.callback = check_reply,
		.user = (void *)(uintptr_t)seed,
	};
	struct fake_umad umad;

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 7, seed), &send), 0);
	while (!fake_take(&umad))
		assert_int_equal(madring_step(fixture->ring), 0);
	return umad;
}

void answer_as(struct fake_umad *request, size_t length, uint32_t told)
{
	size_t bytes = HEADER + length;
	uint8_t *message = malloc(bytes < FAKE_BYTES ? FAKE_BYTES : bytes);
	uint32_t seed = fixture_mark(request->mad);
	uint8_t flags = MADRING_RMPP_FIRST;

	assert_non_null(message);
	fake_make_reply(request);
	request->umad.length = told;
	memcpy(message, request->bytes, FAKE_BYTES);
	if (length <= (request->mad[0] == 0x80 ? MADRING_LARGE_MAD_BYTES : MADRING_MAD_BYTES))
		flags |= MADRING_RMPP_LAST;
	fixture_set_rmpp(message + HEADER, flags, 1, (uint32_t)length);
	message_fill(message + HEADER, length, seed);
	fake_send_message(request->lane, message, bytes);
	free(message);
}

void answer(struct fake_umad *request, size_t length)
{
	answer_as(request, length, (uint32_t)(HEADER + length));
}

void wait_for_replies(struct fixture *fixture, unsigned int count)
{
	while (last_reply.count < count)
		assert_true(madring_run(fixture->ring, 1000) >= 0);
}
