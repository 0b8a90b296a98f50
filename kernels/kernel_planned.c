/* kernel_planned.c - kernel table entries of the ladder's kernels with a plan: flash_decode_plan,
 * which makes it, and those whose blocks attend to runs of splits, as it says.
 */
#include "kernels/kernel_options.h"
#include "kernels/plan_rule.h"

/* --- flash_decode_plan(seq_lens, plan, Hkv, blocks), grid (M); and flash_decode_plan_options, with
 *     window and sinks at the end --- */

enum { PLAN_SEQ_LENS, PLAN_PLAN, PLAN_HKV, PLAN_BLOCKS, PLAN_WINDOW, PLAN_SINKS };

/* What a plan of sequences has whose query sees all but those that a window leaves out. */
static void plan_written(const struct kernel_call *call, int64_t window, int64_t sinks,
			 kernel_extent_fn *extent, void *context)
{
	uint64_t units = 0;

	for (unsigned m = 0; m < call->grid.x; m++) {
		int64_t keys = (int64_t)length_at(call, PLAN_SEQ_LENS, m);

		keys -= SPLIT_GAP(keys, window, sinks);
		units += value_of(call, PLAN_HKV) * (uint64_t)PLAN_UNITS(keys);
	}
	extent(context, PLAN_PLAN, 0,
	       ((uint64_t)PLAN_HEADS(value_of(call, PLAN_BLOCKS)) + PLAN_UNIT * units)
	       * sizeof(int32_t));
}

static void plan_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	plan_written(call, 0, 0, extent, context);
}

static void plan_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, PLAN_SEQ_LENS, 0, call->grid.x * sizeof(int32_t));
}

const struct kernel kernel_flash_decode_plan = {
	CUDA_C_KERNEL(flash_decode_plan),
	.summary = "rung 9: plans which block attends to which splits of a batch",
	.role = ROLE_NONE, .independent = true, .max_threads = PLAN_THREADS,
	.writes = plan_writes, .reads = plan_reads,
};

static void plan_options_writes(const struct kernel_call *call, kernel_extent_fn *extent,
				void *context)
{
	plan_written(call, (int64_t)value_of(call, PLAN_WINDOW),
		     (int64_t)value_of(call, PLAN_SINKS), extent, context);
}

const struct kernel kernel_flash_decode_plan_options = {
	CUDA_C_KERNEL(flash_decode_plan_options),
	.summary = "flash_decode_plan with a window and sinks",
	.role = ROLE_NONE, .independent = true, .max_threads = PLAN_THREADS,
	.writes = plan_options_writes, .reads = plan_reads,
};

/* --- flash_decode_planned(q, k, v, partials, plan, H, Hkv, D, max_len, stride, scale), and
 *     flash_decode_fused, with out and tickets after partials; of e4m3 with k_scale and v_scale at
 *     the end; grid (blocks) --- */

struct planned_params {
	struct ladder_params ladder;
	int plan;
};

/* There are no lengths: the plan has them. */
#define PLANNED_PARAMS(element, scales) \
	{ { { 0, 1, 2, 3, -1, 7, 8, 9, element }, 5, 6, scales }, 4 }
#define FUSED_PARAMS(element, scales) \
	{ { { 0, 1, 2, 3, -1, 9, 10, 11, element }, 7, 8, scales }, 6 }
static const struct planned_params planned_params = PLANNED_PARAMS(sizeof(float), 0);
static const struct planned_params planned_params_16 = PLANNED_PARAMS(2, 0);
static const struct planned_params planned_params_e4m3 = PLANNED_PARAMS(1, 11);
static const struct planned_params fused_params = FUSED_PARAMS(sizeof(float), 0);
static const struct planned_params fused_params_16 = FUSED_PARAMS(2, 0);
static const struct planned_params fused_params_e4m3 = FUSED_PARAMS(1, 13);
enum { FUSED_OUT = 4, FUSED_TICKETS };

/* Sequences, of which the partials [M, H, SPLITS, D + 2] tell how many there are. */
static uint64_t planned_slots(const struct kernel_call *call, const struct ladder_params *p)
{
	uint64_t row = (value_of(call, p->partials.D) + 2) * SPLITS * sizeof(float);
	uint64_t heads = value_of(call, p->H);

	return heads > 0 ? value_of(call, p->partials.partials) / row / heads : 0;
}

