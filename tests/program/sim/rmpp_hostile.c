/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers that don't keep to RMPP, and long messages that are none. Runs under madring-sim. */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_peer.h"
#include "sim_subnet.h"

#define DATA  1
#define ACK   2
#define STOP  3
#define ABORT 4

#define ACTIVE 1
#define FIRST  2
#define LAST   4

#define NO_RESOURCES	  1
#define BAD_SEGMENT	  120
#define BAD_TYPE	  121
#define WINDOW_TOO_SMALL  122
#define SEGMENT_TOO_LARGE 123
#define BAD_STATUS	  124
#define BAD_VERSION	  125

/* A timeout for ACKs that is long enough for a busy machine, which keeps a program waiting. */
#define ACK_TIMEOUT_MS 1000

#define UNFINISHED 20000
#define FUZZ	   20000
#define RSS	   "VmRSS:"
#define RSS_MAX_KB (400 * 1024)
#define HUGE_SIZE  (INT64_C(1) << 40)

#define DESCRIPTORS_MAX 50 /* with one message, at most */

struct segment {
	uint8_t version, type, flags, status;
	uint32_t number, length;
};

static void put32(uint8_t *where, uint32_t value)
{
	uint32_t wire = htobe32(value);

	memcpy(where, &wire, sizeof(wire));
}

static uint32_t get32(const uint8_t *where)
{
	uint32_t wire;

	memcpy(&wire, where, sizeof(wire));
	return be32toh(wire);
}

static void set_segment(uint8_t *mad, const struct segment *segment)
{
	mad[RMPP_VERSION] = segment->version;
	mad[RMPP_TYPE] = segment->type;
	mad[RMPP_FLAGS] = segment->flags;
	mad[RMPP_STATUS] = segment->status;
	put32(mad + RMPP_SEGMENT, segment->number);
	put32(mad + RMPP_LENGTH, segment->length);
}

/* Sends a segment as it is, from an agent that speaks RMPP itself. */
static void send_segment(const struct peer *from, uint8_t method, uint32_t tid,
			 const struct segment *segment)
{
	struct peer_message message = peer_message(from, method, tid, SEGMENT_BYTES);

	set_segment(peer_mad(&message), segment);
	peer_send(from, &message);
	peer_free(&message);
}

static void expect_refusal(const struct peer *at, uint32_t tid, uint8_t type, uint8_t status)
{
	struct peer_message got = peer_receive(at);

	assert_int_equal(peer_low_tid(&got), tid);
	assert_int_equal(peer_mad(&got)[RMPP_VERSION], 1);
	assert_int_equal(peer_mad(&got)[RMPP_TYPE], type);
	assert_int_equal(peer_mad(&got)[RMPP_FLAGS], ACTIVE);
	assert_int_equal(peer_mad(&got)[RMPP_STATUS], status);
	peer_free(&got);
}

static void expect_segment(const struct peer *at, uint32_t number)
{
	struct peer_message got = peer_receive(at);

	assert_int_equal(peer_mad(&got)[RMPP_TYPE], DATA);
	assert_int_equal(get32(peer_mad(&got) + RMPP_SEGMENT), number);
	peer_free(&got);
}

/*
 * Returns the message with this TID. Messages to the client before this one may still come first.
 */
static struct peer_message receive_tid(const struct peer *at, uint32_t tid)
{
	struct peer_message got = peer_receive(at);

	while (peer_low_tid(&got) != tid) {
		peer_free(&got);
		got = peer_receive(at);
	}
	return got;
}

static void expect_good_transfer(void)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message message = peer_message(&client, GET_MULTI, 77, 1000), got;

	peer_send(&client, &message);
	got = receive_tid(&server, 77);
	peer_check(&got, GET_MULTI, 77, 1000);
	peer_free(&got);
	peer_free(&message);
	peer_close(&client);
	peer_close(&server);
}

