/* check_async.h - asynchronous copies; see struct listener_calls. Private to the checker. */
#ifndef CHECK_ASYNC_H
#define CHECK_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;
struct lane;
struct listener;

/* Whether an asynchronous copy was made by the call that returns to pc. */
bool check_is_copy(const struct check *, uintptr_t pc);

/* The address from which a copy of this lane that is not complete reads, within a range, and where
 * it was made; 0: there is none. */
uintptr_t check_async_reads(const struct lane *, uintptr_t begin, uintptr_t end, uintptr_t *pc);

void check_bulk_begin(struct listener *, void *to, const void *from, size_t bytes, uintptr_t pc);
void check_async_begin(struct listener *, void *to, const void *from, size_t bytes, size_t copied,
		       bool piece, uintptr_t pc);
void check_async_end(struct listener *, struct lane *began, void *to, const void *from,
		     size_t bytes, size_t copied, uintptr_t pc);

#endif
