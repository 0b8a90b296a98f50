/* fiber.c - stacks for simulated threads, and the portable switch where there is no hand-written
 * one.
 *
 * Does not deal with warps or blocks; sim/exec/schedule.c decides which fiber runs.
 */
#include "config.h"

#include "sim/exec/fiber.h"

#include <stdint.h>
#include <stdlib.h>
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
/* Lays out what fiber_jump() pops: the address to resume at, and on aarch64 the frame pointer. The
 * entry function needs the stack as it is after a call; the zero ends a debugger's stack walk. */
static void fiber_prepare(struct fiber_pool *pool, struct fiber *fiber, size_t index)
{
	uintptr_t top = (uintptr_t)fiber->high - STAGGER_BYTES * (index % STAGGER_STEPS);
	void **sp = (void **)(top & ~(uintptr_t)63);

#ifdef __x86_64__
	*--sp = NULL;                   /* return address of entry */
	*--sp = (void *)(uintptr_t)pool->entry;
#else
	*--sp = (void *)(uintptr_t)pool->entry;
	*--sp = NULL;                   /* frame of entry's caller */
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
