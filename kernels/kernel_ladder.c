/* kernel_ladder.c - kernel table entries of the ladder: flash_decode_group, and the kernels whose
 * blocks attend to a split for all query heads of a KV head.
 *
 * Their grids are (Hkv, M, splits).
 */
#include "kernels/kernel_partials.h"
#include "kernels/split_rule.h"

/* Numbers of parameters that all of them have. */
struct ladder_params {
	struct partials_params partials;
	int H, Hkv;
};

static const struct ladder_params group_params = { { 0, 1, 2, 3, 4, 7, 8, 9 }, 5, 6 };
static const struct ladder_params fused_params = { { 0, 1, 2, 3, 6, 9, 10, 11 }, 7, 8 };

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

/* A lane has at most a score and a softmax point for each tile of its warp and each pass over the
 * query heads. */
static unsigned split_points(const struct kernel_call *call, const struct ladder_params *p)
{
	uint64_t max_len = value_of(call, p->partials.max_len), Hkv = value_of(call, p->Hkv);
	uint64_t group = Hkv > 0 ? value_of(call, p->H) / Hkv : 0;
	uint64_t tiles = (uint64_t)SPLIT_KEYS((int64_t)max_len) / SPLIT_UNIT;

	return (unsigned)(2 * tiles * ((group + 3) / 4));
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

/* --- flash_decode_fused(q, k, v, partials, out, tickets, seq_lens, H, Hkv, D, max_len, stride,
 *     scale), grid (Hkv, M, SPLITS) --- */

enum { FUSED_OUT = 4, FUSED_TICKETS };

static void fused_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_partials(call, &fused_params, extent, context);
	extent(context, FUSED_OUT, 0, value_of(call, fused_params.H) * call->grid.y
	       * value_of(call, fused_params.partials.D) * sizeof(float));
	extent(context, FUSED_TICKETS, 0,
	       (uint64_t)call->grid.x * call->grid.y * sizeof(uint32_t));
}

static void fused_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	reads_keys(call, &fused_params, extent, context);
	extent(context, FUSED_TICKETS, 0,
	       (uint64_t)call->grid.x * call->grid.y * sizeof(uint32_t));
}

static unsigned fused_points(const struct kernel_call *call)
{
	return split_points(call, &fused_params);
}

const struct kernel kernel_flash_decode_fused = {
	CUDA_C_KERNEL(flash_decode_fused),
	.summary = "rung 10: flash_decode_stream whose last block merges the splits",
	.role = ROLE_CHUNK, .max_threads = 32 * SPLIT_WARPS,
	.writes = fused_writes, .reads = fused_reads, .points = fused_points,
};
