/* kernel_entry.h - what the files that describe kernels to the kernel table share.
 *
 * One file per family of kernels (kernel_scatter.c and so on) holds a struct kernel for each; table.c
 * collects them. An entry says what a launch reads and writes, by each kernel's head comment. Nobody
 * else includes this.
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

/* What every entry begins with. */
#define CUDA_C_KERNEL(kernel) \
	.name = #kernel, .origin = "cuda_c", .code = &code_##kernel

static inline uint64_t value_of(const struct kernel_call *call, int param)
{
	return (uint64_t)call->values[param].i;
}

/* Entry `index` of the i32 array behind `param`; 0 or less, or what cannot be known, is 0. */
static inline uint64_t length_at(const struct kernel_call *call, int param, uint64_t index)
{
	int32_t length;

	if (!call->read || !call->read(call->context, param, index * sizeof(length), sizeof(length), &length))
		return 0;
	return length > 0 ? (uint64_t)length : 0;
}

/* Tiles of 32 keys that hold `keys` keys: attend_keys() passes two points in each. */
static inline unsigned tile_points(uint64_t keys)
{
	return (unsigned)(2 * ((keys + 31) / 32));
}

#endif
