/* kernel_entry.h - helpers for kernel table entries.
 *
 * Each family of kernels has a file (kernel_scatter.c and so on) with one struct kernel per kernel;
 * table.c collects them. An entry says what a launch reads and writes; the header comment of the
 * kernel's source is its specification. Included only by those files and table.c.
 */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include "kernels/kernel_table.h"

#include "kernels/code.h"

#define X(name) \
	extern const struct kernel kernel_##name; \
	extern const struct kernel_code code_##name;
KERNEL_CODE_LIST(X)
#undef X

/* The first members of every entry. */
#define CUDA_C_KERNEL(kernel) \
	.name = #kernel, .origin = "cuda_c", .code = &code_##kernel

/* The value of an integer parameter, a size or a count; 0 if it is negative, as in a damaged
 * trace. */
static inline uint64_t value_of(const struct kernel_call *call, int param)
{
	int64_t value = call->values[param].i;

	return value > 0 ? (uint64_t)value : 0;
}

/* The number of KV heads, of which there are at most as many as heads. */
static inline uint64_t kv_heads_of(const struct kernel_call *call, int param, uint64_t heads)
{
	uint64_t kv_heads = value_of(call, param);

	return kv_heads < heads ? kv_heads : heads;
}

/* Element `index` of the i32 array that `param` points to; 0 if it is negative or unknown. */
static inline uint64_t length_at(const struct kernel_call *call, int param, uint64_t index)
{
	int32_t length;

	if (!call->read
	    || !call->read(call->context, param, index * sizeof length, sizeof length, &length))
		return 0;
	return length > 0 ? (uint64_t)length : 0;
}

/* How many points attend_keys() passes for `keys` keys: two in each tile of 32. */
static inline unsigned tile_points(uint64_t keys)
{
	return (unsigned)(2 * ((keys + 31) / 32));
}

#endif