static void writes_planned(const struct kernel_call *call, const struct planned_params *p,
			   kernel_extent_fn *extent, void *context)
{
	const struct ladder_params *l = &p->ladder;

	extent(context, l->partials.partials, 0,
	       planned_slots(call, l) * value_of(call, l->H) * SPLITS
	       * (value_of(call, l->partials.D) + 2) * sizeof(float));
}

/* The keys and values of one unit of the plan. */
static void reads_unit(const struct kernel_call *call, const struct planned_params *p,
		       uint64_t first, kernel_extent_fn *extent, void *context)
{
	uint64_t unit_row = length_at(call, p->plan, first);
	uint64_t Hkv = value_of(call, p->ladder.Hkv);

	if (Hkv > 0)
		cache_rows_read(call, &p->ladder, (struct rows){
			unit_row / Hkv, unit_row % Hkv, 1, length_at(call, p->plan, first + 2),
			length_at(call, p->plan, first + 3) }, extent, context);
}

typedef void reads_unit_fn(const struct kernel_call *call, const struct planned_params *p,
			   uint64_t first, kernel_extent_fn *extent, void *context);

static void reads_units(const struct kernel_call *call, const struct planned_params *p,
			reads_unit_fn *reads_one, kernel_extent_fn *extent, void *context)
{
	uint64_t blocks = call->grid.x, heads = (uint64_t)PLAN_HEADS(blocks);
	uint64_t room = value_of(call, p->plan) / sizeof(int32_t);
	uint64_t units = length_at(call, p->plan, blocks * PLAN_HEAD);
	uint64_t most = room > heads ? (room - heads) / PLAN_UNIT : 0;

	if (units > most)
		units = most;
	extent(context, p->ladder.partials.q, 0,
	       planned_slots(call, &p->ladder) * value_of(call, p->ladder.H)
	       * value_of(call, p->ladder.partials.D) * sizeof(float));
	extent(context, p->plan, 0, (heads + units * PLAN_UNIT) * sizeof(int32_t));
	for (uint64_t u = 0; u < units; u++)
		reads_one(call, p, heads + u * PLAN_UNIT, extent, context);
	scales_read(call, &p->ladder, extent, context);
}

static void reads_planned(const struct kernel_call *call, const struct planned_params *p,
			  kernel_extent_fn *extent, void *context)
{
	reads_units(call, p, reads_unit, extent, context);
}

static void planned_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_planned(call, &planned_params, extent, context);
}

LADDER_READS(planned_reads, reads_planned, &planned_params)
LADDER_READS(planned_reads_16, reads_planned, &planned_params_16)
LADDER_READS(planned_reads_e4m3, reads_planned, &planned_params_e4m3)

/* Points of a thread in the longest run that a plan can give a block, whatever the lengths are: all
 * units, or as many as cost the share of a block and one unit more. The first tile of a warp in a
 * unit costs at least PLAN_COST(1), and each one more SPLIT_STEP. */
static unsigned points_of_run(const struct kernel_call *call, const struct planned_params *p)
{
	const struct ladder_params *l = &p->ladder;
	uint64_t max_len = value_of(call, l->partials.max_len);
	uint64_t step = (uint64_t)SPLIT_STEP(value_of(call, l->partials.D));
	uint64_t blocks = call->grid.x ? call->grid.x : 1;
	uint64_t splits = (max_len + SPLIT_UNIT - 1) / SPLIT_UNIT, cost, tiles, all;
	uint64_t rows = planned_slots(call, l) * value_of(call, l->Hkv);

	if (splits > SPLITS)
		splits = SPLITS;
	cost = rows * (max_len + splits * PLAN_OVERHEAD) / blocks
		+ (uint64_t)PLAN_COST(SPLIT_KEYS((int64_t)max_len));
	tiles = cost / PLAN_COST(1) + cost / step + 1;
	all = rows * splits * split_tiles(call, l);
	return tiles_points(call, l, all < tiles ? all : tiles);
}

static unsigned planned_points(const struct kernel_call *call)
{
	return points_of_run(call, &planned_params);
}

const struct kernel kernel_flash_decode_planned = {
	CUDA_C_KERNEL(flash_decode_planned),
	.summary = "rung 9: blocks that attend to runs of splits, by a plan on the device",
	.role = ROLE_CHUNK, .independent = true, .programmatic = true,
	.max_threads = 32 * SPLIT_WARPS,
	.writes = planned_writes, .reads = planned_reads, .points = planned_points,
};

