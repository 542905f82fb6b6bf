/* SPDX-License-Identifier: BSD-2-Clause */
/* MADs in words: the text of good ones, and that bad ones are written at all. */
#include "cmocka_all.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/mad.h>
#include <madring.h>
#include <madring/dump.h>

#define HEADER sizeof(struct ib_user_mad)

/* Returns a buffer of exactly @length bytes of MAD. */
static struct madring_mad *mad_of(size_t length)
{
	struct madring_mad *mad = calloc(1, HEADER + length);

	assert_non_null(mad);
	return mad;
}

static struct madring_mad *request(uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct madring_mad *mad = mad_of(MADRING_MAD_BYTES);

	*madring_mad_header(mad) = (struct madring_mad_hdr){
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = mgmt_class == 3 ? 2 : 1,
		.method = method,
		.tid = htobe64(0x1122334455667788),
		.attr_id = htobe16(attr_id),
		.attr_mod = htobe32(1),
	};
	madring_mad_set_address(mad, 7, 1, 2, 0x80010000);
	return mad;
}

/*
 * Returns the text of a MAD, which the caller frees. When -O3 inlines this function, GCC 12 warns
 * that it returns a pointer to a local variable.
 */
__attribute__((noinline)) static char *text_of(const struct madring_mad *mad, size_t length)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	madring_dump_mad(out, mad, length);
	fclose(out);
	return text;
}

static void expect_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || at[strlen(line)] != '\n')
		fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void test_an_address(void **state)
{
	struct madring_mad *mad = request(4, MADRING_GET, 0x12);
	const struct madring_grh grh = {
		.gid = { 0xfe, 0x80, [15] = 5 },
		.flow_label = 0x12345,
		.traffic_class = 6,
		.hop_limit = 64,
		.gid_index = 1,
	};
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	madring_mad_set_pkey_index(mad, 3);
	madring_mad_set_path_bits(mad, 4);
	madring_dump_address(out, madring_mad_address(mad));
	fflush(out);
	assert_string_equal(text, "address: LID 7, QP 0x000001, Q_Key 0x80010000, SL 2, "
				  "path bits 4, P_Key index 3\n");
	assert_int_equal(fseek(out, 0, SEEK_SET), 0);
	madring_mad_set_grh(mad, &grh);
	madring_dump_address(out, madring_mad_address(mad));
	fclose(out);
	expect_line(text, "GRH: GID fe80::5, index 1, flow label 0x12345, traffic class 6, "
			  "hop limit 64");
	free(text);
	free(mad);
}

static void test_a_directed_route(void **state)
{
	static const uint8_t path[] = { 0, 1, 22, 3 };
	struct madring_mad *mad = request(0x81, 0x81, 0x15);
	uint8_t *bytes = madring_mad_data(mad);
	char expected[8192], *text;

	madring_mad_header(mad)->status = htobe16(0x8004);
	bytes[7] = 3;
	memset(bytes + 24, 0xab, 8);
	memset(bytes + 32, 0xff, 4);
	memcpy(bytes + 128, path, sizeof(path));
	for (unsigned int i = 0; i < MADRING_SMP_DATA_BYTES; i++)
		bytes[64 + i] = (uint8_t)(3 * i);
	text = text_of(mad, MADRING_MAD_BYTES);
	expect_line(text, "MAD: Subn GetResp(PortInfo), 256 bytes");
	expect_line(text, "header: base version 0x01, class 0x81, class version 1, method 0x81, "
			  "attribute 0x0015, modifier 0x00000001, TID 0x1122334455667788");
	expect_line(text, "status: 0x0004 (Bad Version)");
	expect_line(text, "M_Key: 0xabababababababab");
	expect_line(text, "route: returning, 3 hops, pointer 0, DrSLID 65535, DrDLID 65535, "
			  "path 0,1,22,3");
	/* The fields are libibmad's. */
	mad_dump_portinfo(expected, sizeof(expected), bytes + 64, MADRING_SMP_DATA_BYTES);
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(expected, "PhysLinkState:"));
	free(text);
	free(mad);
}

