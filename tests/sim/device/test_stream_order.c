/* test_stream_order.c - streams and events: which orders are possible and which are not.
 *
 * On the simulator, over many seeds, every order that CUDA allows must occur, and none that it
 * forbids. On a GPU the tests run once and only check that no forbidden order occurs.
 */
#include "config.h"

#include "tests/streams.h"

START_TEST(streams_are_unordered)
{
	struct seen seen = { 0 };

	EACH_RANDOM_SEED(t) {
		FILL(t, t.s[0], t.b[0], 1);
		FILL(t, t.s[1], t.b[0], 2);
		see(&seen, final_word(&t, t.b[0]));
	}
	ck_assert_int_gt(seen.first, 0);
	ck_assert_int_gt(seen.second, 0);
	ck_assert_int_eq(seen.none, 0);
}
END_TEST

START_TEST(the_default_stream_is_unordered_too)
{
	struct seen seen = { 0 };

	EACH_RANDOM_SEED(t) {
		FILL(t, NULL, t.b[0], 1);
		FILL(t, t.s[1], t.b[0], 2);
		see(&seen, final_word(&t, t.b[0]));
	}
	ck_assert_int_gt(seen.first, 0);
	ck_assert_int_gt(seen.second, 0);
}
END_TEST

START_TEST(seed_0_runs_at_the_call)
{
	struct scene t = scene_open("sim", 0);

	FILL(t, t.s[0], t.b[0], 1);
	ck_assert_uint_eq(word_of(&t, t.s[1], t.b[0]), 1);
	FILL(t, t.s[1], t.b[0], 2);
	ck_assert_uint_eq(word_of(&t, t.s[0], t.b[0]), 2);
	device_close(t.device);
}
END_TEST

START_TEST(an_event_orders_two_streams)
{
	EACH_SEED(t) {
		FILL(t, t.s[0], t.b[0], 1);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		OK(device_event_wait(t.device, t.s[1], t.e[0]));
		FILL(t, t.s[1], t.b[0], 2);
		ck_assert_uint_eq(final_word(&t, t.b[0]), 2);
	}
}
END_TEST

/* Stream 0, then streams 1 and 2, which race on b[3], then stream 0 again. */
static void diamond(struct scene *t)
{
	FILL(*t, t->s[0], t->b[0], 7);
	OK(device_event_record(t->device, t->e[0], t->s[0]));
	for (int i = 1; i <= 2; i++) {
		OK(device_event_wait(t->device, t->s[i], t->e[0]));
		COPY(*t, t->s[i], t->b[i], t->b[0]);
		FILL(*t, t->s[i], t->b[3], (uint32_t)i);
		OK(device_event_record(t->device, t->e[i], t->s[i]));
		OK(device_event_wait(t->device, t->s[0], t->e[i]));
	}
	FILL(*t, t->s[0], t->b[0], 8);
}

START_TEST(a_diamond_of_three_streams)
{
	struct seen seen = { 0 };

	EACH_SEED(t) {
		diamond(&t);
		OK(device_sync(t.device, t.s[0]));
		ck_assert_uint_eq(word_of(&t, NULL, t.b[0]), 8);
		ck_assert_uint_eq(word_of(&t, NULL, t.b[1]), 7);
		ck_assert_uint_eq(word_of(&t, NULL, t.b[2]), 7);
		see(&seen, word_of(&t, NULL, t.b[3]));
	}
	ck_assert_int_eq(seen.none, 0);
	if (_i == 0) {
		ck_assert_int_gt(seen.first, 0);
		ck_assert_int_gt(seen.second, 0);
	}
}
END_TEST

