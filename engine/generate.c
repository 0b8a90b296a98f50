/* generate.c - the decode loop over a model, an attention path and some sequences.
 *
 * All sequences start together, so one step number is the position of each; see generate.h.
 */
#include "engine/generate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/xalloc.h"

/* --- sizes --- */

enum status generate_check(const struct llama *model, const struct sequence *sequences, int slots,
			   size_t count)
{
	size_t limit = (size_t)llama_config(model)->max_positions;

	for (int slot = 0; slot < slots; slot++) {
		size_t prompt = sequences[slot].prompt_bytes;

		if (prompt == 0)
			return fail(STATUS_USAGE, "the prompt is empty: at least 1 byte is needed");
		if (prompt > limit || count > limit - prompt)
			return fail(STATUS_USAGE, "a prompt of %zu bytes and %zu more are %zu "
				    "positions, the model has %zu (max_position_embeddings)",
				    prompt, count, prompt + count, limit);
	}
	return STATUS_OK;
}

struct attention_shape generate_shape(const struct llama *model, const struct sequence *sequences,
				      int slots, size_t count, int chunk)
{
	const struct model_config *c = llama_config(model);
	size_t longest = 0;

	for (int slot = 0; slot < slots; slot++)
		if (sequences[slot].prompt_bytes > longest)
			longest = sequences[slot].prompt_bytes;
	longest += count;
	if (chunk >= 1 && chunk <= MAX_CHUNK)           /* else the path will say so */
		longest = (longest + (size_t)chunk - 1) / (size_t)chunk * (size_t)chunk;
	return (struct attention_shape){
		.layers = c->layers, .slots = slots, .heads = c->heads, .kv_heads = c->kv_heads,
		.head_dim = c->head_dim, .chunk = chunk, .scale = attention_scale(c->head_dim),
		.max_len = (int)longest,
	};
}

/* --- the loop --- */

/* One run of it: arrays are [slots]. */
struct loop {
	const struct llama *model;
	struct attention *attention;
	struct sequence *sequences;
	int slots;
	const struct generate_options *options;
	int64_t step;                   /* every sequence that is not done is at this position */
	int *tokens, *positions;
	bool *done;
	float *logits;                  /* [slots, vocabulary] */
};

static bool is_prompt(const struct sequence *sequence, int64_t position)
{
	return (size_t)position < sequence->prompt_bytes;
}

/* The byte chosen last is not fed back: nothing would read what comes of it. */
static size_t last_position(const struct loop *loop, int slot)
{
	size_t count = loop->options->count;

	return loop->sequences[slot].prompt_bytes + (count > 0 ? count - 1 : 0) - 1;
}

/* Fills tokens, positions and done; false when all sequences are. */
static bool next_inputs(struct loop *loop)
{
	bool any = false;

	for (int slot = 0; slot < loop->slots; slot++) {
		const struct sequence *sequence = &loop->sequences[slot];
		size_t position = (size_t)loop->step;

		loop->done[slot] = position > last_position(loop, slot);
		loop->tokens[slot] = loop->positions[slot] = -1;
		if (loop->done[slot])
			continue;
		loop->positions[slot] = (int)position;
		loop->tokens[slot] = is_prompt(sequence, loop->step)
			? sequence->prompt[position]
			: sequence->reply[position - sequence->prompt_bytes];
		any = true;
	}
	return any;
}

static enum status attend(void *context, int layer, const float *q, const float *k, const float *v,
			  float *out)
{
	struct loop *loop = context;
	const struct attention_step step = {
		.layer = layer, .q = q, .k = k, .v = v, .done = loop->done, .out = out,
	};

	return attention_step(loop->attention, &step);
}

/* The lowest index of the greatest logit. */
static int greedy(const float *logits, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

static enum status tell(const struct loop *loop, const struct event_token *token)
{
	const struct generate_options *options = loop->options;

	return options->token ? options->token(options->context, token) : STATUS_OK;
}

static enum status choose(struct loop *loop, int slot, const float *logits)
{
	struct sequence *sequence = &loop->sequences[slot];
	struct event_token token = {
		.step = loop->step, .slot = slot, .position = loop->step + 1,
		.byte = greedy(logits, llama_config(loop->model)->vocabulary),
	};

	memcpy(&token.logit_bits, &logits[token.byte], sizeof(token.logit_bits));
	sequence->reply[sequence->reply_bytes++] = (unsigned char)token.byte;
	return tell(loop, &token);
}

/* What a sequence makes of the step that was just run. */
static enum status take_logits(struct loop *loop, int slot)
{
	struct sequence *sequence = &loop->sequences[slot];
	size_t vocabulary = (size_t)llama_config(loop->model)->vocabulary;
	const float *logits = loop->logits + (size_t)slot * vocabulary;

	if (is_prompt(sequence, loop->step))
		TRY(tell(loop, &(struct event_token){
			.step = loop->step, .slot = slot, .position = loop->step,
			.byte = loop->tokens[slot], .prompt = true }));
	if (is_prompt(sequence, loop->step + 1))
		return STATUS_OK;
	if ((size_t)loop->step + 1 == sequence->prompt_bytes && sequence->logits != NULL)
		memcpy(sequence->logits, logits, vocabulary * sizeof(*logits));
	if (sequence->reply_bytes == loop->options->count)
		return STATUS_OK;
	return choose(loop, slot, logits);
}

static enum status run_step(struct loop *loop)
{
	struct device *device = loop->attention->device;

	TRY(device_step_begin(device, loop->step));
	TRY(llama_forward(loop->model, loop->slots, loop->tokens, loop->positions, loop->done,
			  attend, loop, loop->logits));
	for (int slot = 0; slot < loop->slots; slot++)
		if (!loop->done[slot])
			TRY(take_logits(loop, slot));
	return device_step_end(device);
}

static enum status run_steps(struct loop *loop)
{
	const struct generate_options *options = loop->options;

	for (; next_inputs(loop); loop->step++) {
		if (options->stop != NULL && options->stop(options->context))
			return fail(STATUS_INTERRUPTED, "interrupted before step %lld",
				    (long long)loop->step);
		TRY(run_step(loop));
	}
	return STATUS_OK;
}

enum status generate_run(const struct llama *model, struct attention *attention,
			 struct sequence *sequences, int slots,
			 const struct generate_options *options)
{
	size_t M = (size_t)slots;
	struct loop loop = {
		.model = model, .attention = attention, .sequences = sequences, .slots = slots,
		.options = options,
		.tokens = xcalloc(M, sizeof(*loop.tokens)),
		.positions = xcalloc(M, sizeof(*loop.positions)),
		.done = xcalloc(M, sizeof(*loop.done)),
		.logits = xcalloc(M * (size_t)llama_config(model)->vocabulary,
				  sizeof(*loop.logits)),
	};
	enum status status = run_steps(&loop);

	free(loop.tokens);
	free(loop.positions);
	free(loop.done);
	free(loop.logits);
	return status;
}