static void test_refused(void **state)
{
	static const struct {
		struct segment segment;
		uint8_t status;
	} wrong[] = {
		{ { 2, DATA, ACTIVE | FIRST, 0, 1, 0 }, BAD_VERSION },
		{ { 0, ACK, ACTIVE, 0, 1, 1 }, BAD_VERSION },
		{ { 1, 0, ACTIVE, 0, 1, 1 }, BAD_TYPE },
		{ { 1, 9, ACTIVE | FIRST, 0, 1, 1 }, BAD_TYPE },
		{ { 1, DATA, ACTIVE | FIRST, 5, 1, 0 }, BAD_STATUS },
		{ { 1, DATA, ACTIVE, 0, 1, 0 }, BAD_SEGMENT },
		{ { 1, DATA, ACTIVE | FIRST, 0, 2, 0 }, BAD_SEGMENT },
		{ { 1, ACK, ACTIVE, 0, 5, 4 }, WINDOW_TOO_SMALL },
		{ { 1, ACK, ACTIVE, 1, 5, 6 }, BAD_STATUS },
		{ { 1, STOP, ACTIVE, 2, 0, 0 }, BAD_STATUS },
		{ { 1, ABORT, ACTIVE, 117, 0, 0 }, BAD_STATUS },
		{ { 1, ABORT, ACTIVE, 128, 0, 0 }, BAD_STATUS },
	};
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		send_segment(&rude, GET_MULTI, i + 1, &wrong[i].segment);
		expect_refusal(&rude, i + 1, ABORT, wrong[i].status);
	}
	assert_false(peer_wait(&server, SHORT_MS));
	peer_close(&rude);
	peer_close(&server);
}

