/* runtime.h - the simulator's interface to kernels.
 *
 * Declares the running thread, and the functions that CUDA's built-ins call. Kernel objects include
 * only this header, through sim/cuda/cuda_c.h. One CUDA thread is one fiber; ft_self is the running
 * fiber of each OS thread. A fiber never moves to another OS thread, because compilers may cache
 * the addresses of thread-local variables. The prefix ft_ avoids clashes with names in users'
 * files.
 */
#ifndef SIM_RUNTIME_H
#define SIM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel_table.h"
#include "base/math/texture.h"

struct kernel_entry;
struct point_sink;

/* One call of a collective in the source. */
struct ft_site {
	const char *name;       /* "__syncthreads" */
	const char *file;
	int line;
	int occurrence;         /* distinguishes sites on one line; equal in all copies of a site */
};

/* A block all of whose threads run on one stack, one after the other from barrier to barrier: see
 * sim/cu2c/rewrite_lanes.c. */
struct ft_whole {
	const struct ft_thread_view **views;    /* of each thread */
	/* The order of threads up to the next barrier. */
	unsigned run_count;
	struct { unsigned from, to; } runs[5];
};

/* The fields of a block that kernels read. */
struct ft_block_view {
	struct dim3 index, dim, grid;
	struct dim3 cluster;            /* blocks of its cluster; (1,1,1): it is alone */
	unsigned cluster_rank;          /* in its cluster */
	unsigned char *shared;          /* arena: static variables, then dynamic memory */
	unsigned char *dynamic;
	const struct point_sink *points;
	struct ft_whole *whole;         /* NULL: each thread needs a stack */
	unsigned char *shared_end;
};

/* The fields of a thread that kernels read. */
struct ft_thread_view {
	struct dim3 index;
	const struct ft_block_view *block;
};

