/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies in segments that madring puts together itself: what it says of them is said in time. */
#include "library_fixture.h"

#include <string.h>
#include <unistd.h>

#define GET_TABLE 0x12
#define ACK	  2 /* a type */
#define SEGMENTS  20u
#define TICKS_US  5000 /* what comes again at once gets no ACK */
#define READS	  1024 /* of which the only lane posts 64 at a time */
#define OTHERS	  40u /* MADs in the queue before a reply that does not fit into the rest of them */

static const struct madring_agent_config by_madring = {
	.mgmt_class = CLASS_SA,
	.class_version = 2,
	.rmpp = MADRING_RMPP_USER,
	.timeout_ms = MADRING_FOREVER,
};

/* Sends a segment of the reply. */
static void send_segment(const struct fake_umad *request, uint32_t segment)
{
	struct fake_umad reply = *request;

	fake_make_reply(&reply);
	if (segment == 1)
		fixture_set_rmpp(reply.mad, MADRING_RMPP_FIRST, 1, SEGMENTS * 220);
	else if (segment == SEGMENTS)
		fixture_set_rmpp(reply.mad, MADRING_RMPP_LAST, segment, 220);
	else
		fixture_set_rmpp(reply.mad, 0, segment, 0);
	fake_send(&reply);
}

/* Sends a MAD that no request waits for. */
static void send_other(const struct fake_umad *request)
{
	struct fake_umad other = *request;

	fake_make_reply(&other);
	for (unsigned int i = 12; i < 16; i++)
		other.mad[i] ^= 0xff;
	fake_send(&other);
}

/* Returns the last segment that an ACK names, among all writes; 0: none does. */
static uint32_t last_told(void)
{
	struct madring_rmpp_hdr header;
	struct fake_umad umad;
	uint32_t told = 0;

	while (fake_take(&umad)) {
		memcpy(&header, umad.mad + sizeof(struct madring_mad_hdr), sizeof(header));
		if (header.type == ACK)
			told = be32toh(header.segment);
	}
	return told;
}

static struct fake_umad ask(struct fixture *fixture, struct outcomes *outcomes)
{
	const struct madring_send_options how = { .callback = count_outcome, .user = outcomes };
	struct madring_mad *mad = fixture_request(fixture, 7, 1);
	struct fake_umad request;

	madring_mad_header(mad)->method = GET_TABLE;
	assert_int_equal(madring_send(fixture->agent, mad, &how), 0);
	assert_true(madring_submit(fixture->ring) >= 0);
	assert_true(fake_take(&request));
	return request;
}

/* Sends a request whose reply comes at once, except for its first segment, behind @others. */
static void exchange(struct fixture *fixture, uint32_t others)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad request = ask(fixture, &outcomes);

	send_segment(&request, 1);
	while (last_told() != 1)
		assert_true(madring_submit(fixture->ring) >= 0);
	usleep(TICKS_US);
	for (uint32_t i = 0; i < others; i++)
		send_other(&request);
	send_segment(&request, 2);
	send_segment(&request, 1); /* again, which wants an ACK */
	for (uint32_t segment = 3; segment <= SEGMENTS; segment++)
		send_segment(&request, segment);
	while (!outcomes.count)
		assert_true(madring_run(fixture->ring, 10000) >= 0);
	assert_int_equal(outcomes.last_status, 0);
	assert_int_equal(last_told(), SEGMENTS);
}

/*
 * The end of a reply may come while the ACK for its middle is written, as in some of these
 * exchanges. The caller needs no further turn of the ring for the reply then, but the other end
 * still needs its ACK.
 */
static void test_the_last_ack(void **state)
{
	const struct madring_config config = { .lanes = 1, .reads = 4096 };
	struct fixture fixture;

	fixture_open(&fixture, &config, &by_madring);
	for (uint32_t others = 0; others < 100; others += 4)
		exchange(&fixture, others);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_last_ack),
};

TEST_MAIN(tests, NULL, NULL)
