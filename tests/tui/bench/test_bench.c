/* test_bench.c - helpers of `bench --suite`: relaunching a path's launches, verdicts, medians. */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/bench/bench_sample.h"
#include "tui/bench/bench_seeds.h"
#include "tui/bench/plot.h"

enum { LAYERS = 3, SLOTS = 2, HEADS = 4, D = 8, KEYS = 21, ROW = SLOTS * HEADS * D };

static struct rig rig;

static void open_rig(void)
{
	OK(rig_open("sim", false, 3, 4096, &rig));
}

static void close_rig(void)
{
	rig_close(&rig);
}

static struct attention *make(const char *path)
{
	const struct attention_shape shape = {
		.layers = LAYERS, .slots = SLOTS, .heads = HEADS, .kv_heads = 2, .head_dim = D,
		.max_len = KEYS, .chunk = 8, .scale = attention_scale(D),
	};
	struct attention *attention;

	OK(attention_create(path_find(path), rig.device, &shape, &attention));
	return attention;
}

static int launches(const char *path, unsigned roles)
{
	struct attention *attention = make(path);
	struct launches list;
	int count;

	OK(launches_of_step(&rig, attention, KEYS, roles, &list));
	count = list.count;
	launches_free(&list);
	attention_destroy(attention);
	return count;
}

START_TEST(launches_are_counted_by_role)
{
	ck_assert_int_eq(launches("incremental", ROLES_SCATTER), 2 * LAYERS * SLOTS);
	ck_assert_int_eq(launches("incremental", ROLES_ATTEND), LAYERS * SLOTS);
	ck_assert_int_eq(launches("batched", ROLES_SCATTER), 2 * LAYERS);
	ck_assert_int_eq(launches("flash-decoding", ROLES_ATTEND), 2 * LAYERS);
	ck_assert_int_eq(launches("flash-decoding", ROLES_ATTEND | ROLES_SCATTER), 4 * LAYERS);
}
END_TEST

START_TEST(relaunching_gives_the_same_output)
{
	rig_work *const ways[] = { launches_run, launches_run_waiting };
	struct attention *attention = make("flash-decoding");
	float step[ROW], again[ROW];
	struct launches list;
	struct buffer *out;

	OK(launches_of_step(&rig, attention, KEYS, ROLES_ATTEND, &list));
	out = list.items[list.count - 1].args[1].buffer;
	ck_assert_str_eq(out->name, "out");
	OK(device_download(rig.device, NULL, out, 0, step, sizeof step));
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		OK(device_fill(rig.device, NULL, out, 0, 0, ROW));
		OK(device_sync(rig.device, NULL));
		OK(ways[i](&rig, &list));
		OK(device_sync(rig.device, NULL));
		OK(device_download(rig.device, NULL, out, 0, again, sizeof again));
		ck_assert_mem_eq(step, again, sizeof again);
	}
	launches_free(&list);
	attention_destroy(attention);
}
END_TEST

static enum status fail_once(struct rig *with, void *context)
{
	(void)with;
	(void)context;
	return fail(STATUS_USAGE, "this work fails");
}

START_TEST(a_failure_leaves_the_device_unchanged)
{
	const struct device_ops *before = rig.device->ops;
	struct launches list;
	struct rig_times times;

	ck_assert_int_eq(launches_take(&rig, ~0u, fail_once, NULL, &list), STATUS_USAGE);
	ck_assert_ptr_eq(rig.device->ops, before);
	ck_assert_int_eq(list.count, 0);
	ck_assert_int_eq(rig_time(&rig, true, fail_once, NULL, &times), STATUS_USAGE);
}
END_TEST

static enum status count_calls(struct rig *with, void *context)
{
	(void)with;
	++*(int *)context;
	return STATUS_OK;
}

START_TEST(one_extra_run_warms_up)
{
	struct rig_times times;
	int calls = 0;

	OK(rig_time(&rig, true, count_calls, &calls, &times));
	ck_assert_int_eq(calls, rig.runs + 1);
	ck_assert(times.submit >= 0 && times.submit <= times.wall);
}
END_TEST

START_TEST(buffers_are_filled_to_the_end)
{
	const struct buffer_spec spec = { "x", DTYPE_F32, 1, { (1 << 20) + 12345 } };
	struct buffer *buffer;
	uint32_t last[2];

	OK(device_alloc(rig.device, &spec, &buffer));
	OK(rig_fill_random(&rig, buffer));
	OK(device_download(rig.device, NULL, buffer, buffer->bytes - 8, last, 8));
	ck_assert_uint_ne(last[0], DEVICE_POISON);
	ck_assert_uint_ne(last[1], DEVICE_POISON);
	ck_assert_uint_ne(last[0], last[1]);
}
END_TEST

