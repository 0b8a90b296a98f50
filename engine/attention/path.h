/* path.h - attention paths at work: creating one, its steps, its prompts.
 *
 * Prompts, all positions at once, are the same for all paths. Serves the commands.
 */
#ifndef PATH_H
#define PATH_H

#include "engine/attention/attention.h"
#include "engine/attention/path_table.h"

/* What NONE stands for on this path, else the mode itself. */
enum graph_mode path_graph_mode(const struct path *, enum graph_mode);

/* USAGE, naming the path, what it expects and what it got, for a shape that it cannot run. */
enum status attention_check(const struct path *, const struct attention_shape *);
/* Allocates everything the path needs, for a shape that passes attention_check(), which is called
 * first, and on a device whose blocks have the shared memory (else USAGE). The device outlives the
 * result. Else the device's errors. */
enum status attention_create(const struct path *, struct device *, const struct attention_shape *,
			     struct attention **out);
/* Appends k and v and attends: n counts keys after the append. On an error (a full slot: USAGE) the
 * cache lengths stay as they were, and nothing was written unless the device itself failed. */
enum status attention_step(struct attention *, const struct attention_step *);
/* Appends all rows and attends, each to the keys up to its own: causal attention in one launch.
 * Errors as attention_step(). */
enum status attention_prefill(struct attention *, const struct attention_prompt *);
/* Two parts of attention_step() for those that measure. Uploads q, k, v and the step's lengths,
 * where launches and graphs read them; the cache's own lengths stay. Errors as attention_step(). */
enum status attention_upload(struct attention *, const struct attention_step *);
/* Only the launches of a layer, one by one, over what was uploaded last. USAGE before that, on a
 * path that does more than launch (cached), and when the shape asked for graphs. */
enum status attention_launch(struct attention *, int layer);
/* NULL is fine. Leaves the error record as it was. */
void attention_destroy(struct attention *);

#endif
