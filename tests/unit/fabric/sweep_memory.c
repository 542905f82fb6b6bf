/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep, or an update, of which any one allocation fails returns -ENOMEM and no fabric, and
 * leaves no memory behind. The subnet and the batch below take the place of those of the libraries.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/umad.h>
#include <madring/batch.h>
#include <madring/subnet.h>

#include "fake_fabric.h"
#include "unit/failing.h"

#define IN_FLIGHT 8

struct madring_batch {
	struct madring_batch_config config;
	struct madring_batch_state state;
	void *in_flight[IN_FLIGHT];
};

static struct fake fake;

/*
 * A buffer for a MAD, with the umad header before it. Other handles are only passed on, and point
 * here, too.
 */
static _Alignas(8) uint8_t buffer[sizeof(struct ib_user_mad) + FAKE_MAD_BYTES];
static struct madring_mad *const mad = (struct madring_mad *)buffer;
static struct madring_subnet *const subnet = (struct madring_subnet *)buffer;

int madring_subnet_agent(struct madring_subnet *of, uint8_t mgmt_class,
			 struct madring_agent **agent)
{
	*agent = (struct madring_agent *)of;
	return 0;
}

struct madring *madring_subnet_ring(struct madring_subnet *of)
{
	return (struct madring *)buffer;
}

uint64_t madring_subnet_node_guid(const struct madring_subnet *of)
{
	return fake.local->info.node_guid;
}

int madring_batch_start_sized(struct madring_agent *agent,
			      const struct madring_batch_config *config, size_t config_size,
			      size_t send_size, struct madring_batch **batch)
{
	assert_int_equal(config_size, sizeof(*config));
	assert_int_equal(send_size, sizeof(struct madring_send_options));
	*batch = calloc(1, sizeof(**batch));
	if (!*batch)
		return -ENOMEM;
	(*batch)->config = *config;
	return 0;
}

void madring_batch_via(struct madring_batch *batch, struct madring_agent *agent)
{
}

void madring_batch_get_state_sized(const struct madring_batch *batch,
				   struct madring_batch_state *state, size_t state_size)
{
	assert_int_equal(state_size, sizeof(*state));
	*state = batch->state;
}

static bool is_stopped(const struct madring_batch *batch)
{
	return batch->state.error || batch->state.canceled;
}

/* Takes requests until the batch is full, has none for now, or fails. */
static void pull(struct madring_batch *batch)
{
	while (batch->state.in_flight < IN_FLIGHT && !is_stopped(batch)) {
		struct madring_send_options send = { 0 };
		int result = batch->config.next(batch->config.user, batch, mad, &send);

		if (result < 0)
			batch->state.error = result;
		if (result <= 0)
			break;
		batch->in_flight[batch->state.in_flight++] = send.user;
	}
}

/* Gives the last request that was taken its outcome. */
static void end_one(struct madring_batch *batch)
{
	struct query *query = batch->in_flight[--batch->state.in_flight];
	struct madring_completion completion = { .user = query, .mad = mad };
	size_t length = 0;

	if (is_stopped(batch))
		completion.status = -ECANCELED;
	else if (!fake_reply(&fake, query, madring_mad_data(mad), &length))
		completion.status = -ETIMEDOUT;
	completion.length = (uint32_t)length;
	batch->config.done(batch->config.user, &completion);
}

int madring_batch_run(struct madring_batch *batch)
{
	do {
		pull(batch);
		if (batch->state.in_flight)
			end_one(batch);
	} while (batch->state.in_flight || batch->config.watch(batch->config.user, batch) >= 0);
	return batch->state.error;
}

int madring_batch_cancel(struct madring_batch *batch)
{
	batch->state.canceled = true;
	return (int)batch->state.in_flight;
}

int madring_batch_end(struct madring_batch *batch)
{
	free(batch);
	return 0;
}

int madring_dispatch(struct madring *ring, unsigned int budget)
{
	return 0;
}

static unsigned int problems_told;

static void count_problem(void *user, const struct madring_problem *problem)
{
	assert_int_equal(problem->kind, MADRING_PROBLEM_CONFLICT);
	problems_told++;
}

static struct madring_fabric *expect_whole(const struct madring_sweep_config *config)
{
	struct madring_fabric *fabric;

	assert_int_equal(madring_sweep(subnet, config, &fabric), 0);
	assert_non_null(fabric);
	return fabric;
}

/* Fails each allocation in turn. Returns how many there are. */
static unsigned int fail_each(const struct madring_sweep_config *config)
{
	struct madring_fabric *expected = expect_whole(config), *fabric;
	long before = living_allocations;
	unsigned int fail = 0;
	int error;

	do {
		fabric = expected;
		problems_told = 0;
		fail_at = ++fail;
		error = madring_sweep(subnet, config, &fabric);
		assert_int_equal(error, fail_at ? 0 : -ENOMEM);
		if (error) {
			assert_null(fabric);
			assert_int_equal(living_allocations, before);
		}
	} while (error);
	fail_at = 0;
	assert_int_equal(madring_fabric_problem_count(fabric), problems_told);
	assert_int_equal(madring_fabric_is_complete(fabric), !problems_told);
	assert_int_equal(madring_fabric_compare(expected, fabric, NULL, NULL), 0);
	madring_fabric_free(fabric);
	assert_int_equal(living_allocations, before);
	madring_fabric_free(expected);
	return fail - 1;
}

static void test_directed(void **state)
{
	fake_fat_tree(&fake, 1, 4, 3);
	/* The fabric, its list, each node, each query, the sweep, its run and batch, the order. */
	assert_true(fail_each(NULL) > 2 + 11 + 11 * 3 + 7 * 8 + 4);
	assert_int_equal(fake.asked_by_lid, 0);
	assert_int_equal(problems_told, 0);
}

