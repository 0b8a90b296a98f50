/* replay_memory.h - allocations and moves of bytes of a trace, done again.
 *
 * Serves the walk, and nodes of graphs.
 */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include "base/status.h"

struct replay;
struct row_op;

enum status replay_alloc(struct replay *, const struct row_op *);
enum status replay_free(struct replay *, const struct row_op *);
/* Restores of bytes are uploads too. */
enum status replay_upload(struct replay *, const struct row_op *);
enum status replay_upload_pointers(struct replay *, const struct row_op *);
enum status replay_download(struct replay *, const struct row_op *);
enum status replay_copy(struct replay *, const struct row_op *);
enum status replay_fill(struct replay *, const struct row_op *);

#endif