#ifdef __cplusplus
extern "C" {
#endif

/* __thread works in C and C++, and needs no dynamic initialisation. */
extern __thread const struct ft_thread_view *ft_self;

/* Kinds of warp collectives. Lanes only meet lanes that call the same kind with the same mask. */
enum ft_collective {
	FT_SYNC, FT_SHUFFLE_IDX, FT_SHUFFLE_UP, FT_SHUFFLE_DOWN, FT_SHUFFLE_XOR,
	FT_ALL, FT_ANY, FT_UNIFORM, FT_BALLOT, FT_MATCH_ANY, FT_MATCH_ALL,
	FT_REDUCE_ADD, FT_REDUCE_MIN, FT_REDUCE_MAX, FT_REDUCE_MIN_SIGNED, FT_REDUCE_MAX_SIGNED,
	FT_REDUCE_AND, FT_REDUCE_OR, FT_REDUCE_XOR,
	FT_BUTTERFLY_MAX, FT_BUTTERFLY_SUM,     /* of floats of the whole warp: ft_butterfly() */
	FT_MATRIX, FT_GATHER            /* of the whole warp; the values are addresses: see below */
};

/* One lane's part of a tensor-core instruction, D = A B + C with m = 16 and n = 8: registers as the
 * PTX ISA has them for mma.sync. */
enum ft_matrix_format {
	FT_MATRIX_BF16, FT_MATRIX_F16, FT_MATRIX_TF32, FT_MATRIX_E4M3, FT_MATRIX_E5M2,
	FT_MATRIX_S8, FT_MATRIX_U8, FT_MATRIX_F32, FT_MATRIX_S32
};
struct ft_matrix {
	enum ft_matrix_format a_format, b_format, d_format;
	int k, saturates;
	uint32_t a[4], b[2], c[4], d[4];
};

/* What one lane gives to the others, and what all gave. */
struct ft_gather {
	uint64_t mine, all[32];
};

/* The site of a call of a built-in that is a function of a class (cooperative_groups.h). `column`
 * tells calls on one line apart. Equal for equal arguments, and valid until the process ends. */
const struct ft_site *ft_site_at(const char *name, const char *file, int line, int column);

/* Waits for every lane of `mask` that has not exited; the last to arrive computes all results.
 * value: the lane's operand. argument: for shuffles, the source lane, delta or lane mask in the low
 * 16 bits and the width in the high 16. */
uint64_t ft_collective(const struct ft_site *, enum ft_collective, uint32_t mask, uint64_t value,
		       uint32_t argument);

enum ft_block_vote { FT_BLOCK_SYNC, FT_BLOCK_COUNT, FT_BLOCK_AND, FT_BLOCK_OR };
/* Waits for every thread of the block that has not exited. */
int ft_block_barrier(const struct ft_site *, enum ft_block_vote, int predicate);

/* A barrier with a number: waits until `count` threads of the block have arrived, or, if count is
 * 0, all that have not exited. Those below FT_TILE_BARRIERS are PTX's; the others are for tiles of
 * several warps. */
enum { FT_TILE_BARRIERS = 16, FT_NAMED_BARRIERS = FT_TILE_BARRIERS + 32 };
int ft_named_barrier(const struct ft_site *, unsigned number, unsigned count, enum ft_block_vote,
		     int predicate);
/* Arrives there without waiting. */
void ft_named_arrive(const struct ft_site *, unsigned number, unsigned count);
/* A value for each warp of the block, which tiles of several warps exchange between barriers. */
void ft_tile_put(unsigned warp, uint64_t value);
uint64_t ft_tile_get(unsigned warp);

/* The barrier of a cluster: an arrival, which releases what the thread did before if `releases`,
 * and the wait that must follow it before the next arrival. */
#define FT_CLUSTER_BLOCKS 16            /* the maximum of any GPU */
void ft_cluster_arrive(const struct ft_site *, int releases);
void ft_cluster_wait(const struct ft_site *);
void ft_cluster_sync(const struct ft_site *);           /* both */
/* The thread's next arrival also releases what it did before this, whether it says so or not: the
 * fence after mbarrier_init(). */
void ft_cluster_fence(void);
/* The place in the shared memory of block `rank` of the cluster that `shared` is in one of its
 * blocks. The launch fails if there is none. */
void *ft_cluster_map(const void *shared, unsigned rank);
/* The same by an offset; NULL if there is no such block. */
void *ft_cluster_at(unsigned rank, size_t offset);
/* The rank of the block whose shared memory the address is in; -1: none of the cluster. */
int ft_cluster_rank_of(const void *address);

/* The end of what threads do up to a barrier, or up to the end of the kernel, in a whole block. */
void ft_whole_barrier(struct ft_whole *);
void ft_whole_end(struct ft_whole *);
/* Array `number` of the block, which keeps its place: an element of so many bytes per thread. */
void *ft_whole_array(struct ft_whole *, unsigned number, size_t bytes);
static inline struct ft_whole *ft_whole_begin(void)
{
	return ft_self->block->whole;
}
/* Makes the thread the running one. No access moves across this, so that a fault has its thread. */
static inline void ft_whole_run(const struct ft_whole *whole, unsigned thread)
{
	ft_self = whole->views[thread];
	__asm__ volatile("" : : : "memory");
}

/* Waits for every thread of a cooperative launch; ends another launch with error 719. */
void ft_grid_barrier(const struct ft_site *);
/* For one thread of each block of such a launch: its arrival, which returns the phase, and the wait
 * until all blocks have arrived in that phase. */
unsigned ft_grid_barrier_arrive(const struct ft_site *);
void ft_grid_barrier_wait(const struct ft_site *, unsigned phase);
int ft_grid_is_cooperative(void);
/* For checked kernels: grid_let_next() and grid_wait() of sim/cuda/programmatic.h. */
void ft_grid_let_next(void);
void ft_grid_wait(void);

/* Turns of the loops that a thread is in, for those that reach a block barrier (in checked kernels)
 * or an __activemask(); see sim/cu2c/rewrite_loop.c. */
enum { FT_LOOP_BARRIER = 1, FT_LOOP_ACTIVE = 2 };
struct ft_loop {
	struct ft_loop *outer;
	int line;
	unsigned kinds, turns;
};
void ft_loop_open(struct ft_loop *, int line, unsigned kinds);
void ft_loop_count(struct ft_loop *);
void ft_loop_close(struct ft_loop *);
#ifdef FLASHTWIN_CHECK
#define FT_LOOP_KINDS (FT_LOOP_BARRIER | FT_LOOP_ACTIVE)
#else
#define FT_LOOP_KINDS FT_LOOP_ACTIVE
#endif
#define FT_LOOP_INLINE static inline __attribute__((always_inline, unused))
FT_LOOP_INLINE void ft_loop_enter(struct ft_loop *loop, int line, unsigned kinds)
{
	if (kinds & FT_LOOP_KINDS)
		ft_loop_open(loop, line, kinds);
}
FT_LOOP_INLINE void ft_loop_turn(struct ft_loop *loop, unsigned kinds)
{
	if (kinds & FT_LOOP_KINDS)
		ft_loop_count(loop);
}
FT_LOOP_INLINE void ft_loop_leave(struct ft_loop *loop, unsigned kinds)
{
	if (kinds & FT_LOOP_KINDS)
		ft_loop_close(loop);
}

/* Waits until all lanes of the warp that have not exited wait, here or elsewhere. Returns those
 * that came here by the same call. */
uint32_t ft_active_mask(const struct ft_site *);
/* The thread polls what has not changed so far: lets others run. If no thread does anything else
 * for long, the launch ends with a deadlock, which names the site. */
void ft_await(const struct ft_site *);
void ft_yield(void);                    /* lets other threads run: in atomics and __nanosleep */
long long ft_clock(void);               /* counts steps */
void ft_fence(int device);              /* yields too; orders memory of all blocks or of one */
void ft_trap(int code, const char *what, const char *file, int line) __attribute__((noreturn));
/* Asynchronous copies of the calling thread: one that fills the last `zeros` bytes with 0 instead
 * of copying them; the end of a group; a wait until at most `open` groups are pending. */
void ft_async_copy(void *to, const void *from, size_t bytes, size_t zeros);
void ft_async_commit(void);
void ft_async_wait(unsigned open);
/* A bulk copy to shared memory that lands once a thread waits for its barrier, or, without barrier,
 * from shared memory, in groups of the calling thread. It may land once the thread has called
 * ft_bulk_begun(). ft_bulk_pending() returns the number of the last one that may, 0 if there is
 * none; ft_bulk_land() lands those up to this number, and returns how many bytes landed; see
 * sim/cuda/mbarrier.h. */
void ft_bulk_copy(void *to, const void *from, size_t bytes, const void *barrier);
/* The same for 4, 8 or 16 bytes of the calling thread. */
void ft_bulk_store(void *to, const void *value, size_t bytes, const void *barrier);
void ft_bulk_begun(const void *barrier);
uint64_t ft_bulk_pending(const void *barrier);
unsigned ft_bulk_land(const void *barrier, uint64_t last);
void ft_bulk_commit(void);
void ft_bulk_wait(unsigned open);
/* A fetch from a texture (sim/cuda/texture.h): first the call, then its object, where the texels
 * are, as ft_texture_place() finds them, what the kernel has loaded from there, and the result of
 * ft_texture_value(). */
struct ft_fetch {
	const char *file;
	int line;
	const char *name;               /* "tex2D" */
	unsigned shape;                 /* enum ft_texture_shape */
	float at[3];
	int layer;                      /* of tex1Dfetch(), the texel */
	unsigned gathers, component;
	const struct ft_texture *texture;
	uint64_t shape_of_object;
	unsigned count, bytes;
	uint64_t texels[8];             /* 0: the border */
	unsigned fraction[3];           /* of the way to the next texel, in 1 / 256 */
	uint32_t loaded[8][4], value[4];
};
void ft_texture_place(struct ft_fetch *);
void ft_texture_value(struct ft_fetch *);
/* A load or store of a surface. x is in bytes. */
struct ft_access {
	const char *file;
	int line;
	const char *name;
	unsigned shape;
	int x, y, z;
	unsigned mode;                  /* enum cudaSurfaceBoundaryMode */
	size_t bytes;
	const struct ft_texture *texture;
	uint64_t shape_of_object;
};
/* Where it is in memory; NULL: outside of the surface. */
void *ft_surface_place(const struct ft_access *);
/* Begins a kernel of a file with launches in device code: whether this is such a launch, whose
 * arguments are taken then, and not a thread of the kernel. */
int ft_nested_take(const struct kernel_entry *, void *const *args);
/* A handle for a stream that device code creates. */
uint64_t ft_nested_stream(void);
/* malloc() and free() of kernels. */
void *ft_malloc(size_t bytes);
void ft_free(void *memory);
/* memmove() and memset() for checked kernels. */
void *ft_memcpy(void *to, const void *from, size_t bytes);
void *ft_memset(void *to, int value, size_t bytes);
/* For checked kernels: what compilers call at an index or an address that is wrong
 * (sim/check/check_bounds.c). They get these names, so that UBSan can have its own. */
void ft_out_of_bounds(void *context, void *index);
void ft_type_mismatch(void *context, void *pointer);
#ifdef FLASHTWIN_CHECK
void __ubsan_handle_out_of_bounds(void *, void *) __asm__("ft_out_of_bounds");
void __ubsan_handle_type_mismatch_v1(void *, void *) __asm__("ft_type_mismatch");
#endif
/* For checked kernels (sim/cuda/checked_models.h): whether the thread is in a model of a GPU's
 * function; reports that the model called at `caller` made a NaN from numbers. */
extern volatile int ft_in_model;
void ft_nan_born(void *caller);
/* For kernels on aarch64 (sim/exec/ilogb.c). */
int ft_ilogbf(float x);
int ft_ilogb(double x);
int ft_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads the simulator's own data. In checked kernels the compiler must not instrument that read;
 * it does not instrument operands of inline assembly. */
#if defined(FLASHTWIN_CHECK) && defined(__x86_64__)
#define FT_OWN(type, place) ({ \
	type ft_own_; \
	__asm__("mov %1, %0" : "=r"(ft_own_) : "m"(place)); \
	ft_own_; })
