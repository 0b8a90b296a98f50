/* kernel_incremental.c - kernel table entries of decode attention without partials.
 *
 * One or four warps per row, one sequence or many.
 */
#include "kernels/kernel_entry.h"

#define SLICES 4        /* warps of the multiwarp kernels */

/* `rows` rows of q or out. */
static void row_extent(kernel_extent_fn *extent, void *context, int param, uint64_t rows,
		       uint64_t D)
{
	extent(context, param, 0, rows * D * sizeof(float));
}

/* The first `keys` keys of every KV head of one sequence. */
static void cache_extent(kernel_extent_fn *extent, void *context, int param, uint64_t heads,
			 uint64_t max_len, uint64_t D, uint64_t keys)
{
	for (uint64_t h = 0; keys > 0 && h < heads; h++)
		extent(context, param, h * max_len * D * sizeof(float), keys * D * sizeof(float));
}

/* What lane 0 of warp 0 passes in the multiwarp kernels: the points of a slice of the keys, and one
 * for each slice in the merge. */
static unsigned slice_points(uint64_t keys)
{
	return tile_points((keys + SLICES - 1) / SLICES) + SLICES;
}

/* --- attention_incremental[_multiwarp](q, k, v, out, Hkv, D, max_len, n, scale), grid (H) --- */

enum { VALUE_Q, VALUE_K, VALUE_V, VALUE_OUT, VALUE_HKV, VALUE_D, VALUE_MAX_LEN, VALUE_N };

static void value_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	row_extent(extent, context, VALUE_OUT, call->grid.x, value_of(call, VALUE_D));
}

static void value_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t D = value_of(call, VALUE_D);

	row_extent(extent, context, VALUE_Q, call->grid.x, D);
	for (int param = VALUE_K; param <= VALUE_V; param++)
		cache_extent(extent, context, param, kv_heads_of(call, VALUE_HKV, call->grid.x),
			     value_of(call, VALUE_MAX_LEN), D, value_of(call, VALUE_N));
}

static unsigned value_points(const struct kernel_call *call)
{
	return tile_points(value_of(call, VALUE_N));
}

static unsigned value_slice_points(const struct kernel_call *call)
{
	return slice_points(value_of(call, VALUE_N));
}

const struct kernel kernel_attention_incremental = {
	CUDA_C_KERNEL(attention_incremental),
	.summary = "decode attention of one sequence, one warp per query head",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 32,
	.writes = value_writes, .reads = value_reads, .points = value_points,
};

const struct kernel kernel_attention_incremental_multiwarp = {
	CUDA_C_KERNEL(attention_incremental_multiwarp),
	.summary = "decode attention of one sequence, four warps per query head",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 128,
	.writes = value_writes, .reads = value_reads, .points = value_slice_points,
};

/* --- attention_incremental[_multiwarp]_indirect(q, k, v, out, seq_len, Hkv, D, max_len, scale),
 *     grid (H) --- */

enum { INDIRECT_Q, INDIRECT_K, INDIRECT_V, INDIRECT_OUT, INDIRECT_SEQ_LEN, INDIRECT_HKV, INDIRECT_D,
	INDIRECT_MAX_LEN };

static void indirect_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	row_extent(extent, context, INDIRECT_OUT, call->grid.x, value_of(call, INDIRECT_D));
}

static void indirect_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t D = value_of(call, INDIRECT_D), keys = length_at(call, INDIRECT_SEQ_LEN, 0);

	row_extent(extent, context, INDIRECT_Q, call->grid.x, D);
	extent(context, INDIRECT_SEQ_LEN, 0, sizeof(int32_t));
	for (int param = INDIRECT_K; param <= INDIRECT_V; param++)
		cache_extent(extent, context, param,
			     kv_heads_of(call, INDIRECT_HKV, call->grid.x),
			     value_of(call, INDIRECT_MAX_LEN), D, keys);
}

/* A launch in a graph may be replayed with any length up to max_len. */
static unsigned indirect_points(const struct kernel_call *call)
{
	return tile_points(value_of(call, INDIRECT_MAX_LEN));
}

static unsigned indirect_slice_points(const struct kernel_call *call)
{
	return slice_points(value_of(call, INDIRECT_MAX_LEN));
}

const struct kernel kernel_attention_incremental_indirect = {
	CUDA_C_KERNEL(attention_incremental_indirect),
	.summary = "attention_incremental with its length in device memory",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 32,
	.writes = indirect_writes, .reads = indirect_reads, .points = indirect_points,
};

const struct kernel kernel_attention_incremental_multiwarp_indirect = {
	CUDA_C_KERNEL(attention_incremental_multiwarp_indirect),
	.summary = "attention_incremental_multiwarp with its length in device memory",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 128,
	.writes = indirect_writes, .reads = indirect_reads, .points = indirect_slice_points,
};

/* --- attention_batched(q, k_ptrs, v_ptrs, out, seq_lens, Hkv, D, max_len, scale),
 *     grid (H, M) --- */

enum { BATCHED_Q, BATCHED_K_PTRS, BATCHED_V_PTRS, BATCHED_OUT, BATCHED_SEQ_LENS, BATCHED_HKV,
	BATCHED_D, BATCHED_MAX_LEN };

static void batched_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	row_extent(extent, context, BATCHED_OUT, (uint64_t)call->grid.x * call->grid.y,
		   value_of(call, BATCHED_D));
}

/* Leaves out the caches: the pointers to them are in device memory, not parameters. */
static void batched_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	row_extent(extent, context, BATCHED_Q, (uint64_t)call->grid.x * call->grid.y,
		   value_of(call, BATCHED_D));
	extent(context, BATCHED_K_PTRS, 0, call->grid.y * sizeof(uint64_t));
	extent(context, BATCHED_V_PTRS, 0, call->grid.y * sizeof(uint64_t));
	extent(context, BATCHED_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
}

static unsigned batched_points(const struct kernel_call *call)
{
	return tile_points(value_of(call, BATCHED_MAX_LEN));
}

const struct kernel kernel_attention_batched = {
	CUDA_C_KERNEL(attention_batched),
	.summary = "decode attention of several sequences, one warp per query head and sequence",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 32,
	.writes = batched_writes, .reads = batched_reads, .points = batched_points,
};