/* A wait is for the latest record before it: a later record neither delays nor releases it. */
START_TEST(a_wait_is_for_the_latest_record)
{
	struct seen seen = { 0 };

	EACH_SEED(t) {
		FILL(t, t.s[0], t.b[0], 1);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		OK(device_event_wait(t.device, t.s[1], t.e[0]));
		COPY(t, t.s[1], t.b[1], t.b[0]);
		FILL(t, t.s[0], t.b[0], 2);
		OK(device_event_record(t.device, t.e[0], t.s[0]));
		OK(device_event_wait(t.device, t.s[2], t.e[0]));
		COPY(t, t.s[2], t.b[2], t.b[0]);
		see(&seen, final_word(&t, t.b[1]));
		ck_assert_uint_eq(word_of(&t, NULL, t.b[2]), 2);
	}
	ck_assert_int_eq(seen.none, 0);
	if (_i == 0) {
		ck_assert_int_gt(seen.first, 0);
		ck_assert_int_gt(seen.second, 0);
	}
}
END_TEST

START_TEST(waiting_for_an_unrecorded_event_does_nothing)
{
	EACH_SEED(t) {
		OK(device_event_wait(t.device, t.s[1], t.e[0]));
		OK(device_event_sync(t.device, t.e[0]));
		FILL(t, t.s[1], t.b[0], 2);
		ck_assert_uint_eq(word_of(&t, t.s[1], t.b[0]), 2);
	}
}
END_TEST

/* The order in which two launches on each of streams 0 and 1 ran, as a string of tickets. */
struct order {
	char text[8];
	int count;
};

static void note_before(void *context, void *ticket)
{
	struct order *order = context;

	order->text[order->count++] = *(const char *)ticket;
}

static void ignore_after(void *context, void *ticket, enum status status)
{
	(void)context;
	(void)ticket;
	(void)status;
}

static void run_four(uint64_t seed, int jobs, struct order *order)
{
	static const char tickets[] = "aAbB";
	const struct device_observer observer = { order, note_before, ignore_after };
	struct scene t = scene_open_jobs("sim", seed, jobs);

	memset(order, 0, sizeof *order);
	OK(device_observe(t.device, &observer));
	for (int i = 0; i < 4; i++) {
		struct copy_launch c;

		copy_launch(&c, t.b[0], t.b[i], WORDS, t.s[i / 2]);
		c.launch.ticket = (void *)(uintptr_t)&tickets[i];
		OK(device_launch(t.device, &c.launch));
	}
	OK(device_sync(t.device, NULL));
	device_close(t.device);
}

START_TEST(every_legal_order_occurs)
{
	static const char *const legal[] = { "aAbB", "abAB", "abBA", "baAB", "baBA", "bBaA" };
	int seen[6] = { 0 };

	for (uint64_t seed = 1; seed <= 256; seed++) {
		struct order order;
		int i = 0;

		run_four(seed, 1, &order);
		while (i < 6 && strcmp(order.text, legal[i]))
			i++;
		ck_assert_msg(i < 6, "seed %d ran %s", (int)seed, order.text);
		seen[i]++;
	}
	for (int i = 0; i < 6; i++)
		ck_assert_msg(seen[i] > 0, "no seed ran %s", legal[i]);
}
END_TEST

START_TEST(a_seed_gives_one_order)
{
	for (uint64_t seed = 1; seed <= 16; seed++) {
		struct order first, again;

		run_four(seed, 1, &first);
		run_four(seed, 4, &again);
		ck_assert_str_eq(first.text, again.text);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("stream order");
	int devices = test_device_count();

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, an_event_orders_two_streams, 0, devices);
	tcase_add_loop_test(tests, a_diamond_of_three_streams, 0, devices);
	tcase_add_loop_test(tests, a_wait_is_for_the_latest_record, 0, devices);
	tcase_add_loop_test(tests, waiting_for_an_unrecorded_event_does_nothing, 0, devices);
	tcase_add_test(tests, streams_are_unordered);
	tcase_add_test(tests, the_default_stream_is_unordered_too);
	tcase_add_test(tests, seed_0_runs_at_the_call);
	tcase_add_test(tests, every_legal_order_occurs);
	tcase_add_test(tests, a_seed_gives_one_order);
	return run_suite("stream order", tests);
}
