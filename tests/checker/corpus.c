/* corpus.c - launches the kernels of the corpus on any device; see corpus.h. */
#include "config.h"

#include "tests/checker/corpus.h"

#include <stdio.h>
#include <string.h>

enum { N = CORPUS_N, FLAGS = 64, DYNAMIC = 32 * sizeof(float), BUFFERS = 4 };

#define CASE(file, name, class, blocks, threads) \
	extern const struct sim_code ft_code_##name##_checked, ft_code_##name##_clean_checked;
#include "tests/checker/cases.h"
#undef CASE

const struct corpus_case corpus_cases[] = {
#define CASE(file, name, class, blocks, threads) \
	{ #file, #name, class, blocks, threads },
#include "tests/checker/cases.h"
#undef CASE
};
const int corpus_count = (int)(sizeof corpus_cases / sizeof corpus_cases[0]);

/* --- the code of each kernel, with the fatbin of its file --- */

#ifdef HAVE_CUDA
#define X(file) \
	extern const unsigned char fatbin_##file[]; \
	extern const unsigned long fatbin_##file##_size;
X(oob) X(memory) X(accesses) X(copies) X(bulk) X(race_shared) X(race_global) X(meeting)
X(block) X(tables) X(strong) X(patterns) X(cluster)
#undef X
#define FATBIN(file) .fatbin = { fatbin_##file }, .fatbin_bytes = { &fatbin_##file##_size }
#else
#define FATBIN(file) .fatbin = { NULL }
#endif

static const struct kernel_source sources[] = { { "tests/checker/", "" }, { NULL, NULL } };

#define BUILT(unit, word) \
	{ .sim = { { &ft_code_##word##_checked }, { &ft_code_##word##_checked } }, \
	  .checked = &ft_code_##word##_checked, .sources = sources, FATBIN(unit) },
#define CASE(unit, word, kind, grid, block) \
	BUILT(unit, word) BUILT(unit, word##_clean)
static const struct kernel_code codes[] = {     /* [2 * case + clean] */
#include "tests/checker/cases.h"
};
#undef CASE

#define CASE(unit, word, kind, grid, block) \
	{ .name = #word, .origin = "cuda_c" }, { .name = #word "_clean", .origin = "cuda_c" },
static struct kernel kernels[] = {              /* the same; corpus_launch() sets their code */
#include "tests/checker/cases.h"
};
#undef CASE

/* --- launching --- */

enum status corpus_buffer(struct device *device, const char *name, enum dtype dtype, int count,
			  const void *values, struct buffer **out)
{
	const struct buffer_spec spec = {
		.name = name, .dtype = dtype, .rank = 1, .shape = { count },
	};

	TRY(device_alloc(device, &spec, out));
	return values ? device_upload(device, NULL, *out, 0, values, (*out)->bytes) : STATUS_OK;
}

/* Writes the table with which flags begins in tables.cu. */
static enum status write_table(struct device *device, struct buffer *const buffers[BUFFERS])
{
	struct buffer *freed;
	int64_t table[5] = { 0 };

	TRY(corpus_buffer(device, "freed", DTYPE_F32, N, NULL, &freed));
	table[0] = (int64_t)buffers[0]->address;
	table[1] = (int64_t)buffers[1]->address;
	table[2] = (int64_t)freed->address;
	table[4] = ((int64_t)buffers[3]->address - table[0]) / (int64_t)sizeof(float);
	TRY(device_free(device, freed));
	return device_upload(device, NULL, buffers[2], 0, table, sizeof table);
}

static enum status make_buffers(struct device *device, struct buffer *buffers[BUFFERS])
{
	static const int zeros[FLAGS];
	float values[N];

	for (int i = 0; i < N; i++)
		values[i] = (float)i;
	TRY(corpus_buffer(device, "x", DTYPE_F32, N, values, &buffers[0]));
	TRY(corpus_buffer(device, "y", DTYPE_F32, N, NULL, &buffers[1]));
	TRY(corpus_buffer(device, "flags", DTYPE_I32, FLAGS, zeros, &buffers[2]));
	return corpus_buffer(device, "other", DTYPE_F32, N, values, &buffers[3]);
}

enum status corpus_launch(struct device *device, const struct corpus_case *c, bool clean,
			  uint32_t y[CORPUS_N])
{
	struct kernel *kernel = &kernels[2 * (c - corpus_cases) + clean];
	struct buffer *buffers[BUFFERS];
	struct error_record error;
	enum status status;

	kernel->code = &codes[kernel - kernels];
	TRY(make_buffers(device, buffers));
	if (strcmp(c->file, "tables") == 0)
		TRY(write_table(device, buffers));
	status = device_launch(device, &(struct launch){
		.kernel = kernel, .grid = { c->blocks }, .block = { c->threads },
		.cluster = { strcmp(c->file, "cluster") == 0 ? c->blocks : 1 },
		.shared_bytes = DYNAMIC, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(buffers[0]), ARG_BUFFER(buffers[1]),
					ARG_BUFFER(buffers[2]), ARG_I32(N) }, .arg_count = 4 });
	if (status == STATUS_OK)
		status = device_sync(device, NULL);
	if (status == STATUS_OK && y)
		status = device_download(device, NULL, buffers[1], 0, y, CORPUS_N * sizeof *y);
	error_save(&error);
	for (int i = 0; i < BUFFERS; i++)
		device_free(device, buffers[i]);
	error_restore(&error);
	return status;
}
