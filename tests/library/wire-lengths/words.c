/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of malformed MADs: no byte that does not exist is read, or written. */
#include "cmocka_all.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <madring.h>
#include <madring/dump.h>

#include "device/device.h"
#include "variants.h"

#define CLASS_SA  3
#define CLASS_DR  0x81
#define CLASS_OUI 0x32

static void make(struct ib_user_mad *umad, uint8_t mgmt_class)
{
	struct madring_mad_hdr *header = (void *)umad->data;

	memset(umad, 0xa5, WIRE_BYTES);
	umad->status = 0;
	umad->length = WIRE_BYTES;
	*header = (struct madring_mad_hdr){
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = mgmt_class == CLASS_SA ? MADRING_GET_TABLE_RESP : MADRING_GET_RESP,
		.attr_id = htobe16(mgmt_class == CLASS_SA ? 0x35 : 0x15),
	};
}

static void expect_shown(const char *text)
{
	while (*text == '\n' || *text == '\t' || isprint((unsigned char)*text))
		text++;
	assert_int_equal(*text, '\0');
}

static void show(const struct wire *wire)
{
	size_t length = wire->bytes - sizeof(struct ib_user_mad);
	char line[DEVICE_MAD_TEXT];
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	madring_dump_mad(out, (const struct madring_mad *)wire->umad, length);
	fclose(out);
	expect_shown(text);
	free(text);
	device_describe(line, wire->umad, wire->bytes, false);
	assert_true(strlen(line) < sizeof(line));
	expect_shown(line);
}

/* The offset of a table tells the words of each of its records. */
static void test_words(void **state)
{
	static const uint8_t classes[] = { CLASS_SA, CLASS_DR, CLASS_OUI };
	static const uint16_t offsets[] = { 0, 1, 7, 25, 26, 0x7fff, 0x8000, 0xffff };
	union {
		struct ib_user_mad umad;
		uint8_t bytes[WIRE_BYTES];
	} good;

	for (size_t i = 0; i < sizeof(classes); i++) {
		make(&good.umad, classes[i]);
		for (unsigned int number = 0; number < variants(WIRE_BYTES); number++) {
			uint16_t offset = htobe16(offsets[number % 8]);
			struct wire wire;

			/* The offset of a table stands behind the SM_Key. */
			memcpy(good.umad.data + 44, &offset, sizeof(offset));
			wire = variant(&good.umad, WIRE_BYTES, number);
			if (wire.bytes >= sizeof(struct ib_user_mad))
				show(&wire);
			free(wire.umad);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
