/* fiber.h - stackful fibers: the control flow of one simulated CUDA thread.
 *
 * A fiber is a stack and a saved stack pointer. On x86-64 and aarch64 the switch is written by hand
 * and takes about ten instructions; other processors use ucontext. Stacks have a guard page below
 * them, and their tops are staggered so that thousands of fibers at the same depth do not compete
 * for the same cache sets. Each OS thread has its own pool, and a fiber never leaves its pool.
 */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

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

#if defined(FIBER_JUMPS) && defined(__x86_64__)
/* Inlined, and left by a jump instead of a return, so that calls and returns of all fibers that
 * wait at one place match in the processor's return predictor. The clobber list gives up most
 * registers; rbx and rbp are pushed, below the red zone. MXCSR and the x87 control word never
 * change in kernels, so they are not switched. */
static inline __attribute__((always_inline)) void fiber_jump(void **save, void *load)
{
	__asm__ volatile(
		"lea -128(%%rsp), %%rsp\n\t"
		"push %%rbp\n\t"
		"push %%rbx\n\t"
		"lea 1f(%%rip), %%rax\n\t"
		"push %%rax\n\t"
		"mov %%rsp, (%0)\n\t"
		"mov %1, %%rsp\n\t"
		"pop %%rax\n\t"
		"jmp *%%rax\n"
		"1:\n\t"
		"pop %%rbx\n\t"
		"pop %%rbp\n\t"
		"lea 128(%%rsp), %%rsp\n\t"
		: "+D"(save), "+S"(load)
		:
		: "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
		  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#elif defined(FIBER_JUMPS)
/* As above. x29 is the frame pointer, which a clobber list cannot give up; x30 becomes 0 because a
 * debugger looks there for the caller of a new fiber's entry. With branch target identification, an
 * indirect jump through x16 may go to a function or to a hint (36: "bti j"), which is a no-op
 * elsewhere. FPCR never changes in kernels. */
static inline __attribute__((always_inline)) void fiber_jump(void **save, void *load)
{
	register void **at __asm__("x0") = save;
	register void *to __asm__("x1") = load;

	__asm__ volatile(
		"adr x16, 1f\n\t"
		"stp x29, x16, [sp, -16]!\n\t"
		"mov x17, sp\n\t"
		"str x17, [%0]\n\t"
		"mov sp, %1\n\t"
		"ldp x29, x16, [sp], 16\n\t"
		"mov x30, xzr\n\t"
		"br x16\n"
		"1:\n\t"
		"hint 36\n\t"
		: "+r"(at), "+r"(to)
		:
		: "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
		  "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
		  "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
		  "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
		  "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
		  "memory", "cc");
}
#else
void fiber_jump(void **save, void *load);
#endif

#endif
