/* test_offsets.c - caches beyond 4 Gi elements: offsets need 64 bits, in kernels and on the host.
 *
 * Every path runs twice, with a capacity of 16 keys and with one so large that a head of the cache
 * has more than 2^32 elements. Both hold the same few keys, so both must give the same bits. The
 * large buffers only reserve address space; a few hundred of their pages are written.
 */
#include "config.h"

#include "tests/recording.h"

#include <sys/mman.h>
#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "engine/attention/step_io.h"

#define SPARSE_BYTES ((size_t)1 << 30)  /* sparse from this size on */

enum { MAX_SPARSE = 8, D = 256, HEADS = 2, NARROW = 16, WIDE = (1 << 24) + 1, ROWS = 3, STEPS = 2 };

/* --- a simulator whose large buffers are sparse --- */

static struct device_ops sparse_ops;

/* The simulator's own memory of each sparse buffer, restored before the simulator frees it. */
static struct {
	struct buffer *buffer;
	uint64_t address;
	size_t bytes;
} saved[MAX_SPARSE];

/* For a large buffer the simulator allocates one element; a sparse mapping then replaces it. */
static enum status sparse_alloc(struct device *device, const struct buffer_spec *spec,
				struct buffer **out)
{
	size_t bytes = buffer_spec_bytes(spec);
	struct buffer *buffer;
	void *memory;
	int at = 0;

	if (bytes < SPARSE_BYTES)
		return device_sim.alloc(device, spec, out);
	TRY(device_sim.alloc(device, &(struct buffer_spec){ spec->name, spec->dtype, 1, { 1 } },
			     &buffer));
	while (at < MAX_SPARSE && saved[at].buffer)
		at++;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert(at < MAX_SPARSE && memory != MAP_FAILED);
	saved[at].buffer = buffer;
	saved[at].address = buffer->address;
	saved[at].bytes = buffer->bytes;
	buffer->address = (uint64_t)(uintptr_t)memory;
	buffer->bytes = bytes;
	*out = buffer;
	return STATUS_OK;
}

static enum status sparse_free(struct device *device, struct buffer *buffer)
{
	for (int at = 0; buffer && at < MAX_SPARSE; at++) {
		if (saved[at].buffer != buffer)
			continue;
		munmap((void *)(uintptr_t)buffer->address, buffer->bytes);
		buffer->address = saved[at].address;
		buffer->bytes = saved[at].bytes;
		saved[at].buffer = NULL;
	}
	return device_sim.free(device, buffer);
}

static struct device *open_sparse(void)
{
	struct device *device;

	OK(device_open("sim", &(struct device_options){ 0 }, &device));
	sparse_ops = device_sim;
	sparse_ops.alloc = sparse_alloc;
	sparse_ops.free = sparse_free;
	device->ops = &sparse_ops;
	return device;
}

/* --- paths --- */

struct outputs {
	float prompt[ROWS * HEADS * D];
	float steps[STEPS][2 * HEADS * D];
};

/* A prompt in the last slot, then steps of all slots. */
static void run_path(const struct path *path, int slots, int max_len, struct outputs *out)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = slots, .heads = HEADS, .kv_heads = HEADS, .head_dim = D,
		.max_len = max_len, .chunk = MAX_CHUNK, .scale = attention_scale(D),
		.rung = 4,              /* takes any head size */
	};
	struct device *device = open_sparse();
	float q[ROWS * HEADS * D], k[ROWS * HEADS * D], v[ROWS * HEADS * D];
	struct attention *a;
	uint32_t random = 9;

	OK(attention_create(path, device, &shape, &a));
	for (int step = -1; step < STEPS; step++) {
		recording_fill(q, COUNT(q), &random, false);
		recording_fill(k, COUNT(k), &random, false);
		recording_fill(v, COUNT(v), &random, false);
		if (step < 0)
			OK(attention_prefill(a, &(struct attention_prompt){
				.slot = slots - 1, .rows = ROWS, .q = q, .k = k, .v = v,
				.out = out->prompt }));
		else
			OK(attention_step(a, &(struct attention_step){
				.q = q, .k = k, .v = v, .out = out->steps[step] }));
	}
	attention_destroy(a);
	device_close(device);
}

START_TEST(paths_reach_beyond_4_gi_elements)
{
	const struct path *path = path_table[_i];
	int slots = path == &path_cached ? 1 : 2;
	size_t row = (size_t)slots * HEADS * D;
	struct outputs narrow, wide;

	if (RUNNING_ON_VALGRIND)
		return;
	run_path(path, slots, NARROW, &narrow);
	run_path(path, slots, WIDE, &wide);
	ck_assert_msg(memcmp(narrow.prompt, wide.prompt, sizeof narrow.prompt) == 0,
		      "%s: the prompt differs beyond 4 Gi elements", path->name);
	for (int step = 0; step < STEPS; step++)
		ck_assert_msg(!memcmp(narrow.steps[step], wide.steps[step], row * sizeof(float)),
			      "%s: step %d differs beyond 4 Gi elements", path->name, step);
}
END_TEST

/* --- partials, more than a grid can fill --- */

/* One partial per row; in row r all accumulators are r + 1, the maximum is 0 and the sum 1. */
static void reduce_rows(int max_chunks, float out[HEADS * D])
{
	struct device *device = open_sparse();
	struct buffer *partials, *to, *seq_lens;
	float partial[D + 2];
	int32_t length = 1;

	OK(device_alloc(device, &(struct buffer_spec){ "partials", DTYPE_F32, 3,
						       { HEADS, max_chunks, D + 2 } }, &partials));
	OK(device_alloc(device, &(struct buffer_spec){ "out", DTYPE_F32, 2, { HEADS, D } }, &to));
	OK(device_alloc(device, &(struct buffer_spec){ "seq_lens", DTYPE_I32, 1, { 1 } },
			&seq_lens));
	OK(device_upload(device, NULL, seq_lens, 0, &length, sizeof length));
	for (uint64_t row = 0; row < HEADS; row++) {
		for (int i = 0; i < D; i++)
			partial[i] = (float)(row + 1);
		partial[D] = 0.0f;
		partial[D + 1] = 1.0f;
		OK(device_upload(device, NULL, partials,
				 row * (uint64_t)max_chunks * sizeof partial, partial,
				 sizeof partial));
	}
	const struct arg args[] = {
		ARG_BUFFER(partials), ARG_BUFFER(to), ARG_BUFFER(seq_lens), ARG_I32(D),
		ARG_I32(1), ARG_I32(max_chunks),
	};
	OK(launch_kernel(device, "flash_decode_reduce", -1, (struct dim3){ HEADS, 1, 1 },
			 (struct dim3){ WARP, 1, 1 }, 0, args, COUNT(args)));
	OK(device_download(device, NULL, to, 0, out, HEADS * D * sizeof(float)));
	OK(device_free(device, partials));
	device_close(device);
}

START_TEST(partials_reach_beyond_4_gi_elements)
{
	float narrow[HEADS * D], wide[HEADS * D];

	if (RUNNING_ON_VALGRIND)
		return;
	reduce_rows(NARROW, narrow);
	reduce_rows(WIDE, wide);
	ck_assert_float_eq(wide[(HEADS - 1) * D], (float)HEADS);
	ck_assert_mem_eq(narrow, wide, sizeof narrow);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("offsets");
	int paths = 0;

	while (path_table[paths])
		paths++;
	tcase_add_loop_test(tests, paths_reach_beyond_4_gi_elements, 0, paths);
	tcase_add_test(tests, partials_reach_beyond_4_gi_elements);
	return run_suite("offsets", tests);
}
