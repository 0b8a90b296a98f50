/* table.c - the kernel table: for every kernel what it reads and writes, its limits and its code.
 *
 * Extents follow each kernel's head comment. A new kernel needs its name in Makefile.am (kernels = ...)
 * and one entry here. The code itself, built four times for the simulator and twice for GPUs, comes from
 * the generated kernels/code.h.
 */
#include "config.h"

#include "kernels/kernel_table.h"

#include <string.h>

#include "kernels/code.h"

#define VALUE(call, index) ((call)->values[index].i)

/* --- kv_scatter(rows, cache, D, max_len, position), grid (Hkv) --- */

enum { SCATTER_ROWS, SCATTER_CACHE, SCATTER_D, SCATTER_MAX_LEN, SCATTER_POSITION };

static void scatter_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t row = (uint64_t)VALUE(call, SCATTER_D) * sizeof(float);
	uint64_t head = (uint64_t)VALUE(call, SCATTER_MAX_LEN) * row;

	for (unsigned h = 0; h < call->grid.x; h++)
		extent(context, SCATTER_CACHE, h * head + (uint64_t)VALUE(call, SCATTER_POSITION) * row, row);
}

static void scatter_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, SCATTER_ROWS, 0, call->grid.x * (uint64_t)VALUE(call, SCATTER_D) * sizeof(float));
}

/* --- kv_scatter_batched(rows, cache, positions, D, max_len, stride), grid (Hkv, M) --- */

enum { BATCHED_ROWS, BATCHED_CACHE, BATCHED_POSITIONS, BATCHED_D, BATCHED_MAX_LEN, BATCHED_STRIDE };

static void batched_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t row = (uint64_t)VALUE(call, BATCHED_D) * sizeof(float);
	uint64_t head = (uint64_t)VALUE(call, BATCHED_MAX_LEN) * row;
	uint64_t slot = (uint64_t)VALUE(call, BATCHED_STRIDE) * sizeof(float);

	for (unsigned m = 0; m < call->grid.y; m++) {
		int32_t position;

		if (!call->read(call->context, BATCHED_POSITIONS, m * sizeof position, sizeof position, &position)
		    || position < 0)
			continue;
		for (unsigned h = 0; h < call->grid.x; h++)
			extent(context, BATCHED_CACHE, m * slot + h * head + (uint64_t)position * row, row);
	}
}

static void batched_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, BATCHED_ROWS, 0, (uint64_t)call->grid.x * call->grid.y
	       * (uint64_t)VALUE(call, BATCHED_D) * sizeof(float));
	extent(context, BATCHED_POSITIONS, 0, call->grid.y * sizeof(int32_t));
}

/* --- flash_decode_chunk(q, k, v, partials, seq_lens, Hkv, D, max_len, stride, C, scale),
 *     grid (H, M, max_chunks) --- */

enum { CHUNK_Q, CHUNK_K, CHUNK_V, CHUNK_PARTIALS, CHUNK_SEQ_LENS, CHUNK_HKV, CHUNK_D, CHUNK_MAX_LEN,
	CHUNK_STRIDE, CHUNK_C, CHUNK_SCALE };

static void chunk_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t partials = (uint64_t)call->grid.x * call->grid.y * call->grid.z;

	/* An empty chunk's accumulators are left as they were, which is the same on every device. */
	extent(context, CHUNK_PARTIALS, 0, partials * ((uint64_t)VALUE(call, CHUNK_D) + 2) * sizeof(float));
}

static void chunk_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t row = (uint64_t)VALUE(call, CHUNK_D) * sizeof(float);
	uint64_t head = (uint64_t)VALUE(call, CHUNK_MAX_LEN) * row;
	uint64_t slot = (uint64_t)VALUE(call, CHUNK_STRIDE) * sizeof(float);

	extent(context, CHUNK_Q, 0, (uint64_t)call->grid.x * call->grid.y * row);
	extent(context, CHUNK_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		int32_t keys;

		if (!call->read(call->context, CHUNK_SEQ_LENS, m * sizeof keys, sizeof keys, &keys) || keys <= 0)
			continue;
		for (int64_t h = 0; h < VALUE(call, CHUNK_HKV); h++) {
			extent(context, CHUNK_K, m * slot + (uint64_t)h * head, (uint64_t)keys * row);
			extent(context, CHUNK_V, m * slot + (uint64_t)h * head, (uint64_t)keys * row);
		}
	}
}

/* One score and one softmax point per tile of 32 keys; a chunk has no more keys than the cache. */
static unsigned chunk_points(const struct kernel_call *call)
{
	int64_t C = VALUE(call, CHUNK_C), max_len = VALUE(call, CHUNK_MAX_LEN);

	return (unsigned)(2 * (((C < max_len ? C : max_len) + 31) / 32));
}

/* --- flash_decode_reduce(partials, out, seq_lens, D, C, max_chunks), grid (H, M) --- */

enum { REDUCE_PARTIALS, REDUCE_OUT, REDUCE_SEQ_LENS, REDUCE_D, REDUCE_C, REDUCE_MAX_CHUNKS };

static void reduce_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	extent(context, REDUCE_OUT, 0, (uint64_t)call->grid.x * call->grid.y
	       * (uint64_t)VALUE(call, REDUCE_D) * sizeof(float));
}

