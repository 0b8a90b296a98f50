/* kernel_merge.c - kernel table entries of the kernels that merge the partials of the ladder's
 * splits: flash_decode_merge, with and without options.
 */
#include "kernels/kernel_entry.h"
#include "kernels/split_rule.h"

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
	.role = ROLE_REDUCE, .independent = true, .programmatic = true, .max_threads = 64,
	.writes = merge_writes, .reads = merge_reads, .points = merge_points,
};

/* --- flash_decode_merge_options(partials, out, lse, seq_lens, D, window, sinks),
 *     grid (H, M) --- */

enum {
	LSE_PARTIALS, LSE_OUT, LSE_LSE, LSE_SEQ_LENS, LSE_D, LSE_WINDOW, LSE_SINKS
};

static void merge_options_writes(const struct kernel_call *call, kernel_extent_fn *extent,
				 void *context)
{
	uint64_t rows = (uint64_t)call->grid.x * call->grid.y;

	extent(context, LSE_OUT, 0, rows * value_of(call, LSE_D) * sizeof(float));
	extent(context, LSE_LSE, 0, rows * sizeof(float));
}

static void merge_options_reads(const struct kernel_call *call, kernel_extent_fn *extent,
				void *context)
{
	uint64_t partial = (value_of(call, LSE_D) + 2) * sizeof(float);
	int64_t window = (int64_t)value_of(call, LSE_WINDOW);
	int64_t sinks = (int64_t)value_of(call, LSE_SINKS);

	extent(context, LSE_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		int64_t keys = (int64_t)length_at(call, LSE_SEQ_LENS, m);

		keys -= SPLIT_GAP(keys, window, sinks);
		for (unsigned h = 0; keys > 0 && h < call->grid.x; h++)
			extent(context, LSE_PARTIALS,
			       ((uint64_t)m * call->grid.x + h) * SPLITS * partial,
			       (uint64_t)SPLITS_USED(keys) * partial);
	}
}

const struct kernel kernel_flash_decode_merge_options = {
	CUDA_C_KERNEL(flash_decode_merge_options),
	.summary = "flash_decode_merge with a window, and log-sum-exp",
	.role = ROLE_REDUCE, .independent = true, .programmatic = true, .max_threads = 64,
	.writes = merge_options_writes, .reads = merge_options_reads, .points = merge_points,
};
