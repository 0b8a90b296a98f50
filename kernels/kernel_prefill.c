/* kernel_prefill.c - kernel table entries of attention_prefill and attention_prefill_tiled. */
#include "kernels/kernel_entry.h"
#include "kernels/prefill_rule.h"

/* Both (q, k, v, out, H, Hkv, Nq, Nk, D, Dv, stride, offset, scale), grid (B * H, blocks). */
enum { Q, K, V, OUT, HEADS, KV_HEADS, NQ, NK, D, DV, STRIDE };

static void prefill_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, OUT, 0,
	       call->grid.x * value_of(call, NQ) * value_of(call, DV) * sizeof(float));
}

static void prefill_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t heads = value_of(call, HEADS), batch = heads ? call->grid.x / heads : 0;
	uint64_t kv_heads = batch * kv_heads_of(call, KV_HEADS, heads);
	uint64_t keys = value_of(call, NK), stride = value_of(call, STRIDE);
	uint64_t key = value_of(call, D) * sizeof(float);
	uint64_t value = value_of(call, DV) * sizeof(float);

	extent(context, Q, 0, call->grid.x * value_of(call, NQ) * key);
	for (uint64_t h = 0; h < kv_heads; h++) {
		extent(context, K, h * stride * key, keys * key);
		extent(context, V, h * stride * value, keys * value);
	}
}

/* One softmax point for each tile of 32 keys. */
static unsigned prefill_points(const struct kernel_call *call)
{
	return (unsigned)((value_of(call, NK) + 31) / 32);
}

const struct kernel kernel_attention_prefill = {
	CUDA_C_KERNEL(attention_prefill),
	.summary = "attention of many queries at once, tiled, causal or not",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 128,
	.writes = prefill_writes, .reads = prefill_reads, .points = prefill_points,
};

/* One for each tile of keys: the rows of a thread are published by different lanes. */
static unsigned tiled_points(const struct kernel_call *call)
{
	uint64_t keys = PREFILL_KEYS(value_of(call, D));

	return (unsigned)((value_of(call, NK) + keys - 1) / keys);
}

const struct kernel kernel_attention_prefill_tiled = {
	CUDA_C_KERNEL(attention_prefill_tiled),
	.summary = "attention_prefill with tiles in registers, and asynchronous copies",
	.role = ROLE_ATTENTION, .independent = true, .max_threads = 256,
	.writes = prefill_writes, .reads = prefill_reads, .points = tiled_points,
};
