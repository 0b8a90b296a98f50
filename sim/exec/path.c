/* path.c - takes and compares the calls that lead to a barrier; see path.h. */
#include "config.h"

#include "sim/exec/path.h"

#include <string.h>

#include "sim/exec/fiber.h"
#include "sim/exec/schedule.h"
#include "sim/exec/symbol.h"

#define MAX_PLACES 48

struct places {
	unsigned count;
	struct symbol_place at[MAX_PLACES];
};

/* A frame begins with the caller's frame and the return address. Frames of code without frame
 * pointers end the list. */
void path_take(const struct fiber *fiber, const void *frame, struct call_path *out)
{
	uintptr_t at = (uintptr_t)frame, base = (uintptr_t)fiber->base;

	out->count = 0;
	while (out->count < PATH_CALLS && at % sizeof at == 0 && at < base) {
		const uintptr_t *words = (const uintptr_t *)at;

		out->pc[out->count++] = words[1];
		if (words[0] <= at)
			break;
		at = words[0];
	}
}

/* Lists the calls in the source; what is called at the innermost one is known. */
static bool list(const struct call_path *path, struct places *out)
{
	out->count = 0;
	for (unsigned i = 0; i < path->count; i++) {
		unsigned got = symbol_calls(path->pc[i] - 1, i > 0, out->at + out->count,
					    MAX_PLACES - out->count);

		if (got == 0 && i == 0 && !symbol_has_lines(path->pc[i] - 1))
			return false;
		out->count += got;
	}
	return true;
}

static bool same_place(const struct symbol_place *a, const struct symbol_place *b)
{
	return a->line == b->line && (a->column == b->column || !a->column || !b->column)
		&& strcmp(a->file, b->file) == 0;
}

/* --- comparing, with a memory of what was compared --- */

#define MEMORY 32

struct comparison {
	struct call_path a, b;
	bool same;
	struct symbol_place at_a, at_b;
};

static __thread struct {
	struct comparison at[MEMORY];
	unsigned count;                 /* all ever made in this launch */
} memory;

void path_forget(void)
{
	memory.count = 0;
}

static bool equal(const struct call_path *a, const struct call_path *b)
{
	return a->count == b->count && memcmp(a->pc, b->pc, a->count * sizeof a->pc[0]) == 0;
}

static const struct comparison *recall(const struct call_path *a, const struct call_path *b)
{
	for (unsigned i = 0; i < memory.count && i < MEMORY; i++)
		if (equal(a, &memory.at[i].a) && equal(b, &memory.at[i].b))
			return &memory.at[i];
	return NULL;
}

static void compare(void *context)
{
	struct comparison *c = context;
	struct places of_a, of_b;

	c->same = true;
	if (!list(&c->a, &of_a) || !list(&c->b, &of_b))
		return;
	for (unsigned i = 0; i < of_a.count && i < of_b.count && c->same; i++) {
		c->same = same_place(&of_a.at[i], &of_b.at[i]);
		c->at_a = of_a.at[i];
		c->at_b = of_b.at[i];
	}
}

bool path_same(const struct call_path *a, const struct call_path *b, struct symbol_place *at_a,
	       struct symbol_place *at_b)
{
	const struct comparison *known;

	if (equal(a, b))
		return true;
	known = recall(a, b);
	if (!known) {
		struct comparison *c = &memory.at[memory.count++ % MEMORY];

		c->a = *a;
		c->b = *b;
		schedule_on_thread(worker_self, compare, c);
		known = c;
	}
	if (!known->same && at_a) {
		*at_a = known->at_a;
		*at_b = known->at_b;
	}
	return known->same;
}
