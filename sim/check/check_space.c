/* check_space.c - reserves the addresses of a checked device, and makes parts of them usable.
 *
 * Device memory and its shadow are one range without access, as large as the limits of the process
 * allow. The shadow is readable from the beginning: hooks read it for wrong addresses too, where it
 * is zero. It becomes writable only for memory in use, because RLIMIT_DATA counts every private
 * writable page, touched or not. check_region.c decides where memory is placed.
 */
#include "config.h"

#include "sim/check/check_space.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/check/check.h"
#include "sim/check/check_region.h"
#include "sim/check/check_state.h"
#include "sim/exec/worker.h"

#define MAX_SPAN ((size_t)1 << 43)
#define MIN_SPAN ((size_t)1 << 21)
#define ARENA_SHARE 64                  /* of the full span; 1/64 is for shared memory */
#define MIN_REST ((size_t)64 << 20)     /* of limited addresses, left to the rest of the program */

/* --- limits --- */

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes of shadow for `span` bytes: cells, the other reader, state. */
static size_t shadow_bytes(size_t span)
{
	return span * 4 + span * 2 + span / 4;
}

/* Addresses that this process already uses; half the limit if unknown. */
static size_t addresses_used(size_t limit)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages;
	bool known;

	if (!file)
		return limit / 2;
	known = fscanf(file, "%zu", &pages) == 1;
	fclose(file);
	return known ? pages * page_bytes() : limit / 2;
}

/* The span that RLIMIT_AS allows, if the rest of the program gets a quarter of what is left. */
static size_t span_allowed(void)
{
	struct rlimit limit;
	size_t used, left, rest;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return MAX_SPAN;
	used = addresses_used(limit.rlim_cur);
	left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
	rest = left / 4 > MIN_REST ? left / 4 : MIN_REST;
	if (rest > left / 2)
		rest = left / 2;
	/* 4 bytes of memory have 25 bytes of shadow. */
	left = (left - rest) / 29 * 4;
	return left < MAX_SPAN ? left : MAX_SPAN;
}

static const char *bytes_text(char text[32], uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	int unit = 0;

	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	snprintf(text, 32, "%.3g %s", value, units[unit]);
	return text;
}

/* "addresses are limited to 1 GiB (ulimit -v)", or "" without a limit. */
static const char *limit_text(int resource, const char *what, const char *option)
{
	static _Thread_local char text[96];
	struct rlimit limit;
	char bytes[32];

	*text = '\0';
	if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		snprintf(text, sizeof text, ", %s limited to %s (ulimit %s)", what,
			 bytes_text(bytes, limit.rlim_cur), option);
	return text;
}

const char *check_space_limit(void)
{
	return limit_text(RLIMIT_DATA, "data is", "-d");
}

bool check_space_is_full(const struct check *check)
{
	return check->hot.span == MAX_SPAN;
}

const char *check_spacing(const struct check *check)
{
	static _Thread_local char text[256];
	char gap[32];

	if (check_space_is_full(check))
		return NULL;
	snprintf(text, sizeof text, "--check: buffers are %s apart instead of 32 GiB%s; checker.md "
		 "says what is missed", bytes_text(gap, check_region_distance(check)),
		 limit_text(RLIMIT_AS, "addresses are", "-v"));
	return text;
}

/* --- reserving --- */

static size_t granule_for(size_t span)
{
	size_t granule = MIN_GRANULE;

	/* The state of a granule, a quarter of its size, fills pages: ARM has some of 64 KiB. */
	while (granule / 4 < page_bytes() || granule * MAX_GRANULES < span)
		granule *= 2;
	return granule;
}

size_t check_space_granule(const struct check *check)
{
	return (size_t)4 << check->hot.granule;
}

size_t check_space_arena(size_t span)
{
	size_t share = span / ARENA_SHARE / (2 * MAX_RESIDENT);
	size_t needed = LISTENER_ARENA + MIN_GRANULE;

	return check_rounded(share > needed ? share : needed, granule_for(span));
}

/* Shared memory gets at most a quarter of the span, which may be too little for all blocks that can
 * be resident. */
static size_t shared_span(size_t span)
{
	size_t granule = granule_for(span), all = MAX_RESIDENT * check_space_arena(span);

	all = all > span / ARENA_SHARE ? all : span / ARENA_SHARE;
	return (all < span / 4 ? all : span / 4) / granule * granule;
}

