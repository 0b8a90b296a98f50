/* reach.h - the functions that a kernel can reach.
 *
 * Goes by names: a function that has the name of anything in a body counts, also a member's, so
 * that no function is missed. Used by code_table.c and rewrite_lanes.c.
 */
#ifndef REACH_H
#define REACH_H

#include <stdbool.h>

#include "sim/cu2c/name_index.h"

struct reach {
	const struct unit *unit;        /* not owned */
	struct name_index names;
	bool *known;                    /* for each function: it is listed */
	const struct function **list;
	int count;
};

void reach_begin(struct reach *, const struct unit *);
/* Adds `f`, unless it is there, the functions named in its body, and recursively theirs to the
 * list. A name that is not called counts too: it may be called through a pointer. In C++ also all
 * operators, which are called without naming them. */
void reach_from(struct reach *, const struct function *f);
void reach_end(struct reach *);

#endif
