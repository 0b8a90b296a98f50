/* lanes.h - what a kernel's text says about its threads: which values are the same for all.
 *
 * A value is uniform if it depends only on constants, the kernel's parameters, blockIdx, blockDim,
 * gridDim and other uniform values, and on no memory. Goes by tokens, and calls what it does not
 * know not uniform. Used by rewrite_lanes.c.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>

#include "sim/cu2c/rewriter.h"

/* A variable of the kernel that a statement between barriers may use. */
struct lanes_variable {
	int name;                       /* its token */
	bool uniform;
	bool array, constant;
	int number;                     /* of the array with each thread's value; 0: none */
};

struct lanes {
	struct rewriter *rewriter;
	const struct function *kernel;
	struct lanes_variable *variables;       /* innermost last */
	int variable_count;
	int arrays, labels;                     /* numbers given so far */
};

void lanes_declare(struct lanes *, struct lanes_variable);
/* The innermost variable of that name; NULL if the kernel has none. */
struct lanes_variable *lanes_find(const struct lanes *, const struct token *name);
/* The same for the tokens of an expression that change nothing; `changes`: they may change
 * variables, all of which are uniform. */
bool lanes_uniform(const struct lanes *, int from, int end, bool changes);
/* Whether the tokens name a variable that is not uniform. */
bool lanes_name_other(const struct lanes *, int from, int end);
/* Whether the tokens contain the name, not as a member's. */
bool lanes_name(const struct lanes *, const struct token *name, int from, int end);
/* Whether they may assign to the variable or let others do it. */
bool lanes_change(const struct lanes *, const struct token *name, int from, int end);
/* Whether one of the tokens is `text`. */
bool lanes_have(const struct lanes *, const char *text, int from, int end);
/* Whether one thread alone can run the statements [from, end) to their end: they wait for nobody,
 * let nobody else run, and are left only at their end, or by `return;` if they are the last ones of
 * the kernel. */
bool lanes_run_through(const struct lanes *, int from, int end, bool last);
/* The same for all functions that the kernel reaches. */
bool lanes_functions_run_through(const struct lanes *);

#endif
