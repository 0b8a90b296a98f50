/* generate.h - the decode loop: prompts as a whole, then what the model answers, greedily.
 *
 * Several sequences side by side, one in each slot of the attention. A step begins the sequences
 * that got a slot (all positions of the prompt at once) and moves the others on by one position;
 * a sequence that has its bytes leaves its slot to the next one that waits, while the others go
 * on. What each answers does not depend on the others. Prints and records nothing itself: a callback
 * sees every byte, and the device is told where steps begin and end.
 */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/attention/path.h"
#include "engine/model/llama.h"

struct row_token;       /* traces/row.h */

struct sequence {
	const unsigned char *prompt;    /* the caller's, 1 byte or more */
	size_t prompt_bytes;
	size_t count;                   /* bytes to add; 0 runs the prompt only */
	unsigned char *reply;           /* [count] the caller's */
	size_t reply_bytes;             /* written so far */
	float *logits;                  /* [vocabulary] of the last prompt position, or NULL */
};

struct generate_options {
	/* Sees each byte fed from a prompt and each byte chosen, in the step that did so. */
	enum status (*token)(void *context, const struct row_token *);
	bool (*stop)(void *context);    /* asked before each step; NULL: never */
	void *context;
};

/* USAGE, with the numbers, for an empty prompt or one without `count` positions behind it. */
enum status generate_check(const struct llama *, const struct sequence *, int sequences);

/* The shape of attention with `slots` slots for these sequences: room for prompt and reply, in
 * whole chunks. The sequences have passed generate_check(). */
struct attention_shape generate_shape(const struct llama *, const struct sequence *, int sequences,
				      int slots, int chunk);

/* Runs all of it. `attention` was made for these sequences and has seen none yet. INTERRUPTED when
 * stop() said so, else errors of the path and the callback; replies hold what
 * there was until then. */
enum status generate_run(const struct llama *, struct attention *, struct sequence *, int sequences,
			 const struct generate_options *);

#endif
