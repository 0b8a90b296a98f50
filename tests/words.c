/* words.c - launches the kernels of tests/words.cu with fixed inputs on any device. */
#include "config.h"

#include "tests/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define WORD_LIST(X) \
	X(word_indices) X(word_shuffles) X(word_votes) X(word_reductions) \
	X(word_butterflies) X(word_subwarps) \
	X(word_static_shared) X(word_dynamic_shared) X(word_block_votes) X(word_early_exit) \
	X(word_atomics) X(word_flags) X(word_arithmetic) X(word_by_value) X(word_pointer_table) \
	X(word_globals) X(word_bounded) X(word_cluster_ranks) X(word_cluster_memory) \
	X(word_cluster_turns) X(word_cluster_async) X(word_cluster_arrivals) \
	X(fail_store) X(fail_trap) X(fail_stack) X(fail_deadlock) X(fail_cluster)

#define X(name) extern const struct sim_code ft_code_##name##_baseline_plain;
WORD_LIST(X)
#undef X
#ifdef HAVE_CUDA
extern const unsigned char fatbin_words[];
extern const unsigned long fatbin_words_size;
#define WORD_FATBIN { fatbin_words, NULL }
#define WORD_FATBIN_BYTES { &fatbin_words_size, NULL }
#else
#define WORD_FATBIN { NULL, NULL }
#define WORD_FATBIN_BYTES { NULL, NULL }
#endif
#ifdef HAVE_AVX2_KERNELS
#define X(name) extern const struct sim_code ft_code_##name##_avx2_plain;
WORD_LIST(X)
#undef X
#define WORD_AVX2(name) &ft_code_##name##_avx2_plain
#else
#define WORD_AVX2(name) NULL
#endif
#ifdef HAVE_DEBUG_KERNELS
#define X(name) extern const struct sim_code ft_code_##name##_debug_plain;
WORD_LIST(X)
#undef X
#define WORD_DEBUG(name) &ft_code_##name##_debug_plain
#else
#define WORD_DEBUG(name) NULL
#endif

static const struct kernel_source sources[] = { { "tests/words.cu", "" }, { NULL, NULL } };

#define X(word) \
	static const struct kernel_code code_##word = { \
		.sim = { { &ft_code_##word##_baseline_plain, WORD_AVX2(word), \
			   WORD_DEBUG(word) } }, \
		.fatbin = WORD_FATBIN, .fatbin_bytes = WORD_FATBIN_BYTES, \
		.sources = sources, \
	}; \
	static const struct kernel word = { \
		.name = #word, .origin = "cuda_c", \
		.code = &code_##word, \
	};
WORD_LIST(X)
#undef X

static const struct kernel *const words[] = {
#define X(name) &name,
	WORD_LIST(X)
#undef X
};

const struct kernel *word_kernel(const char *name)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i]->name, name) == 0)
			return words[i];
	fprintf(stderr, "no test kernel %s\n", name);
	exit(99);
}

static void must(enum status status)
{
	if (status != STATUS_OK) {
		fprintf(stderr, "%s\n", error_text());
		exit(99);
	}
}

struct device *word_device(const char *name, uint64_t seed, int jobs)
{
	struct device_options options = { .seed = seed, .jobs = jobs, .poison = true };
	struct device *device;

	must(device_open(name, &options, &device));
	return device;
}

struct buffer *word_buffer(struct device *device, const char *name, size_t count,
			   const void *values)
{
	struct buffer_spec spec = {
		.name = name, .dtype = DTYPE_I32, .rank = 1, .shape = { (int64_t)count },
	};
	struct buffer *buffer;

	must(device_alloc(device, &spec, &buffer));
	if (values)
		must(device_upload(device, NULL, buffer, 0, values, 4 * count));
	return buffer;
}

void word_read(struct device *device, const struct buffer *buffer, void *out)
{
	must(device_download(device, NULL, buffer, 0, out, buffer->bytes));
}

