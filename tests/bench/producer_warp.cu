/* producer_warp.cu - rung 9 on tensor cores with bf16 or, with SPLIT_E4M3, e4m3, and a form of it
 * with producer warps: why the ladder has no such rung.
 *
 * Compiled with PRODUCERS=0, all warps copy their own tiles (kernels/split_lanes.cuh). With
 * PRODUCERS=N, N more warps of a block copy the tiles of the other eight, and two barriers for each
 * place of a ring say when a tile has landed and when it was read. With SPLIT_PAIR two blocks run
 * on a multiprocessor. All have the same arithmetic.
 *
 *   producer_warp        times the shapes below: medians of SAMPLES samples of LAUNCHES launches
 *                        that overlap
 *   producer_warp small  two short sequences, without times
 *
 * Prints a line for each shape: blocks of a multiprocessor x producer warps of a block, us of a
 * launch, and a sum of the bits of the partials, which must be that of PRODUCERS=0.
 * tests/gpu/ladder-producer.sh compares builds.
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#ifndef SPLIT_E4M3
#undef SPLIT_BF16
#define SPLIT_BF16
#define TYPE_NAME "bf16"
#else
#define TYPE_NAME "e4m3"
#endif
#define SPLIT_TENSOR

#if PRODUCERS > 0
#define source_begin lanes_begin
#define source_release_keys lanes_release_keys
#define source_release_values lanes_release_values
#include "kernels/split_lanes.cuh"
#undef source_begin
#undef source_release_keys
#undef source_release_values
#undef source_wait
#endif
#include "kernels/split_batch.cuh"

#define DIM_OF_HEADS 128
#define PLACES_OF(heads) SOURCE_PLACES(heads, DIM_OF_HEADS)
#define BLOCK_THREADS (WARP * (SPLIT_WARPS + PRODUCERS))
#ifdef SPLIT_PAIR
#define BLOCKS_AT_ONCE 2                /* of a multiprocessor */
#else
#define BLOCKS_AT_ONCE 1
#endif
/* Room for 4 or 8 query heads, and the dynamic shared memory that it takes. */
#define ROOM_OF(H, Hkv) ((H) <= 4 * (Hkv) ? 4 : 8)
#define SHARED_BYTES(heads) \
	(4 * (SOURCE_FLOATS(heads, DIM_OF_HEADS) + TENSOR_FLOATS(heads, DIM_OF_HEADS)))

#if PRODUCERS > 0

/* --- the warps that attend: source_*() of split_kernel.cuh --- */

/* Of a warp; two blocks of a multiprocessor have little room for barriers. */
#define MOST_PLACES PLACES_OF(4)

/* Of each warp and place: a tile has landed; it was read. */
static __device__ uint64_t *barriers_of(int warp, bool landed)
{
	__shared__ uint64_t all[2][SPLIT_WARPS][MOST_PLACES];

	return all[landed][warp];
}

/* Of a warp that attends, `late` is the parity of the barriers that it waits for. */
static __device__ void source_begin(struct split_source *source, const struct split *s,
				    const struct split_launch *, const struct plan_run *,
				    int places, bool, bool)
{
	source->tiles = (char *)s->tiles + (int)threadIdx.y * places * LANES_TILE(s->D);
	source->place = -2;
	source->late = true;
}

static __device__ void producer_wait(struct split_source *source, bool values, int places)
{
	if (!values) {
		source->place = source->place + 2 == places ? 0 : source->place + 2;
		if (source->place == 0)
			source->late = !source->late;
	}
	mbarrier_wait(barriers_of(threadIdx.y, true) + source->place + values, source->late);
}
#define source_wait(source, values, places) producer_wait((source), (values), (places))

static __device__ void producer_release(struct split_source *source, bool values)
{
	__syncwarp();
	if (threadIdx.x == 0)
		mbarrier_arrive(barriers_of(threadIdx.y, false) + source->place + values);
}
#define source_release_keys(source, D, places) producer_release((source), false)
#define source_release_values(source, D, places) producer_release((source), true)

/* Only the warps that attend meet. */
#undef __syncthreads
#define __syncthreads() asm volatile("bar.sync 1, 256;" ::: "memory")

