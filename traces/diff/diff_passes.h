/* diff_passes.h - the passes of a comparison, in the order they are made.
 *
 * Operations come first and decide what the others compare. Used by diff.c.
 */
#ifndef DIFF_PASSES_H
#define DIFF_PASSES_H

#include <stdbool.h>

#include "base/status.h"

struct diff;

/* --- diff_graph.c --- */

enum status diff_uses_graphs(struct diff *, int side, bool *uses);
/* For runs of which only one uses graphs: joins their launches, and compares digests. */
enum status diff_graph(struct diff *);

/* --- diff_ops.c, diff_rows.c, diff_points.c, diff_accesses.c --- */

enum status diff_ops(struct diff *);
enum status diff_digests(struct diff *);
enum status diff_partials(struct diff *);
enum status diff_points(struct diff *);
enum status diff_accesses(struct diff *);
enum status diff_tokens(struct diff *);

#endif