enum status word_launch(struct device *device, const char *name, struct dim3 grid,
			struct dim3 block, unsigned shared, const struct arg *args, int arg_count)
{
	struct launch launch = {
		.kernel = word_kernel(name), .grid = grid, .block = block, .shared_bytes = shared,
		.args = args, .arg_count = arg_count, .layer = -1,
	};
	enum status status = device_launch(device, &launch);

	return status ? status : device_sync(device, NULL);
}

#define ARGS(...) (const struct arg[]){ __VA_ARGS__ }, \
	(int)(sizeof((const struct arg[]){ __VA_ARGS__ }) / sizeof(struct arg))
#define DIM(x, y, z) ((struct dim3){ x, y, z })

/* Reads the result of a case into *out. Its buffers are freed with the device. */
static void result(struct device *device, const struct buffer *buffer, uint32_t **out,
		   size_t *count)
{
	*count = buffer->bytes / 4;
	*out = xmalloc(buffer->bytes);
	word_read(device, buffer, *out);
}

/* --- the cases --- */

static struct buffer *case_indices(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 3 * 2 * 4 * 5 * 3 * 2, NULL);

	must(word_launch(device, "word_indices", DIM(3, 2, 4), DIM(5, 3, 2), 0,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

static const struct shuffle_case {
	unsigned mask;
	int argument, width;
} shuffle_cases[] = {
	{ 0xffffffffu, 0, 32 }, { 0xffffffffu, 5, 32 }, { 0xffffffffu, 31, 32 },
	{ 0xffffffffu, 16, 32 }, { 0xffffffffu, 3, 16 }, { 0xffffffffu, 9, 8 },
	{ 0xffffffffu, 1, 4 }, { 0xffffffffu, 1, 2 }, { 0xffffffffu, 7, 1 },
	{ 0xffffffffu, 17, 16 }, { 0x0000ffffu, 2, 16 }, { 0xff00ff00u, 1, 8 },
	{ 0x0000000fu, 1, 4 }, { 0xffffffffu, 40, 32 },
};

static struct buffer *case_shuffles(struct device *device)
{
	size_t cases = sizeof shuffle_cases / sizeof shuffle_cases[0];
	struct buffer *out = word_buffer(device, "out", cases * 32 * 8, NULL);

	for (size_t i = 0; i < cases; i++)
		must(word_launch(device, "word_shuffles", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				 ARGS(ARG_AT(out, i * 32 * 8 * 4),
				      { .kind = PARAM_U32, .value.u32 = shuffle_cases[i].mask },
				      ARG_I32(shuffle_cases[i].argument),
				      ARG_I32(shuffle_cases[i].width))));
	return out;
}

static const unsigned vote_masks[] = { 0xffffffffu, 0x0000ffffu, 0xfffffffeu, 0x80000001u,
				       0x000000f0u };
static const unsigned vote_yes[] = { 0xffffffffu, 0, 0xf0f0f0f0u, 1u };

static struct buffer *case_votes(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 5 * 4 * 256, NULL);

	for (unsigned i = 0; i < 20; i++)
		must(word_launch(device, "word_votes", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				 ARGS(ARG_AT(out, i * 1024),
				      { .kind = PARAM_U32, .value.u32 = vote_masks[i % 5] },
				      { .kind = PARAM_U32, .value.u32 = vote_yes[i / 5] })));
	return out;
}

static struct buffer *case_reductions(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 5 * 256, NULL);

	for (unsigned i = 0; i < 5; i++)
		must(word_launch(device, "word_reductions", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				 ARGS(ARG_AT(out, i * 1024),
				      { .kind = PARAM_U32, .value.u32 = vote_masks[i] })));
	return out;
}

float butterfly_value(int number, int lane)
{
	static const float odd[] = { -INFINITY, INFINITY, NAN, -0.0f, 0.0f, 1e-45f, 3e38f };
	uint32_t random = (uint32_t)(lane + 1) * 2654435769u;
	float number_of_lane = (float)(int32_t)random * 0x1p-20f;

	switch (number) {
	case 0:  return number_of_lane;
	case 1:  return lane % 5 ? -0.0f : 0.0f;
	case 2:  return -0.0f;
	case 3:  return lane % 7 == 3 ? NAN : number_of_lane;
	case 4:  return NAN;
	case 5:  return lane == 19 ? number_of_lane : -INFINITY;
	case 6:  return number_of_lane * 0x1p-137f;       /* subnormal */
	case 7:  return number_of_lane * 0x1p116f;        /* sums overflow */
	default: return odd[random % 7];
	}
}