static void lay_out(struct check *check, unsigned char *memory, size_t span)
{
	struct check_hot *hot = &check->hot;
	unsigned char *at = memory + span;

	check->reserved = memory;
	check->reserved_bytes = span + shadow_bytes(span);
	hot->base = (uintptr_t)memory;
	hot->span = span;
	hot->shared_span = shared_span(span);
	hot->cell = (struct check_cell *)(void *)at;
	hot->cells = (uintptr_t)at - 4 * hot->base;
	hot->words = span / 4;
	hot->shared_words = hot->shared_span / 4;
	at += span * 4;
	hot->reader = (uint64_t *)(void *)at;
	at += span * 2;
	hot->state = at;
	hot->granule = (unsigned)__builtin_ctzll(granule_for(span) / 4);
}

static bool reserve(struct check *check, size_t span)
{
	size_t bytes = span + shadow_bytes(span);
	unsigned char *memory = mmap(NULL, bytes, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	if (mprotect(memory + span, bytes - span, PROT_READ) != 0) {
		munmap(memory, bytes);
		return false;
	}
	lay_out(check, memory, span);
	return true;
}

/* Not only limits may leave few addresses; a debugger, for example, may too. */
enum status check_space_reserve(struct check *check)
{
	for (size_t span = span_allowed(); span >= MIN_SPAN; span /= 2) {
		span = span / granule_for(span) * granule_for(span);
		if (reserve(check, span))
			return STATUS_OK;
	}
	return fail_device(2, "--check: out of memory: cannot reserve %zu bytes of addresses for "
			   "device memory and its shadow%s", MIN_SPAN + shadow_bytes(MIN_SPAN),
			   limit_text(RLIMIT_AS, "addresses are", "-v"));
}

void check_space_free(struct check *check)
{
	if (check->reserved)
		munmap(check->reserved, check->reserved_bytes);
}

/* --- using --- */

/* Changes the access to the pages that contain a range. */
static bool protect(uintptr_t at, size_t bytes, int access)
{
	uintptr_t from = at / page_bytes() * page_bytes();

	return mprotect((void *)from, check_rounded(at + bytes - from, page_bytes()), access) == 0;
}

/* Frees the pages that contain a range: they read as zero if they can be read. */
static void discard(uintptr_t at, size_t bytes, int access)
{
	uintptr_t from = at / page_bytes() * page_bytes();

	madvise((void *)from, check_rounded(at + bytes - from, page_bytes()), MADV_DONTNEED);
	protect(at, bytes, access);
}

/* --- the shadow of the memory at `at` --- */

static uintptr_t state_of(const struct check *check, uintptr_t at)
{
	return (uintptr_t)check->hot.state + (at - check->hot.base) / 4;
}

static uintptr_t cells_of(const struct check *check, uintptr_t at)
{
	return check->hot.cells + 4 * at;
}

static uintptr_t readers_of(const struct check *check, uintptr_t at)
{
	return (uintptr_t)check->hot.reader + (at - check->hot.base) * 2;
}

/* --- its parts --- */

bool check_space_map(struct check *check, uintptr_t at, size_t bytes)
{
	if (!protect(state_of(check, at), bytes / 4, PROT_READ | PROT_WRITE))
		return false;
	if (protect(at, bytes, PROT_READ | PROT_WRITE))
		return true;
	discard(state_of(check, at), bytes / 4, PROT_READ);
	return false;
}

bool check_space_record(struct check *check, uintptr_t at, size_t bytes)
{
	return protect(state_of(check, at), bytes / 4, PROT_READ | PROT_WRITE)
		&& protect(cells_of(check, at), bytes * 4, PROT_READ | PROT_WRITE)
		&& protect(readers_of(check, at), bytes * 2, PROT_READ | PROT_WRITE);
}

void check_space_unmap(struct check *check, uintptr_t at, size_t bytes)
{
	discard(at, bytes, PROT_NONE);
	discard(cells_of(check, at), bytes * 4, PROT_READ);
	discard(readers_of(check, at), bytes * 2, PROT_READ);
	discard(state_of(check, at), bytes / 4, PROT_READ);
}