static void reduce_reads(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	uint64_t partial = ((uint64_t)VALUE(call, REDUCE_D) + 2) * sizeof(float);
	uint64_t row = (uint64_t)VALUE(call, REDUCE_MAX_CHUNKS) * partial;

	extent(context, REDUCE_SEQ_LENS, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		int32_t keys;

		if (!call->read(call->context, REDUCE_SEQ_LENS, m * sizeof keys, sizeof keys, &keys) || keys <= 0)
			continue;
		for (unsigned h = 0; h < call->grid.x; h++)
			extent(context, REDUCE_PARTIALS, ((uint64_t)m * call->grid.x + h) * row,
			       (uint64_t)((keys + VALUE(call, REDUCE_C) - 1) / VALUE(call, REDUCE_C)) * partial);
	}
}

static unsigned reduce_points(const struct kernel_call *call)
{
	return (unsigned)VALUE(call, REDUCE_MAX_CHUNKS);
}

/* --- code: what the build made of each source --- */

/* X-macro over all kernels, from the list in Makefile.am. */
#define X(name) \
	extern const struct sim_code ft_code_##name##_baseline_plain, ft_code_##name##_baseline_probed; \
	extern const struct kernel_source sources_##name[];
KERNEL_CODE_LIST(X)
#undef X

#ifdef HAVE_AVX2_KERNELS
#define X(name) \
	extern const struct sim_code ft_code_##name##_avx2_plain, ft_code_##name##_avx2_probed;
KERNEL_CODE_LIST(X)
#undef X
#define AVX2_CODE(name, probe) &ft_code_##name##_avx2_##probe
#else
#define AVX2_CODE(name, probe) NULL
#endif

#ifdef HAVE_CUDA
#define X(name) \
	extern const unsigned char fatbin_##name[], fatbin_##name##_probed[]; \
	extern const unsigned long fatbin_##name##_size, fatbin_##name##_probed_size;
KERNEL_CODE_LIST(X)
#undef X
#define FATBIN(name) fatbin_##name
#define FATBIN_SIZE(name) &fatbin_##name##_size
#else
#define FATBIN(name) NULL
#define FATBIN_SIZE(name) NULL
#endif

#define X(name) \
	static const struct kernel_code code_##name = { \
		.sim = { { &ft_code_##name##_baseline_plain, AVX2_CODE(name, plain) }, \
			 { &ft_code_##name##_baseline_probed, AVX2_CODE(name, probed) } }, \
		.fatbin = { FATBIN(name), FATBIN(name##_probed) }, \
		.fatbin_bytes = { FATBIN_SIZE(name), FATBIN_SIZE(name##_probed) }, \
		.sources = sources_##name, \
	};
KERNEL_CODE_LIST(X)
#undef X

/* --- the table --- */

static const struct kernel kv_scatter = {
	.name = "kv_scatter",
	.summary = "writes one new K or V row per KV head into the cache",
	.role = ROLE_SCATTER, .independent = true, .origin = "cuda_c",
	.writes = scatter_writes, .reads = scatter_reads,
	.code = &code_kv_scatter,
};

static const struct kernel kv_scatter_batched = {
	.name = "kv_scatter_batched",
	.summary = "writes the new K or V rows of all sequences into their caches",
	.role = ROLE_SCATTER, .independent = true, .origin = "cuda_c",
	.writes = batched_writes, .reads = batched_reads,
	.code = &code_kv_scatter_batched,
};

static const struct kernel flash_decode_chunk = {
	.name = "flash_decode_chunk",
	.summary = "attends to one chunk of keys per block and publishes its partial",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32, .origin = "cuda_c",
	.writes = chunk_writes, .reads = chunk_reads, .points = chunk_points,
	.code = &code_flash_decode_chunk,
};

static const struct kernel flash_decode_reduce = {
	.name = "flash_decode_reduce",
	.summary = "merges the partials of each row in index order",
	.role = ROLE_REDUCE, .independent = true, .max_threads = 32, .origin = "cuda_c",
	.writes = reduce_writes, .reads = reduce_reads, .points = reduce_points,
	.code = &code_flash_decode_reduce,
};

const struct kernel *const kernel_table[] = {
	&kv_scatter, &kv_scatter_batched, &flash_decode_chunk, &flash_decode_reduce, NULL
};

const struct kernel *kernel_find(const char *name)
{
	for (int i = 0; kernel_table[i]; i++)
		if (strcmp(kernel_table[i]->name, name) == 0)
			return kernel_table[i];
	return NULL;
}

/* --- what callers ask --- */

static bool has_avx2(void)
{
#ifdef HAVE_AVX2_KERNELS
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

const struct sim_code *kernel_sim_code(const struct kernel *kernel, bool probed)
{
	const struct sim_code *const *builds = kernel->code->sim[probed];

	return builds[1] && has_avx2() ? builds[1] : builds[0];
}

const struct kernel_param *kernel_params(const struct kernel *kernel, int *count)
{
	const struct sim_code *code = kernel_sim_code(kernel, false);

	*count = code->param_count;
	return code->params;
}

int kernel_param_index(const struct kernel *kernel, const char *name)
{
	int count;
	const struct kernel_param *params = kernel_params(kernel, &count);

	for (int i = 0; i < count; i++)
		if (strcmp(params[i].name, name) == 0)
			return i;
	return -1;
}

const struct kernel_source *kernel_sources(const struct kernel *kernel)
{
	return kernel->code->sources;
}

const void *kernel_fatbin(const struct kernel *kernel, bool probed, size_t *bytes)
{
	if (!kernel->code->fatbin[probed])
		return NULL;
	*bytes = *kernel->code->fatbin_bytes[probed];
	return kernel->code->fatbin[probed];
}