/* Segments that call for no answer get none. */
static void test_ignored(void **state)
{
	static const struct segment strange[] = {
		{ 1, DATA, ACTIVE, 0, 2, 0 },
		{ 1, DATA, ACTIVE | LAST, 0, UINT32_MAX, 0 },
		{ 1, ACK, ACTIVE, 0, 0, UINT32_MAX },
		{ 1, ACK, ACTIVE, 0, 1, 1 },
		{ 1, STOP, ACTIVE, NO_RESOURCES, 0, 0 },
		{ 1, ABORT, ACTIVE, BAD_TYPE, 0, 0 },
	};
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	uint32_t i;

	for (i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
		send_segment(&rude, GET_MULTI, i + 1, &strange[i]);
	assert_false(peer_wait(&rude, SHORT_MS));
	assert_false(peer_wait(&server, SHORT_MS));
	peer_close(&rude);
	peer_close(&server);
}

/* Segments out of order, twice, beyond the window and behind the last: it is still one message. */
static void test_disorder(void **state)
{
	static const struct segment segment[] = {
		{ 1, DATA, ACTIVE | FIRST, 0, 1, 3 * 220 },
		{ 1, DATA, ACTIVE, 0, 66, 0 },
		{ 1, DATA, ACTIVE | LAST, 0, 3, 220 },
		{ 1, DATA, ACTIVE | LAST, 0, 3, 100 },
		{ 1, DATA, ACTIVE, 0, 5, 0 },
		{ 1, DATA, ACTIVE, 0, 2, 0 },
		{ 1, DATA, ACTIVE, 0, 2, 0 },
	};
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message got;
	size_t i;

	for (i = 0; i < sizeof(segment) / sizeof(segment[0]); i++)
		send_segment(&rude, GET_MULTI, 5, &segment[i]);
	got = peer_receive(&server);
	assert_int_equal(got.bytes, UMAD_BYTES + HEADER_BYTES + 3 * SEGMENT_BYTES);
	peer_free(&got);
	assert_false(peer_wait(&server, SHORT_MS));
	peer_close(&rude);
	peer_close(&server);
}

/* The payload length of the last segment is longer than a segment, or shorter than its header. */
static void test_payload_lengths(void **state)
{
	static const struct {
		uint32_t payload;
		size_t bytes;
	} last[] = { { 221, 256 }, { UINT32_MAX, 256 }, { 19, 55 }, { 0, 36 } };
	struct segment segment = { 1, DATA, ACTIVE | FIRST | LAST, 0, 1, 0 };
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message got;
	uint32_t i;

	for (i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		segment.length = last[i].payload;
		send_segment(&rude, GET_MULTI, 40 + i, &segment);
		got = peer_receive(&server);
		assert_int_equal(got.bytes, UMAD_BYTES + last[i].bytes);
		peer_free(&got);
	}
	peer_close(&rude);
	peer_close(&server);
}

/* Answers as a receiver that lies to a sender; it gets what the sender's device sends. */
static void answer(const struct peer *rude, const struct peer_message *first,
		   const struct segment *segment)
{
	struct peer_message reply = peer_message(rude, GET_MULTI | RESPONSE, 0, SEGMENT_BYTES);

	memcpy(peer_mad(&reply) + 8, peer_mad(first) + 8, sizeof(uint64_t));
	set_segment(peer_mad(&reply), segment);
	peer_send(rude, &reply);
	peer_free(&reply);
}

static struct peer_message start_transfer(const struct peer *client, const struct peer *rude,
					  uint32_t tid)
{
	struct peer_message message = peer_message(client, GET_MULTI, tid, 10 * SEGMENT_BYTES);
	struct peer_message first;

	peer_header(&message)->timeout_ms = ACK_TIMEOUT_MS;
	peer_header(&message)->retries = 1;
	peer_send(client, &message);
	peer_free(&message);
	first = peer_receive(rude);
	assert_int_equal(get32(peer_mad(&first) + RMPP_SEGMENT), 1);
	return first;
}

static void test_lying_receiver(void **state)
{
	static const struct segment beyond_window = { 1, ACK, ACTIVE, 0, 2, 70 },
				    window_of_3 = { 1, ACK, ACTIVE, 0, 1, 3 },
				    no_more = { 1, STOP, ACTIVE, NO_RESOURCES, 0, 0 };
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer rude = peer_open(2, RMPP_BY_US, true);
	struct peer_message first;

	first = start_transfer(&client, &rude, 1);
	answer(&rude, &first, &beyond_window);
	expect_refusal(&rude, 1, ABORT, SEGMENT_TOO_LARGE);
	peer_free(&first);

	first = start_transfer(&client, &rude, 2);
	answer(&rude, &first, &window_of_3);
	expect_segment(&rude, 2);
	expect_segment(&rude, 3);
	answer(&rude, &first, &no_more);
	peer_free(&first);

	/* Both are over: nothing is sent again, and nobody is told. */
	assert_false(peer_wait(&rude, ACK_TIMEOUT_MS + SHORT_MS));
	assert_false(peer_wait(&client, 0));

	/* Its window is the whole message, several times over. */
	first = start_transfer(&client, &rude, 3);
	answer(&rude, &first, &(struct segment){ 1, ACK, ACTIVE, 0, 1, UINT32_MAX });
	expect_segment(&rude, 2);
	peer_free(&first);
	peer_close(&client);
	peer_close(&rude);
}

static long server_rss_kb(void)
{
	char path[64], line[256];
	long kb = -1;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)getppid());
	status = fopen(path, "r");
	assert_non_null(status);
	while (kb < 0 && fgets(line, sizeof(line), status)) {
		if (!strncmp(line, RSS, strlen(RSS)))
			kb = strtol(line + strlen(RSS), NULL, 10);
	}
	fclose(status);
	return kb;
}

/* Messages begin and never go on. When there are too many, the next is told so. */
static void test_unfinished(void **state)
{
	static const struct segment first = { 1, DATA, ACTIVE | FIRST, 0, 1, UINT32_MAX };
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message got;
	uint32_t tid, stopped = 0;

	for (tid = 1; tid <= UNFINISHED; tid++) {
		send_segment(&rude, GET_MULTI, tid, &first);
		got = peer_receive(&rude);
		assert_int_equal(peer_low_tid(&got), tid);
		if (peer_mad(&got)[RMPP_TYPE] == STOP) {
			assert_int_equal(peer_mad(&got)[RMPP_STATUS], NO_RESOURCES);
			stopped++;
		}
		peer_free(&got);
	}
	assert_true(stopped > 0 && stopped < UNFINISHED);
	assert_true(server_rss_kb() > 0 && server_rss_kb() < RSS_MAX_KB);
	peer_close(&server);
	peer_close(&rude);
	expect_good_transfer();
}

