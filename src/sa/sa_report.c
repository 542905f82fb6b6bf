/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives Reports and Traps, answers them, and hands them to the subscriptions. */
#include "sa/sa_state.h"

#include <errno.h>
#include <string.h>

#include <madring/names.h>

#define STRANGER_NS (100 * NS_PER_MS)

void notification_give(struct madring_subscription *subscription,
		       struct madring_notification *notification)
{
	struct madring_sa *sa = subscription->sa;

	if (subscription->is_ended)
		return;
	notification->user = subscription->user;
	notification->subscription = subscription;
	/* Without a callback that runs, subscriptions may be freed. */
	sa->calling++;
	subscription->callback(notification);
	sa->calling--;
}

/* Answers a Report or a Trap. Without a buffer it stays unanswered, and the sender repeats it. */
static void answer_report(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };
	struct madring_sa *sa = received->user;
	struct madring_mad *mad = madring_mad_alloc(received->agent);

	if (!mad)
		return;
	madring_response_prepare(mad, received->mad);
	if (madring_send(received->agent, mad, &send))
		madring_mad_free(sa->ring, mad);
}

/* Returns whether the same Report or Trap came before. If not, it takes the place of the oldest. */
static bool is_repeated(struct madring_sa *sa, const struct madring_mad *mad, const uint8_t *notice,
			size_t bytes)
{
	struct sa_seen seen = {
		.tid = madring_mad_const_header(mad)->tid,
		.lid = madring_mad_const_address(mad)->lid,
		.mgmt_class = madring_mad_const_header(mad)->mgmt_class,
		.at = sa_clock(),
	};

	memcpy(seen.notice, notice, bytes < REPORT_BYTES ? bytes : REPORT_BYTES);
	for (unsigned int i = 0; i < REPORTS_SEEN; i++) {
		const struct sa_seen *other = &sa->seen[i];

		/* A later one may be of an SM that has begun anew. */
		if (other->at && other->tid == seen.tid && other->lid == seen.lid &&
		    other->mgmt_class == seen.mgmt_class && seen.at - other->at < SEEN_NS &&
		    !memcmp(other->notice, seen.notice, REPORT_BYTES))
			return true;
	}
	sa->seen[sa->next_seen] = seen;
	sa->next_seen = (sa->next_seen + 1) % REPORTS_SEEN;
	return false;
}

static bool gid_is_zero(const struct madring_gid *gid)
{
	static const struct madring_gid zero;

	return !memcmp(gid, &zero, sizeof(zero));
}

/* Returns whether a notice is selected by the GID that it is about, too (IBA 13.4.8.3). */
static bool is_about_gid(const struct madring_notice *notice)
{
	return notice->trap_number >= 64 && notice->trap_number <= 67;
}

/* Returns whether a subscription selects the port that issues a notice, or that it is about. */
static bool source_matches(const struct madring_subscription_config *config,
			   const struct madring_notice *notice)
{
	struct madring_notice_details details;

	if (!gid_is_zero(&config->gid)) {
		if (!memcmp(&config->gid, &notice->issuer_gid, sizeof(config->gid)))
			return true;
		return is_about_gid(notice) && !madring_notice_details_decode(&details, notice) &&
		       !memcmp(&config->gid, &details.gid, sizeof(config->gid));
	}
	return !config->lid_begin ||
	       (notice->issuer_lid >= config->lid_begin && notice->issuer_lid <= config->lid_end);
}

/* Returns whether a subscription selects a notice. */
static bool notice_matches(const struct madring_subscription *subscription, uint8_t trap_class,
			   const struct madring_notice *notice)
{
	const struct madring_subscription_config *config = &subscription->config;

	return !subscription->is_ended && config->trap_class == trap_class &&
	       config->vendor == !notice->is_generic &&
	       (!config->trap_number || config->trap_number == notice->trap_number) &&
	       (!config->producer || config->producer == notice->producer_type) &&
	       source_matches(config, notice);
}

