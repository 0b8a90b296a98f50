/* check_learn.h - lists of what a thread knows of each synchronization variable. Private to the
 * checker.
 */
#ifndef CHECK_LEARN_H
#define CHECK_LEARN_H

#include <stdbool.h>
#include <stddef.h>

struct check;
struct check_sync_variable;

/* The first `count` releases of the variable with this number are known. */
struct learned {
	size_t variable, count;
};

/* In order of variables. all: too long to be kept, so everything counts as known. */
struct learned_list {
	struct learned *at;             /* from check_alloc() */
	size_t count, capacity;
	bool all;
};

void learn(struct check *, struct learned_list *, size_t variable, size_t count);
void learn_all(struct check *, struct learned_list *, const struct learned_list *more);
struct learned_list learned_copy(struct check *, const struct learned_list *);
/* Makes the list empty, but keeps its memory. */
void learned_clear(struct learned_list *);

#endif
