/* replay_memory.h - replays allocations, uploads, downloads, copies and fills.
 *
 * Used by replay.c and, for nodes of graphs, replay_graph.c.
 */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include "base/status.h"

struct replay;
struct row_op;

enum status replay_alloc(struct replay *, const struct row_op *);
/* DAMAGED if the kernels that the trace brings along have no such device variable. */
enum status replay_variable(struct replay *, const struct row_op *);
enum status replay_free(struct replay *, const struct row_op *);
enum status replay_heap(struct replay *, const struct row_op *);
/* Also replays restores of bytes. */
enum status replay_upload(struct replay *, const struct row_op *);
enum status replay_upload_pointers(struct replay *, const struct row_op *);
enum status replay_download(struct replay *, const struct row_op *);
enum status replay_copy(struct replay *, const struct row_op *);
enum status replay_fill(struct replay *, const struct row_op *);

#endif
