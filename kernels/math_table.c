/* math_table.c - one row per function of kernels/math_list.h, with its compiled code.
 *
 * The kernels are built for the plain variants of the simulator and into one fatbin; they have no
 * probed build. The hashes are in kernels/math_sums.h.
 */
#include "config.h"

#include "kernels/math_table.h"

#include <string.h>

#include "kernels/math_list.h"

#define X(id, ...) extern const struct sim_code ft_code_math_##id##_baseline_plain;
MATH_LIST(X)
#undef X

#ifdef HAVE_AVX2_KERNELS
#define X(id, ...) extern const struct sim_code ft_code_math_##id##_avx2_plain;
MATH_LIST(X)
#undef X
#define AVX2_CODE(id) &ft_code_math_##id##_avx2_plain
#else
#define AVX2_CODE(id) NULL
#endif

#ifdef HAVE_DEBUG_KERNELS
#define X(id, ...) extern const struct sim_code ft_code_math_##id##_debug_plain;
MATH_LIST(X)
#undef X
#define DEBUG_CODE(id) &ft_code_math_##id##_debug_plain
#else
#define DEBUG_CODE(id) NULL
#endif

#ifdef HAVE_CUDA
extern const unsigned char fatbin_verify_math[];
extern const unsigned long fatbin_verify_math_size;
#define FATBIN fatbin_verify_math
#define FATBIN_SIZE &fatbin_verify_math_size
#else
#define FATBIN NULL
#define FATBIN_SIZE NULL
#endif

enum math_id {
#define X(id, ...) MATH_##id,
	MATH_LIST(X)
#undef X
	MATH_COUNT
};

static const struct math_sums hardware[MATH_COUNT] = {
#define SUMS(id, all, some) [MATH_##id] = { .full = all, .sample = some },
#include "kernels/math_sums.h"
#undef SUMS
};

#define X(id, ...) \
	static const struct kernel_code code_##id = { \
		.sim = { { &ft_code_math_##id##_baseline_plain, AVX2_CODE(id), DEBUG_CODE(id) } }, \
		.fatbin = { FATBIN }, .fatbin_bytes = { FATBIN_SIZE }, \
	};
MATH_LIST(X)
#undef X

const struct math_function math_table[] = {
#define X(id, text, args, ...) [MATH_##id] = { \
		.name = text, .arguments = args, \
		.kernel = { .name = "math_" #id, .summary = text, .independent = true, \
			    .max_threads = 1024, .origin = "cuda_c", .code = &code_##id }, \
		.sums = &hardware[MATH_##id], \
	},
	MATH_LIST(X)
#undef X
};
const int math_count = MATH_COUNT;

const struct math_function *math_find(const char *name)
{
	for (int i = 0; i < math_count; i++)
		if (strcmp(math_table[i].name, name) == 0)
			return &math_table[i];
	return NULL;
}

uint64_t math_inputs(const struct math_function *function)
{
	return MATH_BITS + (function->arguments == 2 ? MATH_PAIRS : 0);
}