static void test_by_lid(void **state)
{
	const struct madring_sweep_config config = { .lid_routed = true };

	fake_fat_tree(&fake, 1, 4, 3);
	fail_each(&config);
	assert_true(fake.asked_by_lid > 0);
}

static void test_conflicts(void **state)
{
	const struct madring_sweep_config config = { .on_problem = count_problem };

	fake_fat_tree(&fake, 1, 4, 3);
	for (unsigned int n = 1; n < fake.count; n++)
		if (fake.node[n].info.type == MADRING_NODE_CA)
			fake.node[n].info.node_guid = 0x123456;
	fail_each(&config);
	assert_int_equal(problems_told, 2);
}

static bool is_updated(const struct madring_fabric *fabric)
{
	struct madring_sweep_state state;

	madring_fabric_get_sweep_state(fabric, &state);
	assert_false(state.doubtful);
	return state.recalled > 0;
}

/*
 * Moves the host of leaf 3 to leaf 2, and looks at the switches with the GUIDs. Each allocation of
 * the update fails in turn. Returns whether it recalled what it did not look at.
 */
static bool update_moved_host(const uint64_t *guids, size_t count)
{
	struct fake_node *from, *to, *host;
	const struct madring_node *nodes[2];
	struct madring_fabric *earlier, *updated, *whole;
	long before;
	int error;

	fake_fat_tree(&fake, 1, 4, 3);
	earlier = expect_whole(NULL);
	from = fake_leaf(&fake, 3);
	to = fake_leaf(&fake, 2);
	host = from->port[1].peer;
	from->port[1] = (struct fake_port){ 0 };
	fake_cable(to, 6, host, 1);
	whole = expect_whole(NULL);
	for (size_t i = 0; i < count; i++)
		nodes[i] = madring_fabric_node_by_guid(earlier, guids[i]);
	before = living_allocations;
	for (unsigned int fail = 1;; fail++) {
		fail_at = fail;
		error = madring_fabric_update(subnet, earlier, nodes, count, NULL, &updated);
		if (!error)
			break;
		assert_int_equal(error, -ENOMEM);
		assert_int_equal(fail_at, 0);
		assert_null(updated);
		assert_int_equal(living_allocations, before);
	}
	fail_at = 0;
	error = is_updated(updated);
	assert_true(madring_fabric_is_complete(updated));
	assert_int_equal(madring_fabric_compare(whole, updated, NULL, NULL), 0);
	madring_fabric_free(earlier);
	madring_fabric_free(whole);
	madring_fabric_free(updated);
	return error;
}

static void test_update(void **state)
{
	/* The GUIDs are those of leaf 2 and leaf 3. */
	const uint64_t guids[] = { 0x400, 0x500 };

	assert_true(update_moved_host(guids, 2));
}

/* The link to the host at its old place is recalled, and contradicts the new one. */
static void test_doubtful_update(void **state)
{
	const uint64_t guids[] = { 0x400 };

	assert_false(update_moved_host(guids, 1));
}

static void test_refused_updates(void **state)
{
	struct madring_fabric *earlier, *other, *updated;
	const struct madring_node *node;
	const struct madring_node *const *nodes = &node;
	struct madring_sweep_config config = { .look_at = nodes, .look_at_count = 1 };

	fake_fat_tree(&fake, 1, 4, 3);
	earlier = expect_whole(NULL);
	other = expect_whole(NULL);
	node = madring_fabric_node(other, 0);
	fake.asked = 0;
	assert_int_equal(madring_sweep(subnet, &config, &updated), -EINVAL);
	assert_int_equal(madring_fabric_update(subnet, earlier, nodes, 1, &config, &updated),
			 -EINVAL);
	assert_int_equal(madring_fabric_update(subnet, earlier, nodes, 1, NULL, &updated), -EINVAL);
	assert_int_equal(madring_fabric_update(subnet, earlier, NULL, 1, NULL, &updated), -EINVAL);
	assert_int_equal(madring_fabric_update(subnet, NULL, NULL, 0, NULL, &updated), -EINVAL);
	config = (struct madring_sweep_config){ .lid_routed = true };
	assert_int_equal(madring_fabric_update(subnet, earlier, NULL, 0, &config, &updated),
			 -EINVAL);
	config = (struct madring_sweep_config){ .deadline_ms = -1 };
	assert_int_equal(madring_fabric_update(subnet, earlier, NULL, 0, &config, &updated),
			 -EINVAL);
	assert_null(updated);
	assert_int_equal(fake.asked, 0);
	madring_fabric_free(earlier);
	madring_fabric_free(other);
}

/* Ends a sweep that has not run. */
static void test_given_up(void **state)
{
	struct madring_discovery *sweep;
	struct madring_fabric *fabric;
	long before = living_allocations;

	fake_fat_tree(&fake, 1, 4, 3);
	for (unsigned int fail = 1;; fail++) {
		fail_at = fail;
		if (!madring_sweep_start(subnet, NULL, &sweep))
			break;
		assert_int_equal(fail_at, 0);
		assert_int_equal(living_allocations, before);
	}
	fail_at = 0;
	assert_int_equal(madring_sweep_end(sweep, &fabric), 0);
	assert_non_null(fabric);
	assert_false(madring_fabric_is_complete(fabric));
	madring_fabric_free(fabric);
	assert_int_equal(living_allocations, before);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_directed),	cmocka_unit_test(test_by_lid),
	cmocka_unit_test(test_conflicts),	cmocka_unit_test(test_update),
	cmocka_unit_test(test_doubtful_update), cmocka_unit_test(test_refused_updates),
	cmocka_unit_test(test_given_up),
};

TEST_MAIN(tests, NULL, NULL)
