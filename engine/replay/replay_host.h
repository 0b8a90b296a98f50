/* replay_host.h - replays what the host computed from downloaded bytes.
 *
 * Used by replay.c and replay_memory.c.
 */
#ifndef REPLAY_HOST_H
#define REPLAY_HOST_H

#include "base/status.h"

struct replay;
struct row_op;

/* Takes the bytes of a download, which the next host_softmax may read. */
void replay_host_fetched(struct replay *, const struct row_op *, void *memory);
/* Frees them: after an operation that is neither a download nor computed by the host. */
void replay_host_forget(struct replay *);
/* DAMAGED if the downloads directly before did not fetch what it read. */
enum status replay_host_softmax(struct replay *, const struct row_op *);

#endif