START_TEST(verdicts_follow_from_the_figures)
{
	/* Speed-ups: more is better. */
	ck_assert_int_eq(claim_verdict(1.49, 1.5, 2), NOT_REPRODUCED);
	ck_assert_int_eq(claim_verdict(1.5, 1.5, 2), REPRODUCED);
	ck_assert_int_eq(claim_verdict(2.0, 1.5, 2), REPRODUCED);
	ck_assert_int_eq(claim_verdict(2.1, 1.5, 2), BEATEN);
	/* Times: less is better. */
	ck_assert_int_eq(claim_verdict(111, 110, 90), NOT_REPRODUCED);
	ck_assert_int_eq(claim_verdict(100, 110, 90), REPRODUCED);
	ck_assert_int_eq(claim_verdict(89, 110, 90), BEATEN);
	ck_assert_int_eq(claim_verdict(NAN, 110, 90), NOT_MEASURED);
	ck_assert_str_eq(verdict_name(NOT_REPRODUCED), "not reproduced");
}
END_TEST

/* Returns the verdict on the first claim that starts with `begin`. */
static const char *verdict_on(const struct seeds_results *results, const char *begin)
{
	static char verdict[32];
	json_t *claims = seeds_claims(results), *claim;
	size_t i;

	strcpy(verdict, "no such claim");
	json_array_foreach(claims, i, claim)
		if (!strncmp(json_string_value(json_object_get(claim, "claim")), begin,
			     strlen(begin))) {
			strcpy(verdict, json_string_value(json_object_get(claim, "verdict")));
			break;
		}
	json_decref(claims);
	return verdict;
}

START_TEST(claims_get_verdicts_from_measurements)
{
	static const struct seeds_sizes sizes = {
		.heads = 32, .lengths = { 1024, 32768, 64, 200 }, .layers = 28,
	};
	struct seeds_results r = {
		.sizes = &sizes, .on_gpu = true, .info = { .multiprocessors = 132 },
		.scatter_launches = { 224, 57 }, .prefill = 20e3,
		.wait = { { .wall = 700 }, { .wall = 420 } },
		.blocks = { 28, 224 },
		.traffic = { { { 0 }, { 33e6, 1e6, 5e9 }, { 66e6, 1e6, 9e9 } },
			     { { 0 }, { 0, 1e6, 0 }, { 0, 1e6, 0 } } },
	};

	for (int c = 0; c < SEEDS_CASES; c++) {
		r.decode[c][0] = c == 0 ? 100 : 80;
		r.decode[c][1] = c == 0 ? 27000 : 319;
		r.decode[c][2] = c == 0 ? 10 : 11.5;
		r.decode[c][3] = c == 0 ? 20 : 11.5;
	}
	ck_assert_str_eq(verdict_on(&r, "split-K (chunk 128) is faster than one warp, 1024"),
			 "not reproduced");
	ck_assert_str_eq(verdict_on(&r, "split-K (chunk 128) is faster than one warp, 32768"),
			 "beaten");
	ck_assert_str_eq(verdict_on(&r, "one warp, 32,768 keys"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "flash decoding, chunk 16"), "beaten");
	ck_assert_str_eq(verdict_on(&r, "flash decoding, chunk 128"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "one warp: 32 blocks"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "scatters of a step, 4 sequences, 28 layers, one by one"),
			 "reproduced");
	ck_assert_str_eq(verdict_on(&r, "scatters of a step, 4 sequences, 28 layers, batched"),
			 "not reproduced");
	ck_assert_str_eq(verdict_on(&r, "saved per token"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "prefill"), "beaten");
	ck_assert_str_eq(verdict_on(&r, "split-K (chunk 128) takes little longer than one warp"),
			 "not reproduced");
	ck_assert_str_eq(verdict_on(&r, "split-K (chunk 128) is faster than one warp, 200"),
			 "reproduced");
	ck_assert_str_eq(verdict_on(&r, "blocks of chunks"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "host-device traffic"), "reproduced");
	ck_assert_str_eq(verdict_on(&r, "and it grows with the keys"), "reproduced");
	r.decode[0][2] = 11;
	ck_assert_str_eq(verdict_on(&r, "split-K (chunk 128) takes little longer than one warp"),
			 "reproduced");
	r.prefill = 91e3;
	ck_assert_str_eq(verdict_on(&r, "prefill"), "not reproduced");
	r.on_gpu = false;
	ck_assert_str_eq(verdict_on(&r, "prefill"), "not measured");
}
END_TEST

