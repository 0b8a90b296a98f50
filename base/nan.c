/* nan.c - replaces NaNs by the one a GPU's arithmetic makes; see nan.h.
 *
 * A processor makes other bits: x86-64 a negative NaN, aarch64 a positive one, and both pass on the
 * payload of an operand. Digests and diffs treat all NaNs as equal (traces/digest.c); this is for
 * files that other programs read. Used by the commands that write .npy files.
 */
#include "base/nan.h"

#include <stdint.h>

/* The bits that all quiet NaNs have, and the GPU's NaN: of the tensor cores' types and f32 all ones
 * but the sign, of f64 as in CUDA's math_constants.h. */
#define REPLACE(integer, quiet, gpu) \
	do { \
		integer *bits = values; \
		for (size_t i = 0; i < count; i++) \
			if ((bits[i] & (quiet)) == (quiet)) \
				bits[i] = (gpu); \
	} while (0)

void nan_as_gpu(enum dtype type, void *values, size_t count)
{
	if (type == DTYPE_F32)
		REPLACE(uint32_t, 0x7fc00000u, 0x7fffffffu);
	else if (type == DTYPE_F64)
		REPLACE(uint64_t, UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000));
	else if (type == DTYPE_F16)
		REPLACE(uint16_t, 0x7e00u, 0x7fffu);
	else if (type == DTYPE_BF16)
		REPLACE(uint16_t, 0x7fc0u, 0x7fffu);
	else if (type == DTYPE_E4M3)
		REPLACE(uint8_t, 0x7fu, 0x7fu);
}