#endif

#include "kernels/split_planned.cuh"
#include "kernels/split_tensor_kernel.cuh"

#ifdef FLASHTWIN_SIM
#define ATTEND(passes) split_attend_##passes##_medium
#else
#define ATTEND(passes) split_attend_##passes##_128
#endif

#if PRODUCERS > 0

/* --- the warps that copy --- */

/* The state of the ring of one warp that attends. */
struct ring {
	int next;
	bool parity;
};

static __device__ void copy_tile(struct split_source *source, struct ring *ring, int warp,
				 bool values, char *tiles, int places)
{
	source->tiles = tiles + warp * places * LANES_TILE(DIM_OF_HEADS);
	source->next = ring->next;
	if (walk_must_wait(&source->walk, DIM_OF_HEADS))
		walk_wait(&source->walk);
	mbarrier_wait(barriers_of(warp, false) + ring->next + values, ring->parity);
	lanes_copy(source, values, DIM_OF_HEADS);
	async_arrive(barriers_of(warp, true) + ring->next + values);
	if (values) {
		ring->next = ring->next + 2 == places ? 0 : ring->next + 2;
		if (ring->next == 0)
			ring->parity = !ring->parity;
	}
}

/* Copies the tiles of the warps `first`, first + PRODUCERS and so on for the block's run. */
static __device__ void produce(const struct split_launch *in, int first, char *tiles, int places)
{
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct ring rings[SPLIT_WARPS / PRODUCERS];
	struct split_source source;

#pragma unroll
	for (int i = 0; i < SPLIT_WARPS / PRODUCERS; i++)
		rings[i] = { 0, true };
	source.walk.in = in;
	source.walk.waited = false;
	while (run.count > 0) {
		struct plan_unit unit = run.ahead;

		plan_go_on(&run);
		source.walk.cache = split_cache(in, unit.row / in->Hkv, unit.row % in->Hkv);
		source.walk.end = unit.end;
		walk_locate(&source.walk, &unit);
		for (int key = unit.begin; key < unit.end; key += SPLIT_STEP(DIM_OF_HEADS))
#pragma unroll
			for (int i = 0; i < 2 * SPLIT_WARPS / PRODUCERS; i++) {
				int ring = i % (SPLIT_WARPS / PRODUCERS);
				int warp = first + ring * PRODUCERS;

				source.walk.key = key + warp * SPLIT_TILE(DIM_OF_HEADS);
				if (source.walk.key < unit.end)
					copy_tile(&source, &rings[ring], warp,
						  i >= SPLIT_WARPS / PRODUCERS, tiles, places);
			}
	}
	async_wait(0);
}

static __device__ void make_barriers(void)
{
	if (threadIdx.x == 0 && threadIdx.y < SPLIT_WARPS)
		for (int i = 0; i < MOST_PLACES; i++) {
			mbarrier_init(barriers_of(threadIdx.y, true) + i, WARP);
			mbarrier_init(barriers_of(threadIdx.y, false) + i, 1);
		}
	if (threadIdx.x == 0)
		mbarrier_init_fence();
	asm volatile("bar.sync 0;" ::: "memory");
}

#undef __syncthreads

#endif

static __device__ void run_block(const struct split_launch *in, int heads, split_attend_fn *attend,
				 float *shared)
{
#if PRODUCERS > 0
	make_barriers();
	if (threadIdx.y >= SPLIT_WARPS) {
		produce(in, threadIdx.y - SPLIT_WARPS, (char *)shared, PLACES_OF(heads));
		return;
	}
#endif
	planned_run(in, heads, attend, shared);
}

__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_AT_ONCE)
attend(const float *q, const split_element *k, const split_element *v, float *partials,
       const int *plan, const float *scales, int H, int Hkv, int max_len, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials,
	};

#ifdef SPLIT_E4M3
	in.k_scale = in.v_scale = scales;
#else
	(void)scales;
