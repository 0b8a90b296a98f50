/* fiber.c - stacks for simulated threads, and the portable switch where there is no hand-written
 * one.
 *
 * Does not deal with warps or blocks; sim/exec/schedule.c decides which fiber runs.
 */
#include "config.h"

#include "sim/exec/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0u
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif
#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#endif

#include "base/xalloc.h"

/* Stack tops are offset by multiples of 192 bytes, so neighbouring fibers use different cache
 * sets. */
#define STAGGER_BYTES 192
#define STAGGER_STEPS 16

/* Guard below each stack: wide enough that a large frame does not skip it, a multiple of any page
 * size. */
#define GUARD_BYTES (64u << 10)

void fiber_pool_init(struct fiber_pool *pool, void (*entry)(void))
{
	*pool = (struct fiber_pool){ .entry = entry };
}

#ifdef FIBER_JUMPS
/* Pushes what the ABI lets a function's caller keep, and takes the other fiber's from its stack.
 * MXCSR and the x87 control word, or FPCR, never change in kernels, so they are not switched. */
#ifdef __x86_64__
__asm__(".text\n"
	"	.p2align 6\n"
	"	.globl fiber_swap\n"
	"	.hidden fiber_swap\n"
	"	.type fiber_swap, @function\n"
	"fiber_swap:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	pushq %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %rdx\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	.cfi_adjust_cfa_offset -56\n"
	"	movq (%rdx), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size fiber_swap, . - fiber_swap\n");
#else
/* x29 is the frame pointer, x30 the return address. */
__asm__(".text\n"
	"	.p2align 6\n"
	"	.globl fiber_swap\n"
	"	.hidden fiber_swap\n"
	"	.type fiber_swap, %function\n"
	"fiber_swap:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, -176]!\n"
	"	.cfi_adjust_cfa_offset 176\n"
	"	.cfi_rel_offset x29, 0\n"
	"	.cfi_rel_offset x30, 8\n"
	"	stp x19, x20, [sp, 16]\n"
	"	stp x21, x22, [sp, 32]\n"
	"	stp x23, x24, [sp, 48]\n"
	"	stp x25, x26, [sp, 64]\n"
	"	stp x27, x28, [sp, 80]\n"
	"	stp d8, d9, [sp, 96]\n"
	"	stp d10, d11, [sp, 112]\n"
	"	stp d12, d13, [sp, 128]\n"
	"	stp d14, d15, [sp, 144]\n"
	"	str x2, [sp, 160]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldr x2, [sp, 160]\n"
	"	ldp x19, x20, [sp, 16]\n"
	"	ldp x21, x22, [sp, 32]\n"
	"	ldp x23, x24, [sp, 48]\n"
	"	ldp x25, x26, [sp, 64]\n"
	"	ldp x27, x28, [sp, 80]\n"
	"	ldp d8, d9, [sp, 96]\n"
	"	ldp d10, d11, [sp, 112]\n"
	"	ldp d12, d13, [sp, 128]\n"
	"	ldp d14, d15, [sp, 144]\n"
	"	ldr x0, [x2]\n"
	"	ldp x29, x30, [sp], 176\n"
	"	.cfi_adjust_cfa_offset -176\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size fiber_swap, . - fiber_swap\n");
#endif

/* Lays out what fiber_swap() pops, and enters by its return. On x86-64 the entry function needs the
 * stack as it is after a call; zeros end a debugger's stack walk. */
static void fiber_prepare(struct fiber_pool *pool, struct fiber *fiber, size_t index)
{
	static const uint64_t unused;
	uintptr_t top = (uintptr_t)fiber->high - STAGGER_BYTES * (index % STAGGER_STEPS);
	const void **sp = (const void **)(top & ~(uintptr_t)63);

#ifdef __x86_64__
	sp -= 9;                        /* the address of the result, 6 registers, entry, NULL */
	memset(sp, 0, 9 * sizeof *sp);
	sp[0] = &unused;
	sp[7] = (const void *)(uintptr_t)pool->entry;
#else
	sp -= 22;
	memset(sp, 0, 22 * sizeof *sp);
	sp[1] = (const void *)(uintptr_t)pool->entry;
	sp[20] = &unused;
#endif
	fiber->sp = sp;
}

void fiber_forget(struct fiber *fiber)
{
	(void)fiber;
}
#else
#include <ucontext.h>

/* Here `sp` is a ucontext_t, created at the first switch away. */
void fiber_jump(void **save, void *load)
{
	if (!*save)
		*save = xcalloc(1, sizeof(ucontext_t));
	swapcontext(*save, load);
}

