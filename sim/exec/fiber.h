/* fiber.h - stackful fibers: the control flow of one simulated CUDA thread.
 *
 * A fiber is a stack and a saved stack pointer. On x86-64 and aarch64 the switch is written by hand
 * and takes about twenty instructions; other processors use ucontext. Stacks have a guard page
 * below them, and their tops are staggered so that thousands of fibers at the same depth do not
 * compete for the same cache sets. Each OS thread has its own pool, and a fiber never leaves its
 * pool.
 */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fiber {
	/* saved stack pointer (or ucontext) while it does not run */
	void *sp;
	struct fiber *next_free;
	unsigned char *low, *high;      /* usable stack */
	void *base;                     /* frame of the function that runs lanes */
	void *fake_stack;               /* used by AddressSanitizer */
	unsigned valgrind_id;
};

struct fiber_pool {
	struct fiber **all;
	size_t count, capacity;
	struct fiber *free;
	void (*entry)(void);            /* run by a new fiber; must never return */
};

#define FIBER_STACK_BYTES (64u << 10)

void fiber_pool_init(struct fiber_pool *, void (*entry)(void));
void fiber_pool_destroy(struct fiber_pool *);
/* Returns a fiber that runs the pool's entry when switched to; NULL if no stack can be mapped. */
struct fiber *fiber_take(struct fiber_pool *);
/* May be called for the running fiber, as the last thing before it switches away for good. */
void fiber_give(struct fiber_pool *, struct fiber *);
/* Frees the portable switch's context of a fiber, or of an OS thread, that will not run again. */
void fiber_forget(struct fiber *);
/* For use after a fault: marks every fiber free, whatever it was doing. */
void fiber_pool_reset(struct fiber_pool *);
/* True if the address is in a guard page of the pool: a simulated thread ran out of stack. */
bool fiber_guard_hit(const struct fiber_pool *, const void *address);

/* Saves the caller in *from and resumes *to. A struct fiber outside any pool represents the OS
 * thread. */
#define FIBER_SWITCH(from, to) \
	do { \
		fiber_announce_leave((from), (to)); \
		fiber_jump(&(from)->sp, (to)->sp); \
		fiber_announce_arrive((from)); \
	} while (0)

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
static inline void fiber_announce_leave(struct fiber *from, struct fiber *to)
{
	__sanitizer_start_switch_fiber(&from->fake_stack, to->low, (size_t)(to->high - to->low));
}
static inline void fiber_announce_arrive(struct fiber *self)
{
	__sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
}
void fiber_describe_thread(struct fiber *);     /* sets low and high of an OS thread's own stack */
#else
static inline void fiber_announce_leave(struct fiber *from, struct fiber *to)
{
	(void)from, (void)to;
}
static inline void fiber_announce_arrive(struct fiber *self)
{
	(void)self;
}
static inline void fiber_describe_thread(struct fiber *self)
{
	(void)self;
}
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(FIBER_UCONTEXT)
#define FIBER_JUMPS                     /* the switch is written by hand */
#endif

#ifdef FIBER_JUMPS
/* Saves the stack pointer in *save and resumes the fiber that saved `load`. When the caller is
 * resumed, this returns the value at `result` then, so that a function that waits can end with this
 * call: the lanes that wait at one place all wait in the same function, which returns to where the
 * processor expects it to. */
uint64_t fiber_swap(void **save, void *load, const uint64_t *result);
/* The same for a function that returns an int. */
int fiber_swap_int(void **save, void *load, const uint64_t *result) __asm__("fiber_swap");

static inline void fiber_jump(void **save, void *load)
{
	static const uint64_t unused;

	fiber_swap(save, load, &unused);
}
#else
void fiber_jump(void **save, void *load);
#endif

/* Switches from one fiber to another; yields the value at `result` when the first is resumed. */
#if defined(FIBER_JUMPS) && !defined(__SANITIZE_ADDRESS__)
#define FIBER_SWITCH_FOR(swap, from, to, result) swap(&(from)->sp, (to)->sp, (result))
#else
#define FIBER_SWITCH_FOR(swap, from, to, result) ({ \
	FIBER_SWITCH((from), (to)); \
	*(result); })
#endif

#endif