static struct buffer *case_butterflies(struct device *device)
{
	float values[BUTTERFLY_CASES * 32];
	struct buffer *in, *out = word_buffer(device, "out", BUTTERFLY_CASES * 64, NULL);

	for (int i = 0; i < BUTTERFLY_CASES * 32; i++)
		values[i] = butterfly_value(i / 32, i % 32);
	in = word_buffer(device, "in", BUTTERFLY_CASES * 32, values);
	for (int i = 0; i < BUTTERFLY_CASES; i++)
		must(word_launch(device, "word_butterflies", DIM(1, 1, 1), DIM(32, 1, 1), 0,
				 ARGS(ARG_AT(in, (size_t)i * 128), ARG_AT(out, (size_t)i * 256))));
	return out;
}

static struct buffer *case_subwarps(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 64, NULL);

	must(word_launch(device, "word_subwarps", DIM(1, 1, 1), DIM(32, 1, 1), 0,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

static struct buffer *case_static_shared(struct device *device)
{
	int values[3 * 256];
	struct buffer *in, *out = word_buffer(device, "out", 3 * 256, NULL);

	for (int i = 0; i < 3 * 256; i++)
		values[i] = i * i % 1009;
	in = word_buffer(device, "in", 3 * 256, values);
	must(word_launch(device, "word_static_shared", DIM(3, 1, 1), DIM(256, 1, 1), 0,
			 ARGS(ARG_BUFFER(in), ARG_BUFFER(out))));
	return out;
}

static struct buffer *case_dynamic_shared(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 4 * 70, NULL);

	must(word_launch(device, "word_dynamic_shared", DIM(4, 1, 1), DIM(70, 1, 1), 70 * 4,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

static struct buffer *case_block_votes(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 4 * 64, NULL);

	must(word_launch(device, "word_block_votes", DIM(1, 1, 1), DIM(64, 1, 1), 0,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

static struct buffer *case_early_exit(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 128, NULL);

	must(word_launch(device, "word_early_exit", DIM(1, 1, 1), DIM(128, 1, 1), 0,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

/* Integer results do not depend on the order of atomics, nor does a float sum of exact halves. */
static struct buffer *case_atomics(struct device *device)
{
	int zero[16] = { [6] = -1 };
	struct buffer *out = word_buffer(device, "out", 16, zero);

	must(word_launch(device, "word_atomics", DIM(4, 1, 1), DIM(32, 1, 1), 0,
			 ARGS(ARG_BUFFER(out), ARG_AT(out, 32), ARG_AT(out, 40))));
	return out;
}

static struct buffer *case_flags(struct device *device)
{
	int zero[32] = { 0 };
	struct buffer *out = word_buffer(device, "out", 32, zero);

	must(word_launch(device, "word_flags", DIM(16, 1, 1), DIM(32, 1, 1), 0,
			 ARGS(ARG_BUFFER(out), ARG_AT(out, 64))));
	return out;
}

static const uint32_t special[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
	0x7fc00000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
	0xff7fffff, 0x3f000000, 0xc2ae0000, 0x42b17218, 0xc2fc0000, 0x43000000,
	0x4f000000, 0xcf000000, 0x4f7fffff, 0x3effffff, 0x40200000, 0xc0200000,
};

static struct buffer *case_arithmetic(struct device *device)
{
	enum { N = 2000 };
	uint32_t values[N], state = 12345;
	struct buffer *in, *out = word_buffer(device, "out", 20 * N, NULL);

	for (int i = 0; i < N; i++) {
		state = state * 1664525u + 1013904223u;
		values[i] = state;              /* any bit pattern */
		if (i % 3 == 1)                 /* magnitudes between 2^-7 and 2^8 */
			values[i] = (state & 0x807fffffu) | (120 + state % 16) << 23;
		if (i < (int)(sizeof special / sizeof special[0]))
			values[i] = special[i];
	}
	in = word_buffer(device, "in", N, values);
	must(word_launch(device, "word_arithmetic", DIM((N + 63) / 64, 1, 1), DIM(64, 1, 1), 0,
			 ARGS(ARG_BUFFER(in), ARG_BUFFER(out), ARG_I32(N))));
	return out;
}

struct word_blob {
	char tag;
	double scale;
	uint64_t values;
	int padding[5];
};

static struct buffer *case_by_value(struct device *device)
{
	int values[32];
	struct word_blob blob = { .tag = 3, .scale = 2.5, .padding = { 0, 0, 0, 0, 1000 } };
	struct buffer *in, *out = word_buffer(device, "out", 32, NULL);
	struct pointer_field field;
	int16_t small = -50;
	unsigned char tiny = 200;

	for (int i = 0; i < 32; i++)
		values[i] = 11 * i;
	in = word_buffer(device, "in", 32, values);
	field = (struct pointer_field){ offsetof(struct word_blob, values), in, 0 };
	must(word_launch(device, "word_by_value", DIM(1, 1, 1), DIM(32, 1, 1), 0,
			 ARGS({ .kind = PARAM_BLOB, .value.blob = &blob, .bytes = sizeof blob,
				.alignment = 8, .field_count = 1, .fields = &field },
			      ARG_BUFFER(out),
			      { .kind = PARAM_BLOB, .value.blob = &small, .bytes = 2,
				.alignment = 2 },
			      { .kind = PARAM_BLOB, .value.blob = &tiny, .bytes = 1,
				.alignment = 1 })));
	return out;
}

static struct buffer *case_pointer_table(struct device *device)
{
	int values[64];
	struct pointer_entry entries[32];
	struct buffer_spec spec = {
		.name = "table", .dtype = DTYPE_POINTER, .rank = 1, .shape = { 32 },
	};
	struct buffer *in, *table, *out = word_buffer(device, "out", 32, NULL);

	for (int i = 0; i < 64; i++)
		values[i] = 900 + i;
	in = word_buffer(device, "in", 64, values);
	for (int i = 0; i < 32; i++)
		entries[i] = (struct pointer_entry){ i % 5 ? in : NULL, 8 * (uint64_t)i };
	must(device_alloc(device, &spec, &table));
	must(device_upload_pointers(device, NULL, table, 0, entries, 32));
	must(word_launch(device, "word_pointer_table", DIM(1, 1, 1), DIM(32, 1, 1), 0,
			 ARGS(ARG_BUFFER(table), ARG_BUFFER(out))));
	return out;
}

static struct buffer *case_bounded(struct device *device)
{
	struct buffer *out = word_buffer(device, "out", 64, NULL);

	must(word_launch(device, "word_bounded", DIM(1, 1, 1), DIM(64, 1, 1), 0,
			 ARGS(ARG_BUFFER(out))));
	return out;
}

static const struct {
	const char *name;
	struct buffer *(*run)(struct device *);
} cases[] = {
	{ "indices", case_indices }, { "shuffles", case_shuffles }, { "votes", case_votes },
	{ "reductions", case_reductions }, { "butterflies", case_butterflies },
	{ "subwarps", case_subwarps },
	{ "static shared", case_static_shared }, { "dynamic shared", case_dynamic_shared },
	{ "block votes", case_block_votes }, { "early exit", case_early_exit },
	{ "atomics", case_atomics }, { "flags", case_flags }, { "arithmetic", case_arithmetic },
	{ "by value", case_by_value }, { "pointer table", case_pointer_table },
	{ "launch bounds", case_bounded },
};

const char *word_case(struct device *device, int index, uint32_t **out, size_t *count)
{
	if (index >= (int)(sizeof cases / sizeof cases[0]))
		return NULL;
	result(device, cases[index].run(device), out, count);
	return cases[index].name;
}
