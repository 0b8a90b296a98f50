/* kernel_read.c - kernel table entries of the kernels that measure how fast memory is read. */
#include "kernels/kernel_entry.h"
#include "kernels/read_rule.h"

/* read_direct(from, sums, vectors) and read_bulk, grid (any) */
enum { READ_FROM, READ_SUMS, READ_VECTORS };

static void read_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, READ_SUMS, 0, (uint64_t)call->grid.x * READ_WARPS * sizeof(uint32_t));
}

static void read_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, READ_FROM, 0, value_of(call, READ_VECTORS) * 16);
}

const struct kernel kernel_read_direct = {
	CUDA_C_KERNEL(read_direct),
	.summary = "reads memory by loads of 16 bytes, to measure its speed",
	.role = ROLE_NONE, .independent = true, .max_threads = 32 * READ_WARPS,
	.writes = read_writes, .reads = read_reads,
};

const struct kernel kernel_read_bulk = {
	CUDA_C_KERNEL(read_bulk),
	.summary = "reads memory by bulk copies, to measure its speed",
	.role = ROLE_NONE, .independent = true, .max_threads = 32 * READ_WARPS,
	.writes = read_writes, .reads = read_reads,
};
