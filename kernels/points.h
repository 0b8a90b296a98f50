/* points.h - named points: values that a kernel publishes while it runs, under a stable name.
 *
 * POINT(name, v0, v1, ...) publishes up to four floats of the calling thread. In the plain build it
 * expands to nothing. In the probed build (-DFLASHTWIN_PROBE) it appends a fixed-size record to the
 * thread's own region of a probe buffer: without atomics, so the order is deterministic and the
 * same on both devices. The host sizes the buffer before the launch (struct kernel, points); a
 * record that does not fit is counted but not written. engine/record/probe.c reads the records
 * back.
 */
#ifndef POINTS_H
#define POINTS_H

/* X(name, value names...): all points of the project's kernels, with the names of their values. A
 * user's file gets its own list, of the names that it uses.
 *
 * A point that is added to a kernel comes after those that its threads passed before: points of
 * older recordings then keep their sequence numbers, and can still be compared. */
#ifndef POINT_LIST
#define POINT_LIST(X) \
	/* Kernels of decode steps, each lane, once per tile: its key's scaled score, and its term
	   of the running sum */ \
	X(score,   "score", "exp(score - running max)", "", "") \
	/* The same kernels, lane 0 of each warp, once per tile: running max, the factor that
	   rescales sums relative to the old max, running sum of the terms. attention_prefill: the
	   first thread of each query row, once per tile that the row sees */ \
	X(softmax, "max", "rescale", "sum", "") \
	/* flash_decode_reduce, lane 0, once per chunk: the chunk's factor, exp(its max - max of
	   all), then the running sum and accumulator 0 after this chunk was added. Kernels with
	   several warps per row: lane 0 of warp 0, once per warp, in the same way */ \
	X(reduce,  "factor", "sum", "acc0", "")
#endif

enum point_id {
#define X(name, a, b, c, d) POINT_##name,
	POINT_LIST(X)
#undef X
	POINT_COUNT
};

#define POINT_VALUES 4

/* One record, 20 bytes. `head` is (value count << 16 | point id). */
struct point_record {
	unsigned head;
	float value[POINT_VALUES];
};

/* Where a launch writes its records: region t of `records` holds `capacity` records of thread t
 * (block-linear, then thread-linear), and counts[t] how many POINTs that thread has passed. */
struct point_sink {
	struct point_record *records;
	unsigned *counts;
	unsigned capacity;
};

#if !defined(FLASHTWIN_PROBE) && defined(FLASHTWIN_USER)
/* Leaves the name in the preprocessed text, where sim/cu2c/point_names.c finds it. */
#define POINT_PICK_ONE(n, a, b, c, d, e, f, g, h, macro, ...) macro
#define POINT_NAMED(name, ...) ((void)sizeof "<flashtwin point>" #name)
#define POINT_REFUSED(...) ({ _Static_assert(0, "POINT takes a name and one to four values"); })
#define POINT(...) POINT_PICK_ONE(__VA_ARGS__, POINT_REFUSED, POINT_REFUSED, POINT_REFUSED, \
	POINT_REFUSED, POINT_NAMED, POINT_NAMED, POINT_NAMED, POINT_NAMED, POINT_REFUSED, \
	)(__VA_ARGS__)
#elif !defined(FLASHTWIN_PROBE)
#define POINT(...) ((void)0)
#elif defined(__CUDACC__) || defined(FLASHTWIN_SIM)

/* The simulator defines __CUDACC__ too, for whole programs. */
#ifndef FLASHTWIN_SIM
extern "C" { __constant__ struct point_sink flashtwin_points; }
#define POINT_SINK flashtwin_points
#else
#define POINT_SINK (*ft_point_sink())
#endif

/* Checked kernels and those of programs have only one build, and record points only on request. */
#ifdef FLASHTWIN_CHECK
#define POINT_ATTRIBUTES __attribute__((FT_UNCHECKED, noinline))
#else
#define POINT_ATTRIBUTES
#endif
#if defined(FLASHTWIN_CHECK) || defined(FLASHTWIN_PROGRAM)
#define POINTS_OFF (!ft_point_sink())
#else
#define POINTS_OFF 0
#endif

static __device__ POINT_ATTRIBUTES void point_write(int id, int count, float a, float b, float c,
						    float d)
{
	if (POINTS_OFF)
		return;
	unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x
		* (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	unsigned long long thread = block * (blockDim.x * blockDim.y * blockDim.z)
		+ threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	unsigned at = POINT_SINK.counts[thread]++;
	if (at < POINT_SINK.capacity) {
		struct point_record *r = &POINT_SINK.records[thread * POINT_SINK.capacity + at];
		r->head = (unsigned)count << 16 | (unsigned)id;
		r->value[0] = a;
		r->value[1] = b;
		r->value[2] = c;
		r->value[3] = d;
	}
}
#define POINT_1(n, a)          point_write(POINT_##n, 1, a, 0.0f, 0.0f, 0.0f)
#define POINT_2(n, a, b)       point_write(POINT_##n, 2, a, b, 0.0f, 0.0f)
#define POINT_3(n, a, b, c)    point_write(POINT_##n, 3, a, b, c, 0.0f)
#define POINT_4(n, a, b, c, d) point_write(POINT_##n, 4, a, b, c, d)
#define POINT_PICK(n, a, b, c, d, macro, ...) macro
#define POINT(...) POINT_PICK(__VA_ARGS__, POINT_4, POINT_3, POINT_2, POINT_1, )(__VA_ARGS__)

#endif
#endif
