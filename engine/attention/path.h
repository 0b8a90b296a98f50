/* path.h - creates an attention path and runs its decode steps and prompts.
 *
 * Prompts run the same way on all paths, all positions at once. Used by the commands.
 */
#ifndef PATH_H
#define PATH_H

#include "engine/attention/attention.h"
#include "engine/attention/path_table.h"

/* The path's default mode for NONE, else the mode itself. */
enum graph_mode path_graph_mode(const struct path *, enum graph_mode);

/* USAGE, with the path and the expected and actual values, for a shape that it cannot run. */
enum status attention_check(const struct path *, const struct attention_shape *);
/* Calls attention_check() and allocates everything the path needs. USAGE also if a block of the
 * device does not have enough shared memory; else the device's errors. The device must outlive the
 * result.
 *
 * Unlike the models: this one call replaces several of theirs, init_...(). */
enum status attention_create(const struct path *, struct device *, const struct attention_shape *,
			     struct attention **out);
/* Appends k and v to the cache, then attends to all keys. On an error (a full slot: USAGE) the
 * cache lengths do not change, and nothing is written unless the device itself failed. */
enum status attention_step(struct attention *, const struct attention_step *);
/* Appends all rows and attends, each row to the keys up to its own: causal attention in one launch,
 * or, with a cache of another type than f32 or with options, a step for each row, or for as many
 * as a step has queries.
 * Errors as attention_step(). */
enum status attention_prefill(struct attention *, const struct attention_prompt *);
/* Part of attention_step(), for benchmarks. Uploads q, k, v and the step's lengths for launches and
 * graphs. The cache's own lengths do not change. Errors as attention_step(). */
enum status attention_upload(struct attention *, const struct attention_step *);
/* The next part of attention_step(), for benchmarks: issues the launches of a layer one by one, on
 * the data uploaded last. USAGE before the first upload, on a path that does more than launch
 * (cached), and with graphs. */
enum status attention_launch(struct attention *, int layer);
/* NULL is allowed. Does not change the error record. */
void attention_destroy(struct attention *);

#endif
