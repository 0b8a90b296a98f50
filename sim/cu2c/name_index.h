/* name_index.h - finds the functions of a name in a unit.
 *
 * A file that includes much of the C++ library has thousands of functions and a hundred thousand
 * names to look up. Used by code_table.c.
 */
#ifndef NAME_INDEX_H
#define NAME_INDEX_H

#include "sim/cu2c/unit.h"

struct name_index {
	const struct unit *unit;        /* not owned */
	int *first;                     /* of each list of functions: indices, -1: none */
	int *next;
	unsigned mask;                  /* lists - 1 */
};

/* Indexes the functions that have a body. */
void name_index_begin(struct name_index *, const struct unit *);
void name_index_end(struct name_index *);

/* The index of the first function of this name, and of the next one of the same name, in the order
 * of the file; -1: none. */
int name_index_first(const struct name_index *, const struct token *name);
int name_index_next(const struct name_index *, int function);

#endif