/* Every claim says whether an engine makes it or this project measured it. */
START_TEST(claims_say_whose_they_are)
{
	static const struct seeds_sizes sizes = { .heads = 32, .lengths = { 1024 } };
	const struct seeds_results r = { .sizes = &sizes, .on_gpu = true, .prefill = 1 };
	json_t *claims = seeds_claims(&r), *claim;
	size_t i, ours = 0;

	json_array_foreach(claims, i, claim) {
		const char *text = json_string_value(json_object_get(claim, "claim"));
		const char *of = json_string_value(json_object_get(claim, "of"));
		const char *cited = json_string_value(json_object_get(claim, "cited"));
		/* The times that no engine published. */
		bool measured = strstr("27061 us 1146 us 319 us 9.0 s", cited);

		ck_assert_msg(of && strcmp(of, measured ? "re-implementation" : "models") == 0,
			      "%s: %s", text, of);
		ours += measured;
	}
	ck_assert_uint_eq(ours, 4);
	json_decref(claims);
}
END_TEST

START_TEST(medians)
{
	ck_assert_double_eq(bench_median((double[]){ 3, 1, 2 }, 3), 2);
	ck_assert_double_eq(bench_median((double[]){ 4, 1, 3, 2 }, 4), 2.5);
}
END_TEST

/* A plot of two series, one with a gap, as text in memory. */
static char *drawn(enum plot_scale scale, double second)
{
	const double x[] = { 16, 32, 64 }, y[] = { 1, second, 100 }, peer[] = { 4, 4, 4 };
	const struct plot_series series[] = {
		{ "sim & <cuda>", x, y, 3, false }, { "peer", x, peer, 3, true },
	};
	const struct plot_limit limit = { "limit", 50 };
	const struct plot plot = {
		.title = "t", .x = { "keys", PLOT_LOG2 }, .y = { "ms", scale },
		.series = series, .series_count = 2, .limits = &limit, .limit_count = 1,
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	plot_draw(&plot, out);
	fclose(out);
	return text;
}

START_TEST(plots_place_points_by_their_axis)
{
	char *linear = drawn(PLOT_LINEAR, 10), *log = drawn(PLOT_LOG10, 10);
	char *gap = drawn(PLOT_LINEAR, NAN);

	/* Halfway between 16 and 64 on a logarithmic axis; 10 is halfway between 1 and 100. */
	ck_assert(strstr(linear, "d=\"M84.0 472.1L394.0 436.8L704.0 84.0\"") != NULL);
	ck_assert(strstr(log, "d=\"M84.0 476.0L394.0 280.0L704.0 84.0\"") != NULL);
	ck_assert(strstr(gap, "d=\"M84.0 472.1M704.0 84.0\"") != NULL);
	ck_assert(strstr(linear, ">sim &amp; &lt;cuda&gt;<") != NULL);
	ck_assert(strstr(linear, "stroke-dasharray=\"7 5\"") != NULL);
	ck_assert(strstr(linear, ">limit<") != NULL);
	free(linear);
	free(log);
	free(gap);
}
END_TEST

/* The series that share a colour, and the last line of the legend. */
START_TEST(plots_have_room_for_many_series)
{
	enum { MANY = 24 };
	const double x[] = { 1, 2 }, y[] = { 1, 2 };
	struct plot_series series[MANY];
	const struct plot plot = {
		.title = "t", .x = { "x", PLOT_LINEAR }, .y = { "y", PLOT_LINEAR },
		.series = series, .series_count = MANY,
	};
	char *text, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int circles = 0;

	for (int i = 0; i < MANY; i++)
		series[i] = (struct plot_series){ i == MANY - 1 ? "last" : "s", x, y, 2, false };
	plot_draw(&plot, out);
	fclose(out);
	at = strstr(text, ">last<");
	ck_assert(at);
	while (strncmp(at, " y=\"", 4) != 0)
		at--;
	ck_assert_double_le(strtod(at + 4, NULL), 476 + 5);
	/* Two points and the legend of each. */
	for (at = text; (at = strstr(at, "<circle")); at++)
		circles += strstr(at, "#0b4fb3") && strstr(at, "#0b4fb3") < strstr(at, "/>");
	ck_assert_int_eq(circles, 3);
	free(text);
}
END_TEST

int main(void)
{
	TCase *device = tcase_create("device"), *claims = tcase_create("claims");

	tcase_add_checked_fixture(device, open_rig, close_rig);
	tcase_add_test(device, launches_are_counted_by_role);
	tcase_add_test(device, relaunching_gives_the_same_output);
	tcase_add_test(device, a_failure_leaves_the_device_unchanged);
	tcase_add_test(device, one_extra_run_warms_up);
	tcase_add_test(device, buffers_are_filled_to_the_end);
	tcase_add_test(claims, verdicts_follow_from_the_figures);
	tcase_add_test(claims, claims_get_verdicts_from_measurements);
	tcase_add_test(claims, claims_say_whose_they_are);
	tcase_add_test(claims, medians);
	tcase_add_test(claims, plots_place_points_by_their_axis);
	tcase_add_test(claims, plots_have_room_for_many_series);
	return run_suites("bench", (TCase *[]){ device, claims }, 2);
}
