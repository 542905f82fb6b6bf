/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports and Traps: who hears of them, and how they are answered (src/sa/sa_report.c). */
#include "unit/sa/sa_world.h"

#include <errno.h>
#include <string.h>

#define OTHER_LID 0x0050

static const struct madring_gid about_gid = { { 0xfe, 0x80, [15] = 0x77 } };
static const struct madring_gid issuer_gid = { { 0xfe, 0x80, [15] = 0x42 } };

/* Returns a notice that a port has come (trap 64), as the SA reports it. */
static struct madring_notice port_has_come(void)
{
	struct madring_notice notice = {
		.is_generic = 1,
		.type = 3,
		.producer_type = 4,
		.trap_number = 64,
		.issuer_lid = SM_LID,
		.issuer_gid = issuer_gid,
	};

	/* GIDADDR (IBA 14.2.5.1). */
	memcpy(notice.data + 6, &about_gid, sizeof(about_gid));
	return notice;
}

/* Returns a notice of a link that has changed (trap 128), of the switch at @lid. */
static struct madring_notice link_has_changed(uint16_t lid)
{
	return (struct madring_notice){
		.is_generic = 1,
		.type = 1,
		.producer_type = 2,
		.trap_number = 128,
		.issuer_lid = lid,
	};
}

static struct madring_subscription *subscribe(const struct madring_subscription_config *config,
					      madring_notification_callback callback,
					      struct sa_world_heard *heard)
{
	struct madring_subscription *subscription;

	memset(heard, 0, sizeof(*heard));
	assert_int_equal(madring_subscribe(world.sa, config, callback, heard, &subscription), 0);
	sa_world_pass(50);
	return subscription;
}

/* Returns how many Reports were answered. */
static unsigned int answered(void)
{
	return sa_world_sent(MADRING_REPORT_RESP, MADRING_ATTR_NOTICE);
}

static void report(uint64_t tid, const struct madring_notice *notice)
{
	sa_world_report(tid, SM_LID, notice);
	sa_world_pass(20);
}

static void test_a_report_is_handed_out_and_answered(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct madring_subscription *subscription;
	const struct sa_world_mad *answer;
	struct sa_world_heard heard;
	struct fake_umad sent;

	subscription = subscribe(NULL, sa_world_hear, &heard);
	sa_world_make_report(&sent, 7, SM_LID, &notice);
	fake_send(&sent);
	sa_world_pass(20);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(heard.lid, SM_LID);
	assert_ptr_equal(heard.subscription, subscription);
	assert_int_equal(heard.notice.trap_number, 64);
	assert_int_equal(heard.notice.is_generic, 1);
	assert_int_equal(heard.notice.issuer_lid, SM_LID);
	assert_memory_equal(&heard.notice.issuer_gid, &issuer_gid, sizeof(issuer_gid));
	assert_memory_equal(heard.notice.data, notice.data, sizeof(notice.data));
	assert_int_equal(answered(), 1);
	answer = sa_world_last(MADRING_REPORT_RESP, MADRING_ATTR_NOTICE);
	assert_int_equal(answer->lid, SM_LID);
	/* The answer is the Report with another method. */
	mad_header_of(sent.mad)->method = MADRING_REPORT_RESP;
	assert_memory_equal(answer->mad, sent.mad, MADRING_MAD_BYTES);
	sa_world_check_buffers();
}

static void test_a_repeated_report_is_only_answered(void **state)
{
	struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	subscribe(NULL, sa_world_hear, &heard);
	for (unsigned int i = 0; i < 3; i++)
		report(7, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answered(), 3);
	/* The next one has a TID of its own. */
	report(8, &notice);
	assert_int_equal(heard.notices, 2);
	report(7, &notice);
	report(8, &notice);
	assert_int_equal(heard.notices, 2);
	assert_int_equal(answered(), 6);
	/* An SM that begins anew may use a TID again, as may another SM. */
	notice.trap_number = 65;
	report(7, &notice);
	assert_int_equal(heard.notices, 3);
	assert_int_equal(heard.notice.trap_number, 65);
	fake_port()->sm_lid = OTHER_LID;
	sa_world_report(7, OTHER_LID, &notice);
	sa_world_pass(20);
	assert_int_equal(heard.notices, 4);
	assert_int_equal(heard.lid, OTHER_LID);
	assert_int_equal(answered(), 8);
	/* Nothing is repeated for that long. */
	fake_port()->sm_lid = SM_LID;
	sa_world_pass(10500);
	report(7, &notice);
	assert_int_equal(heard.notices, 5);
}