#endif
	in.plan = plan;
	in.H = H;
	in.Hkv = Hkv;
	in.D = DIM_OF_HEADS;
	in.max_len = max_len;
	in.stride = (long long)Hkv * max_len * DIM_OF_HEADS;
	in.scale = scale;
	grid_let_next();
	if (ROOM_OF(H, Hkv) == 4)
		run_block(&in, 4, ATTEND(1), shared);
	else
		run_block(&in, 8, ATTEND(2), shared);
}

__global__ void __launch_bounds__(PLAN_THREADS)
make_plan(const int *seq_lens, int *plan, int Hkv, int blocks)
{
	struct batch b = { seq_lens, Hkv };

	batch_plan(&b, plan, blocks);
}

/* --- the host --- */

#define SAMPLES 50
#define LAUNCHES 20

static void check(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "producer_warp: %s: %s\n", what, cudaGetErrorString(error));
	exit(2);
}
#define CHECK(call) check((call), #call)

/* Of element i of an array: a float in [-1, 1). */
static __device__ float number(unsigned long long i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15ULL;
	i = (i ^ i >> 31) * 0xbf58476d1ce4e5b9ULL;
	return (float)(int)(i >> 32) * 0x1p-31f;
}

__global__ void fill_floats(float *to, size_t count)
{
	for (size_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += 256 * gridDim.x)
		to[i] = number(i);
}

__global__ void fill_elements(split_element *to, size_t count, size_t seed)
{
	for (size_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += 256 * gridDim.x) {
		unsigned bits = __float_as_uint(number(i + seed));

#ifdef SPLIT_E4M3
		to[i] = (unsigned char)((bits ^ bits >> 24) & 0xbf);    /* less than 2, no NaN */
#else
		to[i] = (unsigned short)(bits >> 16);
#endif
	}
}

__global__ void fill_ones(float *to)
{
	to[threadIdx.x] = 1.0f;
}

struct shape {
	const char *name;
	int M, H, Hkv, keys;
};

/* A batch on the device, with copies of the cache, so that no launch finds its keys in the L2. */
struct bench {
	struct shape shape;
	int blocks, copies;
	size_t elements;                /* of the keys of a copy */
	float *q, *partials, *scales;
	split_element *k, *v;
	int *seq_lens, *plan;
	size_t partial_count;
};

static void make(struct bench *b, int blocks)
{
	const struct shape *s = &b->shape;
	size_t units = (size_t)s->M * s->Hkv * SPLITS, heads = (size_t)s->M * s->H;
	std::vector<int> lengths(s->M, s->keys);

	b->blocks = (size_t)blocks < units ? blocks : (int)units;
	b->elements = (size_t)s->M * s->Hkv * s->keys * DIM_OF_HEADS;
	b->copies = (int)(((size_t)512 << 20) / (2 * sizeof *b->k * b->elements)) + 1;
	if (s->keys < 1000)
		b->copies = 1;
	b->partial_count = heads * SPLITS * (DIM_OF_HEADS + 2);
	CHECK(cudaMalloc(&b->q, heads * DIM_OF_HEADS * sizeof(float)));
	CHECK(cudaMalloc(&b->k, b->copies * b->elements * sizeof *b->k));
	CHECK(cudaMalloc(&b->v, b->copies * b->elements * sizeof *b->k));
	CHECK(cudaMalloc(&b->partials, b->partial_count * sizeof(float)));
	CHECK(cudaMalloc(&b->seq_lens, s->M * sizeof(int)));
	CHECK(cudaMalloc(&b->plan, (PLAN_HEADS(b->blocks) + PLAN_UNIT * units) * sizeof(int)));
	CHECK(cudaMalloc(&b->scales, s->Hkv * sizeof(float)));
	CHECK(cudaMemset(b->partials, 0, b->partial_count * sizeof(float)));
	CHECK(cudaMemcpy(b->seq_lens, lengths.data(), s->M * sizeof(int),
			 cudaMemcpyHostToDevice));
	fill_floats<<<8, 256>>>(b->q, heads * DIM_OF_HEADS);
	for (int i = 0; i < b->copies; i++) {
		fill_elements<<<4 * blocks, 256>>>(b->k + i * b->elements, b->elements, 1);
		fill_elements<<<4 * blocks, 256>>>(b->v + i * b->elements, b->elements, 99991);
	}
	fill_ones<<<1, s->Hkv>>>(b->scales);
	make_plan<<<s->M, PLAN_THREADS>>>(b->seq_lens, b->plan, s->Hkv, b->blocks);
	CHECK(cudaGetLastError());
}