/* Hands a notice to the subscriptions that select it. */
static void hand_out(struct madring_sa *sa, uint8_t trap_class, const struct madring_mad *mad,
		     const struct madring_notice *notice)
{
	sa->calling++;
	for (struct madring_subscription *each = sa->subscriptions; each; each = each->next) {
		struct madring_notification notification = {
			.kind = MADRING_NOTIFICATION_NOTICE,
			.notice = notice,
			.lid = be16toh(madring_mad_const_address(mad)->lid),
			.mad = mad,
		};

		if (notice_matches(each, trap_class, notice))
			notification_give(each, &notification);
	}
	sa->calling--;
	subscriptions_sweep(sa);
}

/*
 * Returns whether the SM has a LID, or the SA that has confirmed a subscription: requests to the SM
 * may be redirected. The LMC of the SM is taken to be that of the local port.
 */
static bool is_lid_of_sa(const struct madring_sa *sa, uint16_t lid)
{
	const unsigned int first = ~0u << sa->state.lmc;

	if (sa->state.sm_lid && !((lid ^ sa->state.sm_lid) & first))
		return true;
	for (const struct madring_subscription *each = sa->subscriptions; each; each = each->next) {
		if (each->is_active && each->sa_lid && each->sa_lid == lid)
			return true;
	}
	return false;
}

/*
 * Returns whether a Report comes from the SA. If not, there may be another SM since the port was
 * looked at, so it is looked at again, but not for each Report of a flood.
 */
static bool is_from_sa(struct madring_sa *sa, const struct madring_mad *mad)
{
	const uint16_t lid = be16toh(madring_mad_const_address(mad)->lid);
	uint64_t now;

	if (is_lid_of_sa(sa, lid))
		return true;
	now = sa_clock();
	if (now < sa->stranger_at)
		return false;
	sa->stranger_at = now + STRANGER_NS;
	return !madring_sa_refresh(sa) && is_lid_of_sa(sa, lid);
}

/* Takes a Report: answers it, drops a repetition, and hands the notice to the subscriptions. */
static void on_report(const struct madring_received *received)
{
	struct madring_sa *sa = received->user;
	const struct madring_mad_hdr *header;
	struct madring_notice notice;
	size_t offset, bytes;
	bool is_trap;

	if (received->status || received->length < MADRING_MAD_BYTES)
		return;
	header = madring_mad_header(received->mad);
	if (header->attr_id != htobe16(MADRING_ATTR_NOTICE))
		return;
	is_trap = header->mgmt_class != MADRING_CLASS_SA;
	/* An SM that is not known yet repeats its Report. */
	if (!is_trap && !is_from_sa(sa, received->mad))
		return;
	offset = is_trap ? MADRING_SMP_DATA : MADRING_SA_DATA;
	bytes = is_trap ? MADRING_NOTICE_BYTES : MADRING_NOTICE_GID_BYTES;
	answer_report(received);
	if (is_repeated(sa, received->mad, (const uint8_t *)header + offset, bytes))
		return;
	if (madring_notice_decode(&notice, (const uint8_t *)header + offset, bytes))
		return;
	hand_out(sa, is_trap ? header->mgmt_class : 0, received->mad, &notice);
}

int receiver_open(struct madring_sa *sa, uint8_t trap_class)
{
	struct madring_agent_config config = {
		.mgmt_class = trap_class ? trap_class : MADRING_CLASS_SA,
		.method_mask = { 1ull << (trap_class ? MADRING_TRAP : MADRING_REPORT) },
		.receive = on_report,
		.receive_user = sa,
	};
	struct sa_receiver *receiver = sa->receivers;
	int error;

	while (receiver->agent && receiver->mgmt_class != config.mgmt_class)
		receiver++;
	if (receiver->agent)
		return 0;
	error = madring_subnet_agent_open(sa->subnet, &config, &receiver->agent);
	if (!error)
		receiver->mgmt_class = config.mgmt_class;
	return error;
}