static void test_only_the_sa_reports(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	subscribe(NULL, sa_world_hear, &heard);
	for (unsigned int i = 1; i <= 100; i++) {
		sa_world_report(i, OTHER_LID, &notice);
		sa_world_pass(20);
	}
	assert_int_equal(heard.notices, 0);
	assert_int_equal(answered(), 0);
	report(200, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answered(), 1);
	sa_world_check_buffers();
}

static void test_the_sm_reports_from_each_of_its_lids(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	fake_port()->lmc = 2;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	subscribe(NULL, sa_world_hear, &heard);
	for (uint16_t lid = 0x3f; lid <= 0x44; lid++) {
		sa_world_report(lid, lid, &notice);
		sa_world_pass(150);
	}
	assert_int_equal(heard.notices, 4); /* SM_LID is one of 0x40 to 0x43 */
}

static void test_a_report_shows_another_sm(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	subscribe(NULL, sa_world_hear, &heard);
	fake_port()->sm_lid = OTHER_LID;
	sa_world_report(1, OTHER_LID, &notice);
	sa_world_pass(20);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(heard.subscribed, 2);
	/* The one before has ended. */
	sa_world_report(2, SM_LID, &notice);
	sa_world_pass(200);
	assert_int_equal(heard.notices, 1);
}

/* Has requests to the SM redirected to an SA elsewhere (IBA 13.5.2), which confirms. */
static void confirm_elsewhere(struct fake_umad *request)
{
	/* A ClassPortInfo: RedirectLID, RedirectP_Key, RedirectQP and RedirectQ_Key from 28 on. */
	static const uint8_t redirect[72] = {
		[28] = OTHER_LID >> 8, OTHER_LID & 0xff, 0xff, 0xff, 0, 0, 0, 1, 0x80, 1, 0, 0
	};

	if (be16toh(request->umad.addr.lid) == OTHER_LID)
		sa_world_confirm(request);
	else
		sa_world_answer(request, 0x0002, redirect, sizeof(redirect));
}

static void test_the_sa_may_be_elsewhere(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	world.respond = confirm_elsewhere;
	subscribe(NULL, sa_world_hear, &heard);
	assert_int_equal(heard.subscribed, 1);
	sa_world_report(1, OTHER_LID, &notice);
	sa_world_report(2, SM_LID, &notice);
	sa_world_report(3, OTHER_LID + 1, &notice);
	sa_world_pass(20);
	assert_int_equal(heard.notices, 2);
}

static void test_repetitions_are_known_among_many(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	subscribe(NULL, sa_world_hear, &heard);
	for (unsigned int repeated = 0; repeated < 2; repeated++) {
		for (unsigned int i = 1; i <= 64; i++)
			report(i, &notice);
		assert_int_equal(heard.notices, 64);
		assert_int_equal(answered(), 64 * (repeated + 1));
	}
}

static void test_unselected_report_is_answered(void **state)
{
	const struct madring_subscription_config config = { .trap_number = 65 };
	const struct madring_notice notice = port_has_come();
	struct madring_subscription *subscription;
	struct sa_world_heard heard;

	subscription = subscribe(&config, sa_world_hear, &heard);
	report(1, &notice);
	assert_int_equal(heard.notices, 0);
	assert_int_equal(answered(), 1);
	/* The SM may not know yet that the subscription has ended. */
	madring_unsubscribe(subscription);
	sa_world_pass(20);
	report(2, &notice);
	assert_int_equal(heard.notices, 0);
	assert_int_equal(answered(), 2);
	sa_world_check_buffers();
}

/* Checks whether a subscription selects a notice. */
static void check_selects(const struct madring_subscription_config *config,
			  const struct madring_notice *notice, bool is_selected)
{
	static uint64_t tid = 1000;
	struct sa_world_heard heard;
	struct madring_subscription *subscription = subscribe(config, sa_world_hear, &heard);

	report(++tid, notice);
	assert_int_equal(heard.notices, is_selected);
	madring_unsubscribe(subscription);
	sa_world_pass(50);
	world.log_count = 0;
}

