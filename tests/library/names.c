/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of numbers: each name leads back to its number, and libibumad knows the same numbers.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include <infiniband/umad_cm.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_str.h>
#include <madring.h>

#define CLASSES	  256u
#define METHODS	  256u
#define NUMBERS	  65536u
#define UNDEFINED 0x77 /* a class that the IBA does not define */

_Static_assert((int)MADRING_CLASS_BIS == (int)UMAD_CLASS_BIS &&
		       (int)MADRING_CLASS_CC == (int)UMAD_CLASS_CONG_MGMT &&
		       (int)MADRING_CLASS_VENDOR_OUI == (int)UMAD_CLASS_VENDOR_RANGE2_START,
	       "classes as in libibumad");
_Static_assert((int)MADRING_ATTR_EXTENDED_PORT_INFO == (int)UMAD_SM_ATTR_MLNX_EXT_PORT_INFO &&
		       (int)MADRING_ATTR_PORT_INFO_EXTENDED == (int)UMAD_SM_ATTR_PORT_INFO_EXT &&
		       (int)MADRING_ATTR_PATH_RECORD == (int)UMAD_SA_ATTR_PATH_REC &&
		       (int)MADRING_ATTR_INFORM_INFO_RECORD == (int)UMAD_SA_ATTR_INFORM_INFO_REC &&
		       (int)MADRING_ATTR_CM_SPR == (int)UMAD_CM_ATTR_SPR,
	       "attributes as in libibumad");
_Static_assert((int)MADRING_STATUS_BAD_VERSION == (int)UMAD_STATUS_BAD_VERSION &&
		       (int)MADRING_STATUS_BAD_METHOD == (int)UMAD_STATUS_METHOD_NOT_SUPPORTED &&
		       (int)MADRING_STATUS_BAD_ATTRIBUTE == (int)UMAD_STATUS_ATTR_NOT_SUPPORTED &&
		       (int)MADRING_STATUS_BAD_VALUE == (int)UMAD_STATUS_INVALID_ATTR_VALUE &&
		       (int)MADRING_STATUS_SA_NO_RECORDS == (int)UMAD_SA_STATUS_NO_RECORDS << 8 &&
		       (int)MADRING_STATUS_SA_REQ_DENIED == (int)UMAD_SA_STATUS_REQ_DENIED << 8,
	       "states as in libibumad");

static const uint8_t classes[] = {
	MADRING_CLASS_SMP, MADRING_CLASS_SMP_DIRECTED, MADRING_CLASS_SA,
	MADRING_CLASS_PMA, MADRING_CLASS_BM,	       MADRING_CLASS_DM,
	MADRING_CLASS_CM,  MADRING_CLASS_CC,	       UNDEFINED,
};
#define COUNT (sizeof(classes) / sizeof(classes[0]))

static void test_class_names_round_trip(void **state)
{
	unsigned int named = 0;

	for (unsigned int number = 0; number < CLASSES; number++) {
		const char *name = madring_class_name((uint8_t)number);

		if (!name)
			continue;
		assert_int_equal(madring_class_number(name), number);
		named++;
	}
	assert_int_equal(named, 12);
	assert_string_equal(madring_class_name(MADRING_CLASS_SMP_DIRECTED), "SMPDirected");
	assert_int_equal(madring_class_number("pma"), MADRING_CLASS_PMA);
	assert_int_equal(madring_class_number("PM"), -ENOENT);
	assert_int_equal(madring_class_number(""), -ENOENT);
}

static void test_method_names_round_trip(void **state)
{
	for (size_t i = 0; i < COUNT; i++) {
		unsigned int named = 0;

		for (unsigned int number = 0; number < METHODS; number++) {
			const char *name = madring_method_name(classes[i], (uint8_t)number);

			if (!name)
				continue;
			assert_int_equal(madring_method_number(classes[i], name), number);
			named++;
		}
		assert_int_equal(named, classes[i] == MADRING_CLASS_SA ? 15 : 8);
	}
	assert_int_equal(madring_method_number(MADRING_CLASS_SA, "gettable"), MADRING_GET_TABLE);
	assert_int_equal(madring_method_number(MADRING_CLASS_PMA, "GetTable"), -ENOENT);
}

