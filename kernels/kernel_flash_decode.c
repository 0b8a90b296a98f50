/* kernel_flash_decode.c - kernel table entries of flash decoding: chunks and their reduction.
 *
 * The kernels with one and with two warps per chunk have the same parameters, reads and writes.
 */
#include <math.h>
#include <stdio.h>

#include "kernels/kernel_lint.h"
#include "kernels/kernel_partials.h"

/* --- flash_decode_chunk(q, k, v, partials, seq_lens, Hkv, D, max_len, stride, C, scale),
 *     grid (H, M, max_chunks) --- */

enum { CHUNK_Q, CHUNK_K, CHUNK_V, CHUNK_PARTIALS, CHUNK_SEQ_LENS, CHUNK_HKV, CHUNK_D, CHUNK_MAX_LEN,
	CHUNK_STRIDE, CHUNK_C, CHUNK_SCALE };

static const struct partials_params chunk_params = {
	CHUNK_Q, CHUNK_K, CHUNK_V, CHUNK_PARTIALS, CHUNK_SEQ_LENS, CHUNK_D, CHUNK_MAX_LEN,
	CHUNK_STRIDE, sizeof(float)
};

static void chunk_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	partials_written(call, &chunk_params, call->grid.x, extent, context);
}

static void chunk_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	keys_read(call, &chunk_params, call->grid.x, kv_heads_of(call, CHUNK_HKV, call->grid.x),
		  extent, context);
}

/* Maximum number of keys in a chunk. */
static uint64_t chunk_keys(const struct kernel_call *call)
{
	uint64_t C = value_of(call, CHUNK_C), max_len = value_of(call, CHUNK_MAX_LEN);

	return C < max_len ? C : max_len;
}

/* One score and one softmax point per tile of 32 keys. */
static unsigned chunk_points(const struct kernel_call *call)
{
	return tile_points(chunk_keys(call));
}

/* Those of half the keys, and two of the merge of the warps. */
static unsigned half_chunk_points(const struct kernel_call *call)
{
	return tile_points((chunk_keys(call) + 1) / 2) + 2;
}

const struct kernel kernel_flash_decode_chunk = {
	CUDA_C_KERNEL(flash_decode_chunk),
	.summary = "attends to one chunk of keys per block and publishes its partial",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32,
	.writes = chunk_writes, .reads = chunk_reads, .points = chunk_points,
};

const struct kernel kernel_flash_decode_chunk_2warp = {
	CUDA_C_KERNEL(flash_decode_chunk_2warp),
	.summary = "flash_decode_chunk with two warps per chunk",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 64,
	.writes = chunk_writes, .reads = chunk_reads, .points = half_chunk_points,
};

/* --- flash_decode_reduce(partials, out, seq_lens, D, C, max_chunks), grid (H, M) --- */

enum { REDUCE_PARTIALS, REDUCE_OUT, REDUCE_SEQ_LENS, REDUCE_D, REDUCE_C, REDUCE_MAX_CHUNKS };

static void reduce_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, REDUCE_OUT, 0,
	       (uint64_t)call->grid.x * call->grid.y * value_of(call, REDUCE_D) * sizeof(float));
}

static void reduce_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t partial = (value_of(call, REDUCE_D) + 2) * sizeof(float);
	uint64_t row = value_of(call, REDUCE_MAX_CHUNKS) * partial;
	uint64_t C = value_of(call, REDUCE_C);

	extent(context, REDUCE_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; C > 0 && m < call->grid.y; m++) {
		uint64_t chunks = (length_at(call, REDUCE_SEQ_LENS, m) + C - 1) / C;

		for (unsigned h = 0; chunks > 0 && h < call->grid.x; h++)
			extent(context, REDUCE_PARTIALS, ((uint64_t)m * call->grid.x + h) * row,
			       chunks * partial);
	}
}

static unsigned reduce_points(const struct kernel_call *call)
{
	return (unsigned)value_of(call, REDUCE_MAX_CHUNKS);
}

/* A chunk without keys publishes a maximum of -inf and a sum of 0, and leaves its accumulators as
 * they were: those of another layer, or poison. A reduction that reads them, if only to weight them
 * with 0, gives NaN as soon as they hold one. */
static void reduce_unread(const struct kernel_call *call, kernel_unread_fn *unread, void *context)
{
	uint64_t rows = (uint64_t)call->grid.x * call->grid.y;
	uint64_t partials = rows * value_of(call, REDUCE_MAX_CHUNKS);
	uint64_t accumulators = value_of(call, REDUCE_D) * sizeof(float);
	char detail[120];
	float last[2];                  /* maximum and sum */

	for (uint64_t i = 0; i < partials; i++) {
		uint64_t at = i * (accumulators + sizeof last);

		if (!call->read(call->context, REDUCE_PARTIALS, at + accumulators, sizeof last,
				last))
			return;
		if (last[0] != -INFINITY || last[1] != 0.0f)
			continue;
		snprintf(detail, sizeof detail,
			 "partial %llu holds no key: its maximum is -inf and its sum 0",
			 (unsigned long long)i);
		unread(context, REDUCE_PARTIALS, at, accumulators, detail);
	}
}

static const struct kernel_lint reduce_lint = { KERNEL_LINT_EMPTY_SPLIT_READ, reduce_unread };

const struct kernel kernel_flash_decode_reduce = {
	CUDA_C_KERNEL(flash_decode_reduce),
	.summary = "merges the partials of each row in index order",
	.role = ROLE_REDUCE, .independent = true, .max_threads = 32,
	.writes = reduce_writes, .reads = reduce_reads, .points = reduce_points,
	.lint = &reduce_lint,
};
