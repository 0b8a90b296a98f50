/* generate.h - the decode loop: runs prompts as a whole, then generates replies greedily.
 *
 * Runs several sequences at a time, one in each slot of the attention. A step begins the sequences
 * that got a slot (all positions of the prompt at once) and advances the others by one position.
 * When a sequence is complete, the next waiting one gets its slot. Replies do not depend on each
 * other. Prints and records nothing itself: a callback gets every byte, and the device gets the
 * begin and end of steps.
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
	float *logits;                  /* [vocabulary] set for the last prompt position, or NULL */
};

struct generate_options {
	/* Called for each byte of a prompt and each byte of a reply, in its step. */
	enum status (*token)(void *context, const struct row_token *);
	bool (*stop)(void *context);    /* called before each step; NULL: never stops */
	void *context;
};

/* USAGE, with the numbers, for an empty prompt, or one with fewer than `count` positions left. */
enum status generate_check(const struct llama *, const struct sequence *, int sequences);

/* The shape of attention with `slots` slots for these sequences. A slot has capacity for prompt and
 * reply, in whole chunks. For a path that needs a KV head for each query head it has that many, and
 * generate_run() repeats those of the model. The sequences must have passed generate_check(). */
struct attention_shape generate_shape(const struct llama *, const struct path *,
				      const struct sequence *, int sequences, int slots, int chunk);

/* Runs all sequences. `attention` was created for these sequences and is empty. INTERRUPTED if
 * stop() returned true, else errors of the path and the callback; replies keep the bytes generated
 * so far. */
enum status generate_run(const struct llama *, struct attention *, struct sequence *, int sequences,
			 const struct generate_options *);

#endif