static void test_random_segments(void **state)
{
	struct peer rude = peer_open(1, RMPP_BY_US, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	static const uint8_t methods[] = { GET, GET_TABLE, GET_MULTI, GET_MULTI | RESPONSE };
	struct peer_message got;
	unsigned int seed = 1;
	int i;

	for (i = 0; i < FUZZ; i++) {
		struct segment segment = {
			.version = rand_r(&seed) % 32 != 0,
			.type = (uint8_t)(rand_r(&seed) % 5),
			.flags = (uint8_t)(rand_r(&seed) % 8),
			.status = rand_r(&seed) % 8 ? 0 : (uint8_t)rand_r(&seed),
			.number = (uint32_t)rand_r(&seed) % 70,
			.length = (uint32_t)rand_r(&seed) % 300,
		};

		send_segment(&rude, methods[rand_r(&seed) % sizeof(methods)],
			     (uint32_t)rand_r(&seed) % 50, &segment);
		while (peer_wait(&rude, 0)) {
			got = peer_receive(&rude);
			peer_free(&got);
		}
		while (peer_wait(&server, 0)) {
			got = peer_receive(&server);
			peer_free(&got);
		}
	}
	peer_close(&rude);
	peer_close(&server);
	expect_good_transfer();
}

static void send_descriptors(int fd, const struct peer_message *message, const int *descriptors,
			     size_t count)
{
	struct iovec vector = { .iov_base = message->umad, .iov_len = message->bytes };
	union {
		struct cmsghdr header;
		uint8_t space[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(count * sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct msghdr header = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(count * sizeof(int)),
	};

	memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
	assert_int_equal(sendmsg(fd, &header, MSG_NOSIGNAL), message->bytes);
}

static void send_descriptor(int fd, const struct peer_message *message, int descriptor)
{
	send_descriptors(fd, message, &descriptor, 1);
}

/*
 * The server refuses a pipe that nobody writes to, a file without an end, an empty one, and one's
 * own umad file.
 */
static void test_false_descriptors(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer_message message = peer_message(&client, GET_MULTI, 1, SEGMENT_BYTES);
	int ends[2], huge = memfd_create("huge", 0), empty = memfd_create("empty", 0);
	int smp = client_open();

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ftruncate(huge, HUGE_SIZE), 0);
	send_descriptor(client.fd, &message, ends[0]);
	send_descriptor(client.fd, &message, huge);
	send_descriptor(client.fd, &message, empty);
	send_descriptor(client.fd, &message, STDERR_FILENO);
	send_descriptor(client.fd, &message, client.fd);
	send_descriptor(smp, &message, huge);
	close(ends[0]);
	close(ends[1]);
	close(huge);
	close(empty);
	umad_close_port(smp);
	peer_free(&message);
	peer_close(&client);
	expect_good_transfer();
}

static int server_descriptors(void)
{
	char path[64];
	int count = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)getppid());
	folder = opendir(path);
	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* The server drops messages with more descriptors than they may have, and keeps no descriptor. */
static void test_many_descriptors(void **state)
{
	struct peer client = peer_open(1, RMPP_BY_DEVICE, false);
	struct peer server = peer_open(2, RMPP_BY_DEVICE, true);
	struct peer_message wrong = peer_message(&client, GET_MULTI, 1, SEGMENT_BYTES), got;
	struct peer_message good = peer_message(&client, GET_MULTI, 2, SEGMENT_BYTES);
	int descriptors[DESCRIPTORS_MAX], before = server_descriptors();
	size_t count;

	for (count = 0; count < DESCRIPTORS_MAX; count++)
		descriptors[count] = STDERR_FILENO;
	for (count = 2; count <= DESCRIPTORS_MAX; count++)
		send_descriptors(client.fd, &wrong, descriptors, count);
	peer_send(&client, &good);
	got = peer_receive(&server);
	peer_check(&got, GET_MULTI, 2, SEGMENT_BYTES);
	/*
	 * There are fewer than before if the server was then still closing those of earlier tests.
	 */
	assert_true(server_descriptors() <= before);
	peer_free(&got);
	peer_free(&good);
	peer_free(&wrong);
	peer_close(&client);
	peer_close(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),		 cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_disorder),	 cmocka_unit_test(test_payload_lengths),
		cmocka_unit_test(test_lying_receiver),	 cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_random_segments),	 cmocka_unit_test(test_false_descriptors),
		cmocka_unit_test(test_many_descriptors),
	};

	subnet_bring_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
