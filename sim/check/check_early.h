/* check_early.h - what a launch does before it has waited for the launch before it. Private to the
 * checker. */
#ifndef CHECK_EARLY_H
#define CHECK_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/check/check_state.h"

struct block;
struct warp;
struct worker;

/* An overlapping operation is about to run: finds what is ordered before all that it does. */
void check_early_order(struct check *, struct check_op *);
/* It has run: reports what it did too early. */
void check_early_judge(struct check *, struct check_op *);

/* The launch of the running operation begins, or has ended. */
void check_early_begin(struct check *);
void check_early_end(struct check *);
/* A block begins. */
void check_early_block(struct block *);
/* A thread makes this access. */
void check_early_access(const struct access *);
/* Calls of the listener. */
void check_let_next(struct listener *, struct lane *);
void check_grid_waited(struct listener *, struct lane *);
/* These lanes of a warp, or all threads of a block or grid, have met. */
void check_early_warp(const struct check *, struct warp *, uint32_t lanes);
void check_early_barrier(const struct check *, struct block *);
void check_early_grid(const struct check *, const struct worker *);

#endif