#elif defined(FLASHTWIN_CHECK) && defined(__aarch64__)
#define FT_OWN(type, place) ({ \
	type ft_own_; \
	if (sizeof ft_own_ == 8) \
		__asm__("ldr %x0, %1" : "=r"(ft_own_) : "m"(place)); \
	else \
		__asm__("ldr %w0, %1" : "=r"(ft_own_) : "m"(place)); \
	ft_own_; })
#else
#define FT_OWN(type, place) (place)
#endif

static inline struct dim3 ft_thread_index(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	struct dim3 index = { FT_OWN(unsigned, self->index.x), FT_OWN(unsigned, self->index.y),
			      FT_OWN(unsigned, self->index.z) };

	return index;
}

#define FT_OF_BLOCK(name, field) \
	static inline struct dim3 name(void) \
	{ \
		const struct ft_thread_view *self = \
			FT_OWN(const struct ft_thread_view *, ft_self); \
		const struct ft_block_view *block = \
			FT_OWN(const struct ft_block_view *, self->block); \
		struct dim3 v = { FT_OWN(unsigned, block->field.x), \
				  FT_OWN(unsigned, block->field.y), \
				  FT_OWN(unsigned, block->field.z) }; \
	\
		return v; \
	}
FT_OF_BLOCK(ft_block_index, index)
FT_OF_BLOCK(ft_block_dim, dim)
FT_OF_BLOCK(ft_grid_dim, grid)
FT_OF_BLOCK(ft_cluster_dim, cluster)
#undef FT_OF_BLOCK

static inline unsigned ft_cluster_rank(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(unsigned, block->cluster_rank);
}

static inline unsigned ft_cluster_size(void)
{
	struct dim3 dim = ft_cluster_dim();

	return dim.x * dim.y * dim.z;
}

static inline void *ft_shared_at(size_t offset)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(unsigned char *, block->shared) + offset;
}

static inline size_t ft_shared_bytes(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return (size_t)(FT_OWN(unsigned char *, block->shared_end)
			- FT_OWN(unsigned char *, block->shared));
}

/* A variable that is declared outside functions. */
static inline void *ft_shared_of(const size_t *offset)
{
	return ft_shared_at(FT_OWN(size_t, *offset));
}

static inline void *ft_shared_dynamic(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(unsigned char *, block->dynamic);
}

/* Points are not checked. */
#ifdef FLASHTWIN_CHECK
__attribute__((no_sanitize_thread, no_sanitize_coverage,
	       no_sanitize("bounds,alignment,object-size")))
#endif
static inline const struct point_sink *ft_point_sink(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(const struct point_sink *, block->points);
}

#ifdef __cplusplus
}
#endif

#endif
