/* check_order.h - order between threads by atomics and fences. Private to the checker. */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct check;
struct cluster;
struct lane;
struct listener;
struct warp;

void *check_alloc(struct check *, size_t bytes);        /* zeroed, valid until the launch ends */
void check_alloc_end(struct check *);
/* Whether what `lane` learned through atomics and fences orders a segment before it. */
bool check_acquired(const struct check *, const struct lane *, uint32_t segment, bool strong);
/* Whether `lane` has seen a flag or counter that would release the segment, with or without a fence
 * of its own, if the releasing fence were not for another block only. */
bool check_scope_is_narrow(const struct check *, const struct lane *, uint32_t segment);
/* An atomic or volatile access of `lane` at an address. changed: it changed the value. takes: it
 * may take a lock, so that even writes after it need a fence. */
void check_atomic(struct check *, struct lane *, uintptr_t address, bool changed, bool takes);
void check_order_barrier(struct check *, struct block *);
void check_order_cluster(struct check *, struct cluster *);
void check_order_warp(struct check *, struct warp *, uint32_t lanes);
/* A fence of `lane`: see struct listener_calls. */
void check_fence(struct listener *, struct lane *, bool device);

#endif