static void fused_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t slots = planned_slots(call, &fused_params.ladder);

	writes_planned(call, &fused_params, extent, context);
	extent(context, FUSED_OUT, 0, slots * value_of(call, fused_params.ladder.H)
	       * value_of(call, fused_params.ladder.partials.D) * sizeof(float));
	extent(context, FUSED_TICKETS, 0,
	       slots * value_of(call, fused_params.ladder.Hkv) * sizeof(uint32_t));
}

static void reads_fused(const struct kernel_call *call, const struct planned_params *p,
			kernel_extent_fn *extent, void *context)
{
	reads_planned(call, p, extent, context);
	extent(context, FUSED_TICKETS, 0, planned_slots(call, &p->ladder)
	       * value_of(call, p->ladder.Hkv) * sizeof(uint32_t));
}
LADDER_READS(fused_reads, reads_fused, &fused_params)
LADDER_READS(fused_reads_16, reads_fused, &fused_params_16)
LADDER_READS(fused_reads_e4m3, reads_fused, &fused_params_e4m3)

static unsigned fused_points(const struct kernel_call *call)
{
	return points_of_run(call, &fused_params);
}

const struct kernel kernel_flash_decode_fused = {
	CUDA_C_KERNEL(flash_decode_fused),
	.summary = "rung 10: one launch, whose last block of a KV head merges its splits",
	.role = ROLE_CHUNK, .programmatic = true, .max_threads = 32 * SPLIT_WARPS,
	.writes = fused_writes, .reads = fused_reads, .points = fused_points,
};

#define PLANNED(kernel_name, type, reads) \
	LADDER_NARROW(kernel_name, 9, type, planned_writes, reads, planned_points, \
		      .independent = true, .programmatic = true)
#define FUSED(kernel_name, type, reads) \
	LADDER_NARROW(kernel_name, 10, type, fused_writes, reads, fused_points, \
		      .programmatic = true)

PLANNED(flash_decode_planned_tensor, f16, planned_reads_16);
PLANNED(flash_decode_planned_tensor, bf16, planned_reads_16);
PLANNED(flash_decode_planned_tensor, e4m3, planned_reads_e4m3);
PLANNED(flash_decode_planned_tensor_pair, f16, planned_reads_16);
PLANNED(flash_decode_planned_tensor_pair, bf16, planned_reads_16);
PLANNED(flash_decode_planned_tensor_pair, e4m3, planned_reads_e4m3);
FUSED(flash_decode_fused_tensor, f16, fused_reads_16);
FUSED(flash_decode_fused_tensor, bf16, fused_reads_16);
FUSED(flash_decode_fused_tensor, e4m3, fused_reads_e4m3);
FUSED(flash_decode_fused_tensor_pair, f16, fused_reads_16);
FUSED(flash_decode_fused_tensor_pair, bf16, fused_reads_16);
FUSED(flash_decode_fused_tensor_pair, e4m3, fused_reads_e4m3);

/* --- the same with seq_lens before plan, with lse after out, and with options at the end --- */

#define PLANNED_OPTIONS_PARAMS(element, scales) \
	{ { { 0, 1, 2, 3, 4, 8, 9, 10, element }, 6, 7, scales }, 5 }
#define FUSED_OPTIONS_PARAMS(element, scales) \
	{ { { 0, 1, 2, 3, 7, 11, 12, 13, element }, 9, 10, scales }, 8 }
static const struct planned_params planned_options = PLANNED_OPTIONS_PARAMS(sizeof(float), 0);
static const struct planned_params planned_options_16 = PLANNED_OPTIONS_PARAMS(2, 0);
static const struct planned_params planned_options_e4m3 = PLANNED_OPTIONS_PARAMS(1, 12);
static const struct planned_params fused_options = FUSED_OPTIONS_PARAMS(sizeof(float), 0);
static const struct planned_params fused_options_16 = FUSED_OPTIONS_PARAMS(2, 0);
static const struct planned_params fused_options_e4m3 = FUSED_OPTIONS_PARAMS(1, 15);
enum { FUSED_OPTIONS_OUT = 4, FUSED_OPTIONS_LSE, FUSED_OPTIONS_TICKETS };

/* A unit counts the keys that the query of its sequence sees. */
static void reads_unit_options(const struct kernel_call *call, const struct planned_params *p,
			       uint64_t first, kernel_extent_fn *extent, void *context)
{
	const struct ladder_params *l = &p->ladder;
	uint64_t unit_row = length_at(call, p->plan, first), Hkv = value_of(call, l->Hkv);
	uint64_t begin = length_at(call, p->plan, first + 2);
	uint64_t end = length_at(call, p->plan, first + 3);
	struct visible_rows v;

	if (Hkv == 0 || begin >= end)
		return;
	v = visible_part(call, l, unit_row / Hkv, begin, end);
	for (int i = 0; i < 2; i++) {
		struct rows rows = { sequence_of(call, l, unit_row / Hkv), unit_row % Hkv, 1,
				     v.begin[i], v.end[i] };

		rows_read(call, l, rows, extent, context);
	}
}