static void fiber_prepare(struct fiber_pool *pool, struct fiber *fiber, size_t index)
{
	ucontext_t *context = fiber->sp ? fiber->sp : xcalloc(1, sizeof *context);

	getcontext(context);
	context->uc_stack.ss_sp = fiber->low;
	context->uc_stack.ss_size = (size_t)(fiber->high - fiber->low)
		- STAGGER_BYTES * (index % STAGGER_STEPS);
	context->uc_link = NULL;
	makecontext(context, pool->entry, 0);
	fiber->sp = context;
}

void fiber_forget(struct fiber *fiber)
{
	free(fiber->sp);
	fiber->sp = NULL;
}
#endif

/* Linux 6.13's guard pages, which do not divide a mapping: a process has at most 65,530 of them. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

/* Stacks that get a mapping of their own where there are no such pages. The others have only room
 * below: an overflow goes unseen. */
#define GUARDED_STACKS 24000

/* An emulator (qemu-user) accepts any advice, and does nothing. */
#define NO_SUCH_ADVICE 0x7fff

static bool install_guard(const struct fiber_pool *pool, unsigned char *base)
{
	return (madvise(base, GUARD_BYTES, MADV_GUARD_INSTALL) == 0
		&& madvise(base, GUARD_BYTES, NO_SUCH_ADVICE) != 0)
		|| pool->count >= GUARDED_STACKS || mprotect(base, GUARD_BYTES, PROT_NONE) == 0;
}

static struct fiber *fiber_map(struct fiber_pool *pool)
{
	size_t bytes = FIBER_STACK_BYTES + GUARD_BYTES;
	unsigned char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct fiber *fiber;

	if (base == MAP_FAILED)
		return NULL;
	if (!install_guard(pool, base)) {
		munmap(base, bytes);
		return NULL;
	}
	if (pool->count == pool->capacity) {
		pool->capacity = pool->capacity ? 2 * pool->capacity : 64;
		pool->all = xreallocarray(pool->all, pool->capacity, sizeof *pool->all);
	}
	fiber = xcalloc(1, sizeof *fiber);
	fiber->low = base + GUARD_BYTES;
	fiber->high = base + bytes;
	fiber->valgrind_id = VALGRIND_STACK_REGISTER(fiber->low, fiber->high);
	fiber_prepare(pool, fiber, pool->count);
	pool->all[pool->count++] = fiber;
	return fiber;
}

struct fiber *fiber_take(struct fiber_pool *pool)
{
	struct fiber *fiber = pool->free;

	if (!fiber)
		return fiber_map(pool);
	pool->free = fiber->next_free;
	return fiber;
}

void fiber_give(struct fiber_pool *pool, struct fiber *fiber)
{
	fiber->next_free = pool->free;
	pool->free = fiber;
}

void fiber_pool_reset(struct fiber_pool *pool)
{
	pool->free = NULL;
	for (size_t i = pool->count; i-- > 0; ) {
		struct fiber *fiber = pool->all[i];

#ifdef __SANITIZE_ADDRESS__
		__asan_unpoison_memory_region(fiber->low, (size_t)(fiber->high - fiber->low));
		fiber->fake_stack = NULL;
#endif
		fiber_prepare(pool, fiber, i);
		fiber_give(pool, fiber);
	}
}

bool fiber_guard_hit(const struct fiber_pool *pool, const void *address)
{
	const unsigned char *at = address;

	for (size_t i = 0; i < pool->count; i++)
		if (at >= pool->all[i]->low - GUARD_BYTES && at < pool->all[i]->low)
			return true;
	return false;
}

void fiber_pool_destroy(struct fiber_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		struct fiber *fiber = pool->all[i];

		VALGRIND_STACK_DEREGISTER(fiber->valgrind_id);
		fiber_forget(fiber);
		munmap(fiber->low - GUARD_BYTES, FIBER_STACK_BYTES + GUARD_BYTES);
		free(fiber);
	}
	free(pool->all);
	*pool = (struct fiber_pool){ .entry = pool->entry };
}

#ifdef __SANITIZE_ADDRESS__
void fiber_describe_thread(struct fiber *self)
{
	pthread_attr_t attributes;
	void *low;
	size_t bytes;

	if (self->low || pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
		self->low = low;
		self->high = (unsigned char *)low + bytes;
	}
	pthread_attr_destroy(&attributes);
}
#endif