static void test_counters(void **state)
{
	struct madring_mad *mad = request(4, MADRING_GET_RESP, 0x12);
	uint8_t *data = (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA;
	char expected[8192], *text;

	data[1] = 9;
	data[4] = 0x12;
	data[5] = 0x34;
	text = text_of(mad, MADRING_MAD_BYTES);
	expect_line(text, "MAD: Perf GetResp(PortCounters), 256 bytes");
	expect_line(text, "status: 0x0000 (Success)");
	expect_line(text, "PortSelect:......................9");
	expect_line(text, "SymbolErrorCounter:..............4660");
	mad_dump_perfcounters(expected, sizeof(expected), data, 192);
	assert_non_null(strstr(text, expected));
	free(text);
	free(mad);
}

static void test_a_table_of_records(void **state)
{
	struct madring_mad *mad = mad_of(56 + 2 * 112 + 40);
	uint8_t *bytes = madring_mad_data(mad);
	char *text;

	*madring_mad_header(mad) = (struct madring_mad_hdr){
		.base_version = 1,
		.mgmt_class = 3,
		.class_version = 2,
		.method = MADRING_GET_TABLE_RESP,
		.attr_id = htobe16(0x11),
	};
	bytes[24] = 1;
	bytes[25] = 1;
	bytes[26] = 7;
	memset(bytes + 36, 0x5a, 8);
	bytes[45] = 14;
	bytes[55] = 3;
	bytes[57] = 0x21;
	bytes[57 + 112] = 0x22;
	text = text_of(mad, 56 + 2 * 112 + 40);
	expect_line(text, "MAD: SubnAdm GetTableResp(NodeRecord), 320 bytes");
	expect_line(text, "RMPP: version 1, type 1, flags 0x07, status 0, data 0x00000000 "
			  "0x00000000");
	expect_line(text, "SM_Key: 0x5a5a5a5a5a5a5a5a, component mask 0x0000000000000003");
	expect_line(text, "record 1:");
	expect_line(text, "record 2:");
	expect_line(text, "Lid:.............................33");
	expect_line(text, "Lid:.............................34");
	/* The bytes behind the last record are no record. */
	assert_null(strstr(text, "record 3:"));
	madring_mad_header(mad)->status = htobe16(0x0300);
	free(text);
	text = text_of(mad, 256);
	expect_line(text, "status: 0x0300 (No Records)");
	free(text);
	free(mad);
}

static void test_unknown_attributes_are_in_hexadecimal(void **state)
{
	struct madring_mad *mad = request(0x32, MADRING_SEND, 0x20);
	uint8_t *bytes = madring_mad_data(mad);
	char *text;

	for (unsigned int i = 40; i < 256; i++)
		bytes[i] = (uint8_t)i;
	text = text_of(mad, 40 + 20);
	expect_line(text, "MAD: Vendor Send(<unknown>), 60 bytes");
	expect_line(text, "0000: 28 29 2a 2b 2c 2d 2e 2f 30 31 32 33 34 35 36 37");
	expect_line(text, "0010: 38 39 3a 3b");
	free(text);
	free(mad);
}

/* A description is 64 bytes that may have no end, and may be no text. */
static void test_descriptions(void **state)
{
	struct madring_mad *mad = request(0x81, 0x81, 0x10);
	uint8_t *data = (uint8_t *)madring_mad_data(mad) + MADRING_SMP_DATA;
	char *text;

	memset(data, 'n', MADRING_SMP_DATA_BYTES);
	memset(data + MADRING_SMP_DATA_BYTES, 'p', 64); /* the path */
	text = text_of(mad, MADRING_MAD_BYTES);
	expect_line(text, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
	free(text);
	memcpy(data, "\033[2J\007evil\377", 11);
	text = text_of(mad, MADRING_MAD_BYTES);
	assert_non_null(strstr(text, "?[2J?evil?"));
	free(text);
	free(mad);
}

static bool is_shown(const char *text)
{
	for (; *text; text++)
		if (*text != '\n' && *text != '\t' && !isprint((unsigned char)*text))
			return false;
	return true;
}

static const uint8_t classes[] = { 0x01, 0x81, 0x03, 0x04, 0x05, 0x06, 0x07,
				   0x09, 0x21, 0x32, 0x4f, 0x50, 0xff };

/*
 * MADs of every attribute, with random data and of every length, are written without a read behind
 * their end.
 */
static void test_anything(void **state)
{
	unsigned int seed = 1;

	for (unsigned int i = 0; i < 20000; i++) {
		size_t length = i % 300;
		struct madring_mad *mad = mad_of(length);
		uint8_t *bytes = madring_mad_data(mad);
		char *text;

		for (size_t at = 0; at < HEADER + length; at++)
			((uint8_t *)mad)[at] = (uint8_t)rand_r(&seed);
		if (length > 1)
			bytes[1] = classes[(unsigned int)rand_r(&seed) % sizeof(classes)];
		if (length > 17 && rand_r(&seed) % 8) {
			bytes[16] = 0;
			bytes[17] = (uint8_t)(rand_r(&seed) % 0x40);
		}
		if (length > 45 && rand_r(&seed) % 2) {
			bytes[3] = MADRING_GET_TABLE_RESP;
			bytes[44] = 0;
			bytes[45] = (uint8_t)(rand_r(&seed) % 32);
		}
		text = text_of(mad, length);
		assert_true(is_shown(text));
		assert_non_null(strstr(text, "MAD: "));
		free(text);
		free(mad);
	}
}

static void test_without_a_file_to_standard_error(void **state)
{
	struct madring_mad *mad = request(4, MADRING_GET, 0x12);
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	char line[256];

	assert_non_null(file);
	fflush(stderr);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	madring_dump_mad(NULL, mad, MADRING_MAD_BYTES);
	madring_dump_address(NULL, madring_mad_address(mad));
	fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_non_null(strstr(line, "umad: agent 0, "));
	assert_non_null(fgets(line, sizeof(line), file));
	assert_non_null(strstr(line, "address: LID 7, "));
	fclose(file);
	free(mad);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_an_address),
	cmocka_unit_test(test_a_directed_route),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_a_table_of_records),
	cmocka_unit_test(test_unknown_attributes_are_in_hexadecimal),
	cmocka_unit_test(test_descriptions),
	cmocka_unit_test(test_anything),
	cmocka_unit_test(test_without_a_file_to_standard_error),
};

TEST_MAIN(tests, NULL, NULL)