static void reads_planned_options(const struct kernel_call *call, const struct planned_params *p,
				  kernel_extent_fn *extent, void *context)
{
	reads_units(call, p, reads_unit_options, extent, context);
	extent(context, p->ladder.partials.seq_lens, 0,
	       planned_slots(call, &p->ladder) * sizeof(int32_t));
}

static void reads_fused_options(const struct kernel_call *call, const struct planned_params *p,
				kernel_extent_fn *extent, void *context)
{
	reads_planned_options(call, p, extent, context);
	extent(context, FUSED_OPTIONS_TICKETS, 0, planned_slots(call, &p->ladder)
	       * value_of(call, p->ladder.Hkv) * sizeof(uint32_t));
}

LADDER_READS(planned_options_reads, reads_planned_options, &planned_options)
LADDER_READS(planned_options_reads_16, reads_planned_options, &planned_options_16)
LADDER_READS(planned_options_reads_e4m3, reads_planned_options, &planned_options_e4m3)
LADDER_READS(fused_options_reads, reads_fused_options, &fused_options)
LADDER_READS(fused_options_reads_16, reads_fused_options, &fused_options_16)
LADDER_READS(fused_options_reads_e4m3, reads_fused_options, &fused_options_e4m3)

static void planned_options_writes(const struct kernel_call *call, kernel_extent_fn *extent,
				   void *context)
{
	writes_planned(call, &planned_options, extent, context);
}

static void fused_options_writes(const struct kernel_call *call, kernel_extent_fn *extent,
				 void *context)
{
	const struct ladder_params *l = &fused_options.ladder;
	uint64_t slots = planned_slots(call, l), rows = slots * value_of(call, l->H);

	writes_planned(call, &fused_options, extent, context);
	extent(context, FUSED_OPTIONS_OUT, 0, rows * value_of(call, l->partials.D) * sizeof(float));
	extent(context, FUSED_OPTIONS_LSE, 0, rows * sizeof(float));
	extent(context, FUSED_OPTIONS_TICKETS, 0,
	       slots * value_of(call, l->Hkv) * sizeof(uint32_t));
}

static unsigned planned_options_points(const struct kernel_call *call)
{
	return points_of_run(call, &planned_options);
}

static unsigned fused_options_points(const struct kernel_call *call)
{
	return points_of_run(call, &fused_options);
}

#define OPTIONS(kernel_name, rung, of, writes_fn, reads_fn, points_fn, ...) \
	const struct kernel kernel_##kernel_name = { \
		CUDA_C_KERNEL(kernel_name), \
		.summary = "rung " #rung " with softcap, window, sinks, pages, queries" of, \
		.role = ROLE_CHUNK, .programmatic = true, .max_threads = 32 * SPLIT_WARPS, \
		.later_params = OPTIONS_LATER, \
		.writes = writes_fn, .reads = reads_fn, .points = points_fn, __VA_ARGS__ \
	}
#define PLANNED_OPTIONS(suffix, of, reads) \
	OPTIONS(flash_decode_planned##suffix, 9, of, planned_options_writes, reads, \
		planned_options_points, .independent = true)
#define FUSED_OPTIONS(suffix, of, reads) \
	OPTIONS(flash_decode_fused##suffix, 10, ", log-sum-exp" of, fused_options_writes, reads, \
		fused_options_points)

PLANNED_OPTIONS(_options, "", planned_options_reads);
PLANNED_OPTIONS(_tensor_options_f16, ", f16", planned_options_reads_16);
PLANNED_OPTIONS(_tensor_options_bf16, ", bf16", planned_options_reads_16);
PLANNED_OPTIONS(_tensor_options_e4m3, ", e4m3", planned_options_reads_e4m3);
FUSED_OPTIONS(_options, "", fused_options_reads);
FUSED_OPTIONS(_tensor_options_f16, ", f16", fused_options_reads_16);
FUSED_OPTIONS(_tensor_options_bf16, ", bf16", fused_options_reads_16);
FUSED_OPTIONS(_tensor_options_e4m3, ", e4m3", fused_options_reads_e4m3);
