/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures of malformed messages: each packet has as much of its MAD as there is, and the file is
 * whole.
 */
#include "library/library_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/capture/reader.h"
#include "capture/capture.h"
#include "variants.h"

#define HEADERS 28u
#define GRH	40u
#define SUMS	6u

static void test_captures(void **state)
{
	const char *parent = getenv("TMPDIR");
	struct madring_ca_port *port;
	struct capture *capture;
	struct fake_umad good = { .umad.length = FAKE_BYTES };
	struct reader reader;
	unsigned int count = 0;
	char path[80];

	snprintf(path, sizeof(path), "%.40s/wire-lengths.XXXXXX", parent ? parent : "/tmp");
	close(mkstemp(path));
	assert_int_equal(capture_open(&capture, path, NULL, 0), 0);
	assert_int_equal(madring_ca_port_get(fake_name(), 1, &port), 0);
	assert_int_equal(capture_add_port(capture, port), 0);
	memset(good.mad, 0xa5, MADRING_MAD_BYTES);
	for (unsigned int number = 0; number < variants(FAKE_BYTES); number++) {
		struct wire wire = variant(&good.umad, FAKE_BYTES, number);

		/* A message that is no MAD is not captured. */
		if (wire.bytes >= sizeof(struct ib_user_mad) + sizeof(struct madring_mad_hdr)) {
			wire.umad->addr.grh_present = (uint8_t)number;
			wire.umad->addr.pkey_index = (uint16_t)(number * 31);
			capture_mad(capture, 0, number % 2, wire.umad, wire.bytes, number);
			count++;
		}
		free(wire.umad);
	}
	assert_int_equal(capture_close(capture), 0);
	reader_open(&reader, path);
	assert_int_equal(reader.packets, count);
	for (unsigned int i = 0; i < count; i++) {
		const struct packet *packet = &reader.packet[i];

		assert_int_equal(packet->kept, packet->bytes);
		assert_in_range(packet->bytes, HEADERS + sizeof(struct madring_mad_hdr) + SUMS,
				HEADERS + GRH + MADRING_MAD_BYTES + SUMS);
	}
	reader_close(&reader);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_captures) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