/* Launches overlap, as those of rung 9 do. */
static void launch(const struct bench *b, int copy)
{
	const struct shape *s = &b->shape;
	const split_element *k = b->k + copy * b->elements, *v = b->v + copy * b->elements;
	cudaLaunchAttribute overlap = {};
	cudaLaunchConfig_t config = {};

	overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	overlap.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = dim3(b->blocks);
	config.blockDim = dim3(WARP, SPLIT_WARPS + PRODUCERS);
	config.dynamicSmemBytes = SHARED_BYTES(ROOM_OF(s->H, s->Hkv));
	config.attrs = &overlap;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, attend, (const float *)b->q, k, v, b->partials,
				 (const int *)b->plan, (const float *)b->scales, s->H, s->Hkv,
				 s->keys, 0.08838834764831845f));
}

/* The median, in us. */
static double time_launches(const struct bench *b)
{
	std::vector<double> us;
	cudaEvent_t begin, end;
	int copy = 0;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int i = -2; i < SAMPLES; i++) {
		float ms;

		CHECK(cudaEventRecord(begin));
		for (int n = 0; n < LAUNCHES; n++)
			launch(b, copy++ % b->copies);
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		if (i >= 0)
			us.push_back(ms * 1e3 / LAUNCHES);
	}
	CHECK(cudaEventDestroy(begin));
	CHECK(cudaEventDestroy(end));
	std::sort(us.begin(), us.end());
	return us[SAMPLES / 2];
}

static unsigned long long sum_of_bits(const struct bench *b)
{
	std::vector<unsigned> bits(b->partial_count);
	unsigned long long sum = 0;

	CHECK(cudaMemcpy(bits.data(), b->partials, b->partial_count * sizeof(float),
			 cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < bits.size(); i++)
		sum += (bits[i] + i) * 0x9e3779b97f4a7c15ULL;
	return sum;
}

static void measure(const struct shape &shape, bool timed)
{
	struct bench b = { shape };
	int blocks = 4;

	if (timed) {
		int shared = SHARED_BYTES(ROOM_OF(shape.H, shape.Hkv)), at_once;

		CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, attend, BLOCK_THREADS,
								    shared));
		if (at_once != BLOCKS_AT_ONCE) {
			fprintf(stderr, "producer_warp: %s: %d blocks at once\n", shape.name,
				at_once);
			exit(1);
		}
	}
	make(&b, blocks * BLOCKS_AT_ONCE);
	launch(&b, 0);
	CHECK(cudaDeviceSynchronize());
	printf("%s,%s %dx%d %.2f %016llx\n", TYPE_NAME, shape.name, BLOCKS_AT_ONCE, PRODUCERS,
	       timed ? time_launches(&b) : 0.0, sum_of_bits(&b));
	for (void *p : { (void *)b.q, (void *)b.k, (void *)b.v, (void *)b.partials,
			 (void *)b.seq_lens, (void *)b.plan, (void *)b.scales })
		CHECK(cudaFree(p));
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{ "1,32/8,128,4K", 1, 32, 8, 4 << 10 }, { "1,32/8,128,32K", 1, 32, 8, 32 << 10 },
		{ "32,32/8,128,8K", 32, 32, 8, 8 << 10 }, { "64,28/4,128,4K", 64, 28, 4, 4 << 10 },
		{ "16,64/8,128,32K", 16, 64, 8, 32 << 10 },
	};
	static const struct shape small[] = { { "2,4/1,128,300", 2, 4, 1, 300 },
					      { "1,7/1,128,515", 1, 7, 1, 515 } };

	CHECK(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   std::max(SHARED_BYTES(4), SHARED_BYTES(8))));
	if (argc > 1 && strcmp(argv[1], "small") == 0)
		for (const struct shape &shape : small)
			measure(shape, false);
	else
		for (const struct shape &shape : shapes)
			measure(shape, true);
	return 0;
}
