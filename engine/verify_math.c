/* verify_math.c - launches kernels/verify_math.cu, verify_double.cu and verify_matrix.cu, and adds
 * up their sums.
 *
 * A range is spread over at most MAX_THREADS threads, with MIN_INPUTS or more for each; each thread
 * writes one sum. The hash does not depend on the order of adding. Comparing it with the expected
 * hash is left to the callers, `flashtwin info --verify-math` and the tests.
 */
#include "config.h"

#include "engine/verify_math.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "kernels/double_list.h"
#include "kernels/math_list.h"
#include "kernels/matrix_list.h"

/* Enough blocks to fill a GPU. Starting a thread for fewer inputs costs more than it gains. */
enum { BLOCK = 128, MAX_BLOCKS = 2048, MAX_THREADS = BLOCK * MAX_BLOCKS, MIN_INPUTS = 32 };

enum status verify_math_alloc(struct device *device, struct buffer **sums)
{
	struct buffer_spec spec = {
		.name = "math_sums", .dtype = DTYPE_U64, .rank = 1, .shape = { MAX_THREADS },
	};

	return device_alloc(device, &spec, sums);
}

static unsigned block_count(uint64_t inputs)
{
	uint64_t blocks = (inputs + BLOCK * MIN_INPUTS - 1) / (BLOCK * MIN_INPUTS);

	return blocks > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)blocks;
}

enum status verify_math_range(struct device *device, struct buffer *sums,
			      const struct math_function *function, struct math_range range,
			      uint64_t *sum)
{
	unsigned blocks = block_count(range.count);
	size_t threads = (size_t)blocks * BLOCK;
	struct arg args[] = {
		ARG_BUFFER(sums),
		{ .kind = PARAM_U64, .value.u64 = range.first },
		{ .kind = PARAM_U64, .value.u64 = range.count },
		{ .kind = PARAM_U32, .value.u32 = range.stride },
	};
	struct launch launch = {
		.kernel = &function->kernel, .grid = { blocks, 1, 1 }, .block = { BLOCK, 1, 1 },
		.args = args, .arg_count = 4, .layer = -1,
	};
	enum status status;
	uint64_t *thread_sums;

	if (range.count == 0)
		return STATUS_OK;
	TRY(device_launch(device, &launch));
	thread_sums = xreallocarray(NULL, threads, sizeof *thread_sums);
	status = device_download(device, NULL, sums, 0, thread_sums,
				 threads * sizeof *thread_sums);
	for (size_t i = 0; status == STATUS_OK && i < threads; i++)
		*sum += thread_sums[i];
	free(thread_sums);
	return status;
}

enum status verify_math_sample(struct device *device, struct buffer *sums,
			       const struct math_function *function, uint64_t *sum)
{
	struct math_range strided = { 0, MATH_SAMPLE_COUNT, MATH_SAMPLE_STRIDE };
	struct math_range special = { MATH_BITS, MATH_PAIRS, 1 };
	struct math_range boundary = { DOUBLE_INPUTS, DOUBLE_PAIRS, 1 };
	struct math_range matrices = { MATRIX_INPUTS, MATRIX_SAMPLE, 1 };

	*sum = 0;
	if (function->kind == MATH_DOUBLE)
		return verify_math_range(device, sums, function, boundary, sum);
	if (function->kind == MATH_MATRIX)
		return verify_math_range(device, sums, function, matrices, sum);
	TRY(verify_math_range(device, sums, function, strided, sum));
	return verify_math_range(device, sums, function, special, sum);
}
