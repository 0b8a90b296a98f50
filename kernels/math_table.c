/* math_table.c - one row per function of kernels/math_list.h, double_list.h and matrix_list.h, with
 * its compiled code.
 *
 * The kernels are built for the plain variants of the simulator and into three fatbins; they have
 * no probed build. The hashes are in kernels/math_sums.h, double_sums.h and matrix_sums.h.
 */
#include "config.h"

#include "kernels/math_table.h"

#include <string.h>

#include "kernels/double_list.h"
#include "kernels/math_list.h"
#include "kernels/matrix_list.h"

#define X(id, ...) extern const struct sim_code ft_code_math_##id##_baseline_plain;
MATH_LIST(X)
DOUBLE_LIST(X)
TENSOR_LIST(X)
#undef X

#ifdef HAVE_AVX2_KERNELS
#define X(id, ...) extern const struct sim_code ft_code_math_##id##_avx2_plain;
MATH_LIST(X)
DOUBLE_LIST(X)
TENSOR_LIST(X)
#undef X
#define AVX2_CODE(id) &ft_code_math_##id##_avx2_plain
#else
#define AVX2_CODE(id) NULL
#endif

#ifdef HAVE_DEBUG_KERNELS
#define X(id, ...) extern const struct sim_code ft_code_math_##id##_debug_plain;
MATH_LIST(X)
DOUBLE_LIST(X)
TENSOR_LIST(X)
#undef X
#define DEBUG_CODE(id) &ft_code_math_##id##_debug_plain
#else
#define DEBUG_CODE(id) NULL
#endif

#ifdef HAVE_CUDA
extern const unsigned char fatbin_verify_math[], fatbin_verify_double[], fatbin_verify_matrix[];
extern const unsigned long fatbin_verify_math_size, fatbin_verify_double_size,
	fatbin_verify_matrix_size;
#define FATBIN(file) fatbin_##file
#define FATBIN_SIZE(file) &fatbin_##file##_size
#else
#define FATBIN(file) NULL
#define FATBIN_SIZE(file) NULL
#endif

enum math_id {
#define X(id, ...) MATH_##id,
	MATH_LIST(X)
	DOUBLE_LIST(X)
	TENSOR_LIST(X)
#undef X
	MATH_COUNT
};

static const struct math_sums hardware[MATH_COUNT] = {
#define SUMS(id, all, some) [MATH_##id] = { .full = all, .sample = some },
#include "kernels/math_sums.h"
#include "kernels/double_sums.h"
#include "kernels/matrix_sums.h"
#undef SUMS
};

#define CODE(id, file) \
	static const struct kernel_code code_##id = { \
		.sim = { { &ft_code_math_##id##_baseline_plain, AVX2_CODE(id), DEBUG_CODE(id) } }, \
		.fatbin = { FATBIN(file) }, .fatbin_bytes = { FATBIN_SIZE(file) }, \
	};
#define X(id, ...) CODE(id, verify_math)
MATH_LIST(X)
#undef X
#define X(id, ...) CODE(id, verify_double)
DOUBLE_LIST(X)
#undef X
#define X(id, ...) CODE(id, verify_matrix)
TENSOR_LIST(X)
#undef X

#define ROW(id, text, args, of) [MATH_##id] = { \
		.name = text, .arguments = args, .kind = of, \
		.kernel = { .name = "math_" #id, .summary = text, .independent = true, \
			    .max_threads = 1024, .origin = "cuda_c", .code = &code_##id }, \
		.sums = &hardware[MATH_##id], \
	},
const struct math_function math_table[] = {
#define X(id, text, args, ...) ROW(id, text, args, MATH_FLOAT)
	MATH_LIST(X)
#undef X
#define X(id, text, args, ...) ROW(id, text, args, MATH_DOUBLE)
	DOUBLE_LIST(X)
#undef X
#define X(id, needs, shape, d, a, b, ...) \
	ROW(id, "mma." shape "." d "." a "." b "." d, 3, MATH_MATRIX)
	TENSOR_LIST(X)
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
	if (function->kind == MATH_DOUBLE)
		return DOUBLE_INPUTS;
	if (function->kind == MATH_MATRIX)
		return MATRIX_INPUTS;
	return MATH_BITS + (function->arguments == 2 ? MATH_PAIRS : 0);
}