static void test_numbers_select_notices(void **state)
{
	struct madring_subscription_config config = { 0 };
	struct madring_notice notice = port_has_come();

	check_selects(&config, &notice, true);
	config.trap_number = 64;
	check_selects(&config, &notice, true);
	config.trap_number = 65;
	check_selects(&config, &notice, false);
	config = (struct madring_subscription_config){ .producer = 4 };
	check_selects(&config, &notice, true);
	config.producer = 2;
	check_selects(&config, &notice, false);
	/* Notices of vendors' devices are others. */
	notice.is_generic = 0;
	config = (struct madring_subscription_config){ 0 };
	check_selects(&config, &notice, false);
	config.vendor = true;
	check_selects(&config, &notice, true);
	config.trap_number = 64; /* the device ID */
	config.producer = 4;	 /* the vendor ID */
	check_selects(&config, &notice, true);
	config.producer = 5;
	check_selects(&config, &notice, false);
	notice.is_generic = 1;
	config = (struct madring_subscription_config){ .vendor = true };
	check_selects(&config, &notice, false);
}

static void test_lids_select_notices(void **state)
{
	const struct madring_subscription_config config = { .lid_begin = 5, .lid_end = 9 };
	static const struct {
		uint16_t lid;
		bool is_selected;
	} cases[] = { { 4, false }, { 5, true }, { 7, true }, { 9, true }, { 10, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct madring_notice notice = link_has_changed(cases[i].lid);

		check_selects(&config, &notice, cases[i].is_selected);
	}
}

static void test_gids_select_notices(void **state)
{
	struct madring_notice notice = port_has_come();
	struct madring_subscription_config config = { .gid = about_gid };
	struct madring_notice_details details;

	for (uint16_t trap = 64; trap <= 67; trap++) {
		notice.trap_number = trap;
		check_selects(&config, &notice, true);
	}
	/* Traps 257 to 259 have GIDs, too, but are not selected by them (IBA 13.4.8.3). */
	for (uint16_t trap = 257; trap <= 259; trap++) {
		notice.trap_number = trap;
		memset(notice.data, 0, sizeof(notice.data));
		memcpy(notice.data + (trap == 259 ? 16 : 18), &about_gid, sizeof(about_gid));
		assert_int_equal(madring_notice_details_decode(&details, &notice), 0);
		assert_memory_equal(&details.gid, &about_gid, sizeof(about_gid));
		check_selects(&config, &notice, false);
	}
	config.gid = issuer_gid;
	check_selects(&config, &notice, true);
	notice = port_has_come();
	check_selects(&config, &notice, true);
	notice.issuer_gid = about_gid;
	check_selects(&config, &notice, false);
	/* The details of a vendor's notice are unknown. */
	notice = port_has_come();
	notice.is_generic = 0;
	config = (struct madring_subscription_config){ .gid = about_gid, .vendor = true };
	check_selects(&config, &notice, false);
}

static void test_notice_reaches_every_subscription_that_selects_it(void **state)
{
	const struct madring_subscription_config link_states = { .trap_number = 128 };
	const struct madring_notice come = port_has_come(), changed = link_has_changed(9);
	struct sa_world_heard one, two, three;

	subscribe(NULL, sa_world_hear, &one);
	subscribe(NULL, sa_world_hear, &two);
	subscribe(&link_states, sa_world_hear, &three);
	report(1, &come);
	assert_int_equal(one.notices, 1);
	assert_int_equal(two.notices, 1);
	assert_int_equal(three.notices, 0);
	report(2, &changed);
	assert_int_equal(one.notices, 2);
	assert_int_equal(two.notices, 2);
	assert_int_equal(three.notices, 1);
	assert_int_equal(answered(), 2);
}

/* Spoils a Report. */
static void spoil(struct fake_umad *umad, unsigned int what)
{
	struct madring_mad_hdr *header = mad_header_of(umad->mad);

	switch (what) {
	case 0: /* cut within the Notice */
		umad->length = sizeof(struct ib_user_mad) + MADRING_SA_DATA + 40;
		break;
	case 1: /* the same, of a version that may be cut */
		umad->length = sizeof(struct ib_user_mad) + MADRING_SA_DATA + 40;
		header->base_version = MADRING_LARGE_BASE_VERSION;
		break;
	case 2: /* cut after its header */
		umad->length = sizeof(struct ib_user_mad) + sizeof(*header);
		header->base_version = MADRING_LARGE_BASE_VERSION;
		break;
	case 3: /* cut within its header */
		umad->length = sizeof(struct ib_user_mad) + 12;
		break;
	case 4:
		header->attr_id = htobe16(MADRING_ATTR_INFORM_INFO);
		break;
	case 5:
		header->attr_id = 0;
		break;
	case 6: /* a response, to nothing */
		header->method = MADRING_REPORT_RESP;
		break;
	default: /* a segment of a message */
		umad->mad[24] = MADRING_RMPP_VERSION;
		umad->mad[25] = MADRING_RMPP_DATA;
		umad->mad[26] = MADRING_RMPP_ACTIVE;
		umad->length = sizeof(struct ib_user_mad) + MADRING_SA_DATA + 40;
		break;
	}
}

#define SPOILED 8u

static void test_a_malformed_report_is_dropped(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;
	struct fake_umad umad;

	subscribe(NULL, sa_world_hear, &heard);
	for (unsigned int what = 0; what < SPOILED; what++) {
		sa_world_make_report(&umad, 100 + what, SM_LID, &notice);
		spoil(&umad, what);
		fake_send(&umad);
		sa_world_pass(20);
		if (heard.notices || answered())
			fail_msg("case %u: %u heard, %u answered", what, heard.notices, answered());
	}
	report(1, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answered(), 1);
	sa_world_check_buffers();
}

static void test_a_report_may_have_any_bytes(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;
	struct fake_umad umad;

	subscribe(NULL, sa_world_hear, &heard);
	for (unsigned int byte = 0; byte < 256; byte++) {
		sa_world_make_report(&umad, 1 + byte, SM_LID, &notice);
		memset(umad.mad + MADRING_SA_DATA, (int)byte, MADRING_MAD_BYTES - MADRING_SA_DATA);
		fake_send(&umad);
		sa_world_pass(5);
	}
	assert_int_equal(answered(), 256);
	/* The first bit tells whether a notice is generic. */
	assert_int_equal(heard.notices, 128);
	sa_world_check_buffers();
}

static void test_without_a_buffer_the_repetition_is_answered(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	subscribe(NULL, sa_world_hear, &heard);
	sa_world_take_buffers();
	report(1, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answered(), 0);
	sa_world_give_buffers();
	report(1, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answered(), 1);
	sa_world_check_buffers();
}

static struct madring_subscription *both[2];

static void on_notice_that_ends_both(const struct madring_notification *notification)
{
	sa_world_hear(notification);
	if (notification->kind != MADRING_NOTIFICATION_NOTICE)
		return;
	madring_unsubscribe(both[0]);
	madring_unsubscribe(both[1]);
}

static void test_a_callback_may_end_all(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard one, two;

	both[0] = subscribe(NULL, on_notice_that_ends_both, &one);
	both[1] = subscribe(NULL, on_notice_that_ends_both, &two);
	report(1, &notice);
	assert_int_equal(one.notices + two.notices, 1);
	report(2, &notice);
	assert_int_equal(one.notices + two.notices, 1);
	assert_int_equal(answered(), 2);
	sa_world_check_buffers();
}

static struct sa_world_heard later;

static void on_answer(struct madring_sa_answer *answer)
{
	unsigned int *count = answer->user;

	++*count;
}

static unsigned int answers;

/* Does what a callback may, and what it may not. */
static void on_notice_that_asks(const struct madring_notification *notification)
{
	const struct madring_sa_request query = { .attr_id = MADRING_ATTR_INFORM_INFO,
						  .method = MADRING_SET };
	struct madring_subscription *subscription;

	sa_world_hear(notification);
	if (notification->kind != MADRING_NOTIFICATION_NOTICE)
		return;
	assert_int_equal(madring_sa_close(world.sa), -EBUSY);
	assert_int_equal(madring_sa_query(world.sa, &query, on_answer, &answers), 0);
	assert_int_equal(madring_subscribe(world.sa, NULL, sa_world_hear, &later, &subscription),
			 0);
}

static void test_a_callback_may_ask_and_subscribe(void **state)
{
	const struct madring_notice notice = port_has_come();
	struct sa_world_heard heard;

	answers = 0;
	memset(&later, 0, sizeof(later));
	subscribe(NULL, on_notice_that_asks, &heard);
	report(1, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(answers, 1);
	assert_int_equal(later.subscribed, 1);
	assert_int_equal(later.notices, 0);
	sa_world_check_buffers();
}

/* Sends a Trap of a class to the local port. */
static void trap(uint64_t tid, uint8_t mgmt_class, const struct madring_notice *notice)
{
	struct fake_umad umad;

	assert_true(fake_request(&umad, mgmt_class, MADRING_TRAP, tid));
	mad_header_of(umad.mad)->attr_id = htobe16(MADRING_ATTR_NOTICE);
	assert_int_equal(
		madring_notice_encode(umad.mad + MADRING_SMP_DATA, MADRING_NOTICE_BYTES, notice),
		0);
	umad.umad.addr.lid = htobe16(9);
	fake_send(&umad);
	sa_world_pass(20);
}

static void test_a_trap_is_handed_out_and_repressed(void **state)
{
	static const uint8_t classes[] = { 0x01, 0x04, 0x05, 0x06 };
	const struct madring_notice notice = link_has_changed(9);
	struct sa_world_heard reports, heard[4];
	const struct sa_world_mad *answer;

	subscribe(NULL, sa_world_hear, &reports);
	for (size_t i = 0; i < sizeof(classes); i++) {
		const struct madring_subscription_config config = { .trap_class = classes[i] };

		subscribe(&config, sa_world_hear, &heard[i]);
	}
	for (size_t i = 0; i < sizeof(classes); i++) {
		/* The TID is the same: each class counts its own. */
		trap(7, classes[i], &notice);
		trap(7, classes[i], &notice);
		assert_int_equal(heard[i].notices, 1);
		assert_int_equal(heard[i].lid, 9);
		assert_int_equal(heard[i].notice.trap_number, 128);
		assert_int_equal(sa_world_sent(MADRING_TRAP_REPRESS, MADRING_ATTR_NOTICE),
				 2 * (i + 1));
		answer = sa_world_last(MADRING_TRAP_REPRESS, MADRING_ATTR_NOTICE);
		assert_int_equal(answer->lid, 9);
		assert_int_equal(answer->mad[1], classes[i]);
		assert_int_equal(be64toh(((const struct madring_mad_hdr *)answer->mad)->tid), 7);
	}
	assert_int_equal(reports.notices, 0);
	report(7, &notice);
	assert_int_equal(reports.notices, 1);
	for (size_t i = 0; i < sizeof(classes); i++)
		assert_int_equal(heard[i].notices, 1);
	assert_int_equal(answered(), 1);
	sa_world_check_buffers();
}

static void test_a_trap_is_selected_as_a_report_is(void **state)
{
	const struct madring_subscription_config config = {
		.trap_class = MADRING_CLASS_PMA, .trap_number = 128, .lid_begin = 9, .lid_end = 9
	};
	struct madring_notice notice = link_has_changed(9);
	struct sa_world_heard heard;

	subscribe(&config, sa_world_hear, &heard);
	trap(1, MADRING_CLASS_PMA, &notice);
	assert_int_equal(heard.notices, 1);
	notice.trap_number = 129;
	trap(2, MADRING_CLASS_PMA, &notice);
	notice = link_has_changed(10);
	trap(3, MADRING_CLASS_PMA, &notice);
	assert_int_equal(heard.notices, 1);
	assert_int_equal(sa_world_sent(MADRING_TRAP_REPRESS, MADRING_ATTR_NOTICE), 3);
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_a_report_is_handed_out_and_answered),
	SA_TEST(test_a_repeated_report_is_only_answered),
	SA_TEST(test_only_the_sa_reports),
	SA_TEST(test_the_sm_reports_from_each_of_its_lids),
	SA_TEST(test_a_report_shows_another_sm),
	SA_TEST(test_the_sa_may_be_elsewhere),
	SA_TEST(test_repetitions_are_known_among_many),
	SA_TEST(test_unselected_report_is_answered),
	SA_TEST(test_numbers_select_notices),
	SA_TEST(test_lids_select_notices),
	SA_TEST(test_gids_select_notices),
	SA_TEST(test_notice_reaches_every_subscription_that_selects_it),
	SA_TEST(test_a_malformed_report_is_dropped),
	SA_TEST(test_a_report_may_have_any_bytes),
	SA_TEST(test_without_a_buffer_the_repetition_is_answered),
	SA_TEST(test_a_callback_may_end_all),
	SA_TEST(test_a_callback_may_ask_and_subscribe),
	SA_TEST(test_a_trap_is_handed_out_and_repressed),
	SA_TEST(test_a_trap_is_selected_as_a_report_is),
};

TEST_MAIN(tests, NULL, NULL)
