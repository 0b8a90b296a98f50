/* runtime.h - what a simulated kernel sees of the simulator: its thread, and the calls that CUDA's words
 * become (sim/cuda/cuda_c.h spells them).
 *
 * Kernel objects are compiled against this header alone. One CUDA thread is one fiber; ft_self is the
 * running one, per OS thread. A fiber never moves to another OS thread, because compilers keep addresses
 * of thread-local variables. Names begin with ft_ so that they cannot meet a user's.
 */
#ifndef SIM_RUNTIME_H
#define SIM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel_table.h"

struct point_sink;

/* A source occurrence of a collective; its address is its identity. */
struct ft_site {
	const char *word;       /* "__syncthreads" */
	const char *file;
	int line;
	int occurrence;         /* tells sites on one line apart; equal in all copies of a site */
};

/* The part of a block that kernels read. */
struct ft_block_view {
	struct dim3 index, dim, grid;
	unsigned char *shared;          /* arena: static variables, then dynamic memory */
	unsigned char *dynamic;
	const struct point_sink *points;
};

/* The part of a thread that kernels read. */
struct ft_thread_view {
	struct dim3 index;
	const struct ft_block_view *block;
};

#ifdef __cplusplus
extern "C" {
#endif

/* __thread: C and C++ agree on it, and neither wraps it in an initialiser. */
extern __thread const struct ft_thread_view *ft_self;

/* Which warp collective: lanes meet only lanes that ask for the same one with the same mask. */
enum ft_collective {
	FT_SYNC, FT_SHUFFLE_IDX, FT_SHUFFLE_UP, FT_SHUFFLE_DOWN, FT_SHUFFLE_XOR,
	FT_ALL, FT_ANY, FT_UNIFORM, FT_BALLOT, FT_MATCH_ANY, FT_MATCH_ALL,
	FT_REDUCE_ADD, FT_REDUCE_MIN, FT_REDUCE_MAX, FT_REDUCE_MIN_SIGNED, FT_REDUCE_MAX_SIGNED,
	FT_REDUCE_AND, FT_REDUCE_OR, FT_REDUCE_XOR
};

/* Meets every lane of `mask` that has not exited; the last to arrive computes all results.
 * value: what the lane brings; argument: source lane, delta or lane mask of a shuffle in its low 16
 * bits, width in the high 16. */
uint64_t ft_collective(const struct ft_site *, enum ft_collective, uint32_t mask, uint64_t value,
		       uint32_t argument);

enum ft_block_vote { FT_BLOCK_SYNC, FT_BLOCK_COUNT, FT_BLOCK_AND, FT_BLOCK_OR };
/* Meets every thread of the block that has not exited. */
int ft_block_barrier(const struct ft_site *, enum ft_block_vote, int predicate);

uint32_t ft_active_mask(void);          /* lanes of the warp that run with the caller: under independent
					   scheduling, those not waiting elsewhere and not exited */
void ft_yield(void);                    /* another thread may run here: atomics, __nanosleep */
void ft_fence(int device);              /* and here; orders memory, for all blocks or within one */
void ft_trap(int code, const char *what, const char *file, int line) __attribute__((noreturn));
/* Asynchronous copies of the calling thread: `zeros` of the bytes are not copied but 0; closes a
 * group; waits until at most `open` closed groups are under way. */
void ft_async_copy(void *to, const void *from, size_t bytes, size_t zeros);
void ft_async_commit(void);
void ft_async_wait(unsigned open);
/* memmove() and memset() of checked kernels. */
void *ft_memcpy(void *to, const void *from, size_t bytes);
void *ft_memset(void *to, int value, size_t bytes);
/* Of checked kernels: whether the thread is in a model of a GPU's function (sim/cuda/told.h);
 * one that was called from `caller` made a NaN out of numbers. */
extern volatile int ft_in_model;
void ft_nan_born(void *caller);
int ft_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads what belongs to the simulator. In checked kernels the compiler must not take that for an
 * access of the kernel's; operands of assembly it does not see. Elsewhere the checker knows. */
#if defined(FLASHTWIN_CHECK) && defined(__x86_64__)
#define FT_OWN(type, place) ({ \
	type ft_own_; \
	__asm__("mov %1, %0" : "=r"(ft_own_) : "m"(place)); \
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
		const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self); \
		const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block); \
		struct dim3 v = { FT_OWN(unsigned, block->field.x), \
				  FT_OWN(unsigned, block->field.y), \
				  FT_OWN(unsigned, block->field.z) }; \
	\
		return v; \
	}
FT_OF_BLOCK(ft_block_index, index)
FT_OF_BLOCK(ft_block_dim, dim)
FT_OF_BLOCK(ft_grid_dim, grid)
#undef FT_OF_BLOCK

static inline void *ft_shared_at(size_t offset)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(unsigned char *, block->shared) + offset;
}

static inline void *ft_shared_dynamic(void)
{
	const struct ft_thread_view *self = FT_OWN(const struct ft_thread_view *, ft_self);
	const struct ft_block_view *block = FT_OWN(const struct ft_block_view *, self->block);

	return FT_OWN(unsigned char *, block->dynamic);
}

/* Points are no part of the kernel that is checked. */
#ifdef FLASHTWIN_CHECK
__attribute__((no_sanitize_thread, no_sanitize_coverage, no_sanitize("bounds")))
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
