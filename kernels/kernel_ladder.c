/* kernel_ladder.c - kernel table entries of the ladder: flash_decode_group, and the kernels whose
 * blocks attend to a split for all query heads of a KV head.
 *
 * Their grids are (Hkv, M, splits), or, with a plan, (blocks).
 */
#include <limits.h>

#include "kernels/kernel_partials.h"
#include "kernels/plan_rule.h"

/* Numbers of parameters that all of them have. */
struct ladder_params {
	struct partials_params partials;
	int H, Hkv;
};

static const struct ladder_params group_params = { { 0, 1, 2, 3, 4, 7, 8, 9 }, 5, 6 };

static void writes_partials(const struct kernel_call *call, const struct ladder_params *p,
			    kernel_extent_fn *extent, void *context)
{
	partials_written(call, &p->partials, value_of(call, p->H), extent, context);
}

static void reads_keys(const struct kernel_call *call, const struct ladder_params *p,
		       kernel_extent_fn *extent, void *context)
{
	keys_read(call, &p->partials, value_of(call, p->H), call->grid.x, extent, context);
}

/* --- flash_decode_group(q, k, v, partials, seq_lens, H, Hkv, D, max_len, stride, C, scale), and
 *     flash_decode_split and _stream, without C; grid (Hkv, M, max_chunks or SPLITS) --- */

enum { GROUP_C = 10 };

static void group_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_partials(call, &group_params, extent, context);
}

static void group_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	reads_keys(call, &group_params, extent, context);
}

static unsigned group_points(const struct kernel_call *call)
{
	uint64_t C = value_of(call, GROUP_C);
	uint64_t max_len = value_of(call, group_params.partials.max_len);

	return tile_points(C < max_len ? C : max_len);
}

/* Tiles of a warp in the longest split. */
static uint64_t split_tiles(const struct kernel_call *call, const struct ladder_params *p)
{
	uint64_t max_len = value_of(call, p->partials.max_len);
	uint64_t step = (uint64_t)SPLIT_STEP(value_of(call, p->partials.D));

	return ((uint64_t)SPLIT_KEYS((int64_t)max_len) + step - 1) / step;
}

/* A lane has a softmax point for each tile of its warp and each pass over the query heads, and a
 * score for each 8 keys of the tile. */
static unsigned tiles_points(const struct kernel_call *call, const struct ladder_params *p,
			     uint64_t tiles)
{
	uint64_t Hkv = value_of(call, p->Hkv);
	uint64_t group = Hkv > 0 ? value_of(call, p->H) / Hkv : 0;
	uint64_t scores = (uint64_t)SPLIT_TILE(value_of(call, p->partials.D)) / SPLIT_KEYS_AT_ONCE;
	uint64_t points = tiles * ((group + 3) / 4) * (1 + scores);

	return points > UINT_MAX ? UINT_MAX : (unsigned)points;
}

static unsigned split_points(const struct kernel_call *call, const struct ladder_params *p)
{
	return tiles_points(call, p, split_tiles(call, p));
}

static unsigned stream_points(const struct kernel_call *call)
{
	return split_points(call, &group_params);
}

const struct kernel kernel_flash_decode_group = {
	CUDA_C_KERNEL(flash_decode_group),
	.summary = "rung 4: flash_decode_chunk with the query heads of a KV head in one block",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_MAX_GROUP,
	.writes = group_writes, .reads = group_reads, .points = group_points,
};

const struct kernel kernel_flash_decode_split = {
	CUDA_C_KERNEL(flash_decode_split),
	.summary = "rung 5: 16-byte loads, several keys per warp, softmax once per tile",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS,
	.writes = group_writes, .reads = group_reads, .points = stream_points,
};

const struct kernel kernel_flash_decode_stream = {
	CUDA_C_KERNEL(flash_decode_stream),
	.summary = "rung 6: tiles reach shared memory by bulk copies",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS,
	.writes = group_writes, .reads = group_reads, .points = stream_points,
};