static void test_attribute_names_round_trip(void **state)
{
	static const unsigned int expected[COUNT] = { 23, 23, 26, 25, 4, 11, 16, 11, 3 };

	for (size_t i = 0; i < COUNT; i++) {
		unsigned int named = 0;

		for (unsigned int number = 0; number < NUMBERS; number++) {
			const char *name = madring_attribute_name(classes[i], (uint16_t)number);

			if (!name)
				continue;
			assert_int_equal(madring_attribute_number(classes[i], name), number);
			named++;
		}
		assert_int_equal(named, expected[i]);
	}
	assert_string_equal(madring_attribute_name(MADRING_CLASS_PMA, 0x1d),
			    "PortCountersExtended");
	assert_string_equal(madring_attribute_name(MADRING_CLASS_SMP_DIRECTED, 0x11), "NodeInfo");
	assert_int_equal(madring_attribute_number(MADRING_CLASS_SA, "NodeInfo"), -ENOENT);
}

/* libibumad calls what it does not know "<unknown>". */
static void test_no_attribute_of_libibumad_is_missing(void **state)
{
	static const uint8_t known[] = { MADRING_CLASS_SMP, MADRING_CLASS_SA, MADRING_CLASS_CM };

	for (size_t i = 0; i < sizeof(known); i++)
		for (unsigned int number = 0; number < NUMBERS; number++) {
			const char *theirs = umad_attribute_str(known[i], htobe16(number));

			if (theirs[0] != '<' && !madring_attribute_name(known[i], (uint16_t)number))
				fail_msg("class 0x%02x, attribute 0x%04x: %s", known[i], number,
					 theirs);
		}
}

static void test_state_names_round_trip(void **state)
{
	for (size_t i = 0; i < COUNT; i++)
		for (unsigned int status = 0; status < NUMBERS; status++) {
			const char *name = madring_status_name(classes[i], (uint16_t)status);
			int number;

			assert_non_null(madring_status_text(classes[i], (uint16_t)status));
			if (!name)
				continue;
			number = madring_status_number(classes[i], name);
			assert_true(number >= 0);
			assert_string_equal(madring_status_name(classes[i], (uint16_t)number),
					    name);
			/* The number is a part of the status. */
			assert_int_equal(number & (int)status, number);
		}
	assert_int_equal(madring_status_number(MADRING_CLASS_SA, "sa_no_records"), 0x0300);
	assert_int_equal(madring_status_number(MADRING_CLASS_PMA, "SA_NO_RECORDS"), -ENOENT);
}

static void test_error_of_a_completion(void **state)
{
	struct {
		struct ib_user_mad umad;
		struct madring_mad_hdr header;
	} reply = { .header = { .mgmt_class = MADRING_CLASS_PMA } };
	struct madring_mad *mad = (struct madring_mad *)&reply;
	struct madring_completion completion = { .mad = mad };

	assert_null(madring_completion_text(&completion));
	reply.header.status = htobe16(MADRING_STATUS_BUSY);
	assert_ptr_equal(madring_completion_text(&completion),
			 madring_status_text(MADRING_CLASS_PMA, MADRING_STATUS_BUSY));
	completion = (struct madring_completion){ .status = -ETIMEDOUT };
	assert_string_equal(madring_completion_text(&completion), madring_error_text(-ETIMEDOUT));
	completion.status = 0; /* without a reply: none was expected */
	assert_null(madring_completion_text(&completion));
}

static void test_states_in_words(void **state)
{
	const char *busy = madring_status_text(MADRING_CLASS_SMP, MADRING_STATUS_BUSY);

	assert_non_null(strstr(busy, "busy"));
	/* The direction of a directed-route SMP is no part of its status. */
	assert_ptr_equal(madring_status_text(MADRING_CLASS_SMP_DIRECTED, 0x8001), busy);
	assert_ptr_not_equal(madring_status_text(MADRING_CLASS_PMA, 0x8001), busy);
	assert_string_equal(madring_status_name(MADRING_CLASS_SA, 0x031f), "SA_NO_RECORDS");
	assert_string_equal(madring_status_name(MADRING_CLASS_PMA, 0x000b), "BAD_METHOD");
	assert_null(madring_status_name(MADRING_CLASS_PMA, 0x0300));
	assert_null(madring_status_name(MADRING_CLASS_PMA, 0x0010));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_class_names_round_trip),
	cmocka_unit_test(test_method_names_round_trip),
	cmocka_unit_test(test_attribute_names_round_trip),
	cmocka_unit_test(test_no_attribute_of_libibumad_is_missing),
	cmocka_unit_test(test_state_names_round_trip),
	cmocka_unit_test(test_error_of_a_completion),
	cmocka_unit_test(test_states_in_words),
};

TEST_MAIN(tests, NULL, NULL)
