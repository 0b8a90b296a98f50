/* check_look.h - which strong writes of a word a thread has seen: atomics and volatile writes.
 *
 * A thread that makes an atomic or volatile access of a word has seen all strong writes there up to
 * that time. Private to the checker.
 */
#ifndef CHECK_LOOK_H
#define CHECK_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct check;
struct lane;
struct warp;

/* How far a thread's knowledge goes: enough for a write, which waits for the value it depends on;
 * confirmed by a fence since, as a plain read needs it; by a fence for its block. */
enum look_strength { LOOK_ANY, LOOK_FENCED, LOOK_FENCED_IN_BLOCK, LOOK_STRENGTHS };

void check_look_begin(struct check *, struct lane *);
/* The lane makes a strong access of the word at the current strong_time of the checker. */
void check_look(struct check *, struct lane *, size_t word);
void check_look_fence(struct lane *, bool device);
/* These lanes meet, and pass on what they have seen. */
void check_look_warp(struct check *, struct warp *, uint32_t lanes);
void check_look_barrier(struct check *, struct block *);
/* Whether the lane has seen the strong write that was made there at `time`. */
bool check_has_seen(const struct lane *, size_t word, uint64_t time, enum look_strength);

#endif
