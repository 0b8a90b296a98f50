/* test_plan.c - the plan of a batch (flash_decode_plan): every split of every sequence and KV head
 * once and in order, and runs of about the same cost; with a window, of the keys that are seen.
 */
#include "config.h"

#include "tests/support.h"

#include <stdlib.h>

#include "engine/device.h"
#include "kernels/plan_rule.h"

enum { MAX_SLOTS = 40, MAX_BLOCKS = 200 };

struct batch {
	int slots, kv_heads, blocks;
	int lengths[MAX_SLOTS];
	int window, sinks;              /* window 0: none */
};

static struct buffer *new_buffer(struct device *device, const char *name, int64_t values)
{
	const struct buffer_spec spec = { name, DTYPE_I32, 1, { values } };
	struct buffer *buffer;

	OK(device_alloc(device, &spec, &buffer));
	return buffer;
}

/* The plan; the caller frees it. */
static int32_t *make_plan(const struct batch *b)
{
	int64_t units = (int64_t)b->slots * b->kv_heads * SPLITS;
	int64_t values = PLAN_HEADS(b->blocks) + PLAN_UNIT * units;
	struct buffer *lengths, *plan;
	struct device *device;
	int32_t *out = calloc((size_t)values, sizeof *out);

	ck_assert_ptr_nonnull(out);
	OK(device_open("sim", NULL, &device));
	lengths = new_buffer(device, "seq_lens", b->slots);
	plan = new_buffer(device, "plan", values);
	OK(device_upload(device, NULL, lengths, 0, b->lengths, lengths->bytes));
	OK(device_launch(device, &(struct launch){
		.kernel = kernel_find(b->window > 0 ? "flash_decode_plan_options"
				      : "flash_decode_plan"),
		.grid = { (unsigned)b->slots }, .block = { PLAN_THREADS }, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(lengths), ARG_BUFFER(plan),
					ARG_I32(b->kv_heads), ARG_I32(b->blocks),
					ARG_I32(b->window), ARG_I32(b->sinks) },
		.arg_count = b->window > 0 ? 6 : 4 }));
	OK(device_download(device, NULL, plan, 0, out, plan->bytes));
	device_close(device);
	return out;
}

/* Keys that the query of a sequence sees. */
static int keys_of(const struct batch *b, int slot)
{
	int keys = b->lengths[slot], seen = 0;

	for (int key = 0; key < keys; key++)
		seen += b->window == 0 || key >= keys - b->window || key < b->sinks;
	return seen;
}

/* Compares the units with those of the batch, one after another, and returns what they cost. */
static long long check_units(const struct batch *b, const int32_t *plan)
{
	const int32_t *unit = plan + PLAN_HEADS(b->blocks);
	long long cost = 0;
	int count = 0;

	for (int slot = 0; slot < b->slots; slot++) {
		int keys = keys_of(b, slot), each = (int)SPLIT_KEYS(keys), used = PLAN_UNITS(keys);

		for (int row = slot * b->kv_heads; row < (slot + 1) * b->kv_heads; row++)
			for (int i = 0; i < used; i++, count++, unit += PLAN_UNIT) {
				int end = (i + 1) * each < keys ? (i + 1) * each : keys;

				ck_assert_int_eq(unit[0], row);
				ck_assert_int_eq(PLAN_INDEX(unit[1]), i);
				ck_assert_int_eq(PLAN_USED(unit[1]), used);
				ck_assert_int_eq(unit[2], i * each);
				ck_assert_int_eq(unit[3], end);
				cost += PLAN_COST(unit[3] - unit[2]);
			}
	}
	ck_assert_int_eq(plan[b->blocks * PLAN_HEAD], count);
	return cost;
}

/* Runs follow each other, begin with the unit that their head repeats, and cost at most the share
 * of a block and one unit more. */
static void check_runs(const struct batch *b, const int32_t *plan, long long total)
{
	const int32_t *units = plan + PLAN_HEADS(b->blocks);

	ck_assert_int_eq(plan[0], 0);
	for (int block = 0; block < b->blocks; block++) {
		const int32_t *head = plan + block * PLAN_HEAD;
		long long cost = 0, last = 0;

		ck_assert_int_ge(head[PLAN_HEAD], head[0]);
		for (int u = head[0]; u < head[PLAN_HEAD]; u++) {
			last = PLAN_COST(units[u * PLAN_UNIT + 3] - units[u * PLAN_UNIT + 2]);
			cost += last;
		}
		ck_assert_int_le(cost - last, total / b->blocks + 1);
		if (head[PLAN_HEAD] > head[0])
			ck_assert_mem_eq(head + 4, units + head[0] * PLAN_UNIT,
					 PLAN_UNIT * sizeof *units);
	}
}

static void check_batch(const struct batch *b)
{
	int32_t *plan = make_plan(b);

	check_runs(b, plan, check_units(b, plan));
	free(plan);
}

START_TEST(plans_hold_every_split_once)
{
	static const struct batch batches[] = {
		{ 1, 8, 132, { 1024 } },                /* fewer units than blocks */
		{ 1, 1, 1, { 100000 } },
		{ 3, 2, 5, { 0, 0, 0 } },               /* no keys at all */
		{ 6, 2, 7, { 0, 1, 127, 0, 4097, 0 } },
		{ 4, 8, 132, { 65536, 500, 2049, 128 } },
	};

	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
		check_batch(&batches[i]);
}
END_TEST

START_TEST(plans_of_random_batches)
{
	srand(7);
	for (int round = 0; round < 40; round++) {
		struct batch b = { .slots = 1 + rand() % MAX_SLOTS, .kv_heads = 1 + rand() % 8,
				   .blocks = 1 + rand() % MAX_BLOCKS };

		for (int i = 0; i < b.slots; i++)
			b.lengths[i] = rand() % 4 ? rand() % (1 << rand() % 17) : 0;
		if (round % 2) {
			b.window = 1 + rand() % (1 << rand() % 14);
			b.sinks = rand() % 2 ? rand() % 300 : 0;
		}
		check_batch(&b);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("plan");

	tcase_add_test(tests, plans_hold_every_split_once);
	tcase_add_test(tests, plans_of_random_batches);
	return run_suite("plan", tests);
}
