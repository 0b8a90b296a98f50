/* check_sync.h - checks where threads meet; see struct listener_calls. Private to the checker. */
#ifndef CHECK_SYNC_H
#define CHECK_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct block;
struct lane;
struct listener;
struct meeting;
struct warp;
struct worker;

void check_block_begin(struct listener *, struct block *, size_t static_bytes,
		       size_t dynamic_bytes);
void check_barrier_arrive(struct listener *, struct lane *, const void *frame);
void check_barrier_release(struct listener *, struct block *);
void check_named_arrive(struct listener *, struct lane *, const void *barrier, bool device);
void check_named_leave(struct listener *, struct lane *, const void *barrier, bool device);
void check_grid_release(struct listener *, const struct worker *);
void check_collective_arrive(struct listener *, struct lane *, enum ft_collective, uint32_t mask);
void check_collective_finish(struct listener *, struct warp *, const struct meeting *);
void check_shuffle_inactive(struct listener *, struct lane *, unsigned source);
void check_pause(struct listener *);
void check_deadlock(struct listener *, const struct worker *);

#endif
