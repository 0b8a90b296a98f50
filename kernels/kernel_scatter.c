/* kernel_scatter.c - kernel table entries of the kernels that write K or V rows into a cache.
 *
 * In all of them grid.x is the number of KV heads, and the row of D elements at position p of head
 * h begins at element (h * max_len + p) * D of a cache.
 */
#include "kernels/kernel_entry.h"

/* Position `position` of every head. The cache begins `slot` bytes after where `param` points. */
static void write_position(const struct kernel_call *call, kernel_extent_fn *extent, void *context,
			   int param, uint64_t slot, uint64_t max_len, uint64_t position,
			   uint64_t row)
{
	for (unsigned h = 0; h < call->grid.x; h++)
		extent(context, param, slot + (h * max_len + position) * row, row);
}

/* --- kv_scatter(rows, cache, D, max_len, position), grid (Hkv) --- */

enum { ONE_ROWS, ONE_CACHE, ONE_D, ONE_MAX_LEN, ONE_POSITION };

static void one_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	write_position(call, extent, context, ONE_CACHE, 0, value_of(call, ONE_MAX_LEN),
		       value_of(call, ONE_POSITION), value_of(call, ONE_D) * sizeof(float));
}

static void one_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, ONE_ROWS, 0, call->grid.x * value_of(call, ONE_D) * sizeof(float));
}

const struct kernel kernel_kv_scatter = {
	CUDA_C_KERNEL(kv_scatter),
	.summary = "writes one new K or V row per KV head into the cache",
	.role = ROLE_SCATTER, .independent = true,
	.writes = one_writes, .reads = one_reads,
};

/* --- kv_scatter_indirect(rows, cache, position, D, max_len), grid (Hkv) --- */

enum { INDIRECT_ROWS, INDIRECT_CACHE, INDIRECT_POSITION, INDIRECT_D, INDIRECT_MAX_LEN };

static void indirect_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	int32_t position;

	if (call->read(call->context, INDIRECT_POSITION, 0, sizeof position, &position)
	    && position >= 0)
		write_position(call, extent, context, INDIRECT_CACHE, 0,
			       value_of(call, INDIRECT_MAX_LEN), (uint64_t)position,
			       value_of(call, INDIRECT_D) * sizeof(float));
}

static void indirect_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, INDIRECT_ROWS, 0,
	       call->grid.x * value_of(call, INDIRECT_D) * sizeof(float));
	extent(context, INDIRECT_POSITION, 0, sizeof(int32_t));
}

const struct kernel kernel_kv_scatter_indirect = {
	CUDA_C_KERNEL(kv_scatter_indirect),
	.summary = "kv_scatter with its position in device memory",
	.role = ROLE_SCATTER, .independent = true,
	.writes = indirect_writes, .reads = indirect_reads,
};

/* --- kv_scatter_batched(rows, cache, positions, D, max_len, stride), grid (Hkv, M), and the same
 *     into caches of f16, bf16 and e4m3 --- */

enum { BATCHED_ROWS, BATCHED_CACHE, BATCHED_POSITIONS, BATCHED_D, BATCHED_MAX_LEN, BATCHED_STRIDE };

/* `element`: bytes of one in the cache. */
static void writes_batch(const struct kernel_call *call, uint64_t element,
			 kernel_extent_fn *extent, void *context)
{
	uint64_t stride = value_of(call, BATCHED_STRIDE) * element;

	for (unsigned m = 0; m < call->grid.y; m++) {
		int32_t position;

		if (call->read(call->context, BATCHED_POSITIONS, m * sizeof position,
			       sizeof position, &position)
		    && position >= 0)
			write_position(call, extent, context, BATCHED_CACHE, m * stride,
				       value_of(call, BATCHED_MAX_LEN), (uint64_t)position,
				       value_of(call, BATCHED_D) * element);
	}
}

static void batched_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_batch(call, sizeof(float), extent, context);
}

static void writes_16(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_batch(call, 2, extent, context);
}

static void writes_e4m3(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_batch(call, 1, extent, context);
}

static void batched_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, BATCHED_ROWS, 0,
	       (uint64_t)call->grid.x * call->grid.y * value_of(call, BATCHED_D) * sizeof(float));
	extent(context, BATCHED_POSITIONS, 0, call->grid.y * sizeof(int32_t));
}

const struct kernel kernel_kv_scatter_batched = {
	CUDA_C_KERNEL(kv_scatter_batched),
	.summary = "writes the new K or V rows of all sequences into their caches",
	.role = ROLE_SCATTER, .independent = true,
	.writes = batched_writes, .reads = batched_reads,
};

#define NARROW_KERNEL(type, writes_cache) \
	const struct kernel kernel_kv_scatter_##type = { \
		CUDA_C_KERNEL(kv_scatter_##type), \
		.summary = "rounds the new K or V rows of all sequences to " #type, \
		.role = ROLE_SCATTER, .independent = true, \
		.writes = writes_cache, .reads = batched_reads, \
	}

NARROW_KERNEL(f16, writes_16);
NARROW_KERNEL(bf16, writes_16);
NARROW_KERNEL(e4m3, writes_e4m3);

/* --- kv_scatter_rows(rows, cache, D, max_len, start), grid (Hkv, rows) --- */

enum { ROWS_ROWS, ROWS_CACHE, ROWS_D, ROWS_MAX_LEN, ROWS_START };

static void rows_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t row = value_of(call, ROWS_D) * sizeof(float);

	for (unsigned h = 0; h < call->grid.x; h++)
		extent(context, ROWS_CACHE,
		       (h * value_of(call, ROWS_MAX_LEN) + value_of(call, ROWS_START)) * row,
		       call->grid.y * row);
}

static void rows_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, ROWS_ROWS, 0,
	       (uint64_t)call->grid.x * call->grid.y * value_of(call, ROWS_D) * sizeof(float));
}

const struct kernel kernel_kv_scatter_rows = {
	CUDA_C_KERNEL(kv_scatter_rows),
	.summary = "writes all K or V rows of a prompt into the cache of one sequence",
	.role = ROLE_SCATTER, .independent = true,
	.writes = rows_writes, .reads = rows_reads,
};
