/* generate.h - the decode loop: feeds prompts byte by byte, then what the model answers, greedily.
 *
 * One or more sequences side by side, one position of each per step; a sequence that has its bytes
 * is a slot that is done. Every position, prompts too, goes through the same attention path. Prints
 * and records nothing itself: a callback sees every byte, and the device is told where steps begin
 * and end.
 */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/llama.h"
#include "engine/path.h"
#include "traces/event.h"

struct sequence {
	const unsigned char *prompt;    /* the caller's, 1 byte or more */
	size_t prompt_bytes;
	unsigned char *reply;           /* [count] the caller's */
	size_t reply_bytes;             /* written so far */
	float *logits;                  /* [vocabulary] of the last prompt position, or NULL */
};

struct generate_options {
	size_t count;                   /* bytes to add to each sequence; 0 runs the prompts only */
	/* Sees each byte fed from a prompt and each byte chosen, in the step that did so. */
	enum status (*token)(void *context, const struct event_token *);
	bool (*stop)(void *context);    /* asked before each step; NULL: never */
	void *context;
};

/* USAGE, with the numbers, for an empty prompt or one without `count` positions behind it. */
enum status generate_check(const struct llama *, const struct sequence *, int slots, size_t count);

/* The shape of the attention these sequences need: room for prompt and reply, in whole chunks. The
 * sequences have passed generate_check(). */
struct attention_shape generate_shape(const struct llama *, const struct sequence *, int slots,
				      size_t count, int chunk);

/* Runs all of it. `attention` was made for these sequences and has seen none yet. INTERRUPTED when
 * stop() said so, else errors of the path and the callback; replies hold what
 * there was until then. */
enum status generate_run(const struct llama *, struct attention *, struct sequence *, int slots,
			 const struct generate_options *);

#endif