/* --- flash_decode_merge(partials, out, seq_lens, D), grid (H, M) --- */

enum { MERGE_PARTIALS, MERGE_OUT, MERGE_SEQ_LENS, MERGE_D };

static void merge_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, MERGE_OUT, 0,
	       (uint64_t)call->grid.x * call->grid.y * value_of(call, MERGE_D) * sizeof(float));
}

static void merge_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t partial = (value_of(call, MERGE_D) + 2) * sizeof(float);

	extent(context, MERGE_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		uint64_t keys = length_at(call, MERGE_SEQ_LENS, m);

		for (unsigned h = 0; keys > 0 && h < call->grid.x; h++)
			extent(context, MERGE_PARTIALS,
			       ((uint64_t)m * call->grid.x + h) * SPLITS * partial,
			       (uint64_t)SPLITS_USED((int64_t)keys) * partial);
	}
}

static unsigned merge_points(const struct kernel_call *call)
{
	(void)call;
	return SPLITS;
}

const struct kernel kernel_flash_decode_merge = {
	CUDA_C_KERNEL(flash_decode_merge),
	.summary = "merges the partials of each row's splits in index order",
	.role = ROLE_REDUCE, .independent = true, .max_threads = 64,
	.writes = merge_writes, .reads = merge_reads, .points = merge_points,
};

/* --- flash_decode_plan(seq_lens, plan, Hkv, blocks), grid (M) --- */

enum { PLAN_SEQ_LENS, PLAN_PLAN, PLAN_HKV, PLAN_BLOCKS };

static void plan_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t units = 0;

	for (unsigned m = 0; m < call->grid.x; m++) {
		int64_t keys = (int64_t)length_at(call, PLAN_SEQ_LENS, m);

		units += value_of(call, PLAN_HKV) * (uint64_t)PLAN_UNITS(keys);
	}
	extent(context, PLAN_PLAN, 0,
	       ((uint64_t)PLAN_HEADS(value_of(call, PLAN_BLOCKS)) + PLAN_UNIT * units)
	       * sizeof(int32_t));
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

/* --- flash_decode_planned(q, k, v, partials, plan, H, Hkv, D, max_len, stride, scale), and
 *     flash_decode_fused, with out and tickets after partials; grid (blocks) --- */

struct planned_params {
	struct ladder_params ladder;
	int plan;
};

/* There are no lengths: the plan has them. */
static const struct planned_params planned_params = { { { 0, 1, 2, 3, -1, 7, 8, 9 }, 5, 6 }, 4 };
static const struct planned_params fused_params = { { { 0, 1, 2, 3, -1, 9, 10, 11 }, 7, 8 }, 6 };
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
	const struct partials_params *l = &p->ladder.partials;
	uint64_t unit_row = length_at(call, p->plan, first);
	uint64_t begin = length_at(call, p->plan, first + 2);
	uint64_t end = length_at(call, p->plan, first + 3);
	uint64_t Hkv = value_of(call, p->ladder.Hkv), row = value_of(call, l->D) * sizeof(float);
	uint64_t at;

	if (Hkv == 0 || begin >= end)
		return;
	at = unit_row / Hkv * value_of(call, l->stride) * sizeof(float)
		+ (unit_row % Hkv * value_of(call, l->max_len) + begin) * row;
	extent(context, l->k, at, (end - begin) * row);
	extent(context, l->v, at, (end - begin) * row);
}

static void reads_planned(const struct kernel_call *call, const struct planned_params *p,
			  kernel_extent_fn *extent, void *context)
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
		reads_unit(call, p, heads + u * PLAN_UNIT, extent, context);
}

static void planned_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_planned(call, &planned_params, extent, context);
}

static void planned_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	reads_planned(call, &planned_params, extent, context);
}

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
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS,
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

static void fused_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	reads_planned(call, &fused_params, extent, context);
	extent(context, FUSED_TICKETS, 0, planned_slots(call, &fused_params.ladder)
	       * value_of(call, fused_params.ladder.Hkv) * sizeof(uint32_t));
}

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
