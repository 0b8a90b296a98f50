/* generate.c - the decode loop over model, attention path and sequences; see generate.h. */
#include "engine/model/generate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

/* --- sizes --- */

enum status generate_check(const struct llama *model, const struct sequence *sequences,
			   int sequence_count)
{
	size_t limit = (size_t)llama_config(model)->max_positions;

	for (int i = 0; i < sequence_count; i++) {
		size_t prompt = sequences[i].prompt_bytes, count = sequences[i].count;

		if (prompt == 0)
			return fail(STATUS_USAGE, "the prompt is empty: expected 1 byte or more");
		if (prompt > limit || count > limit - prompt)
			return fail(STATUS_USAGE, "expected at most %zu positions "
				    "(max_position_embeddings), got %zu: a prompt of %zu bytes and "
				    "%zu more", limit, prompt + count, prompt, count);
	}
	return STATUS_OK;
}

struct attention_shape generate_shape(const struct llama *model, const struct path *path,
				      const struct sequence *sequences, int sequence_count,
				      int slots, int chunk)
{
	const struct model_config *c = llama_config(model);
	size_t longest = 0;

	for (int i = 0; i < sequence_count; i++)
		if (sequences[i].prompt_bytes + sequences[i].count > longest)
			longest = sequences[i].prompt_bytes + sequences[i].count;
	if (chunk >= 1 && chunk <= MAX_CHUNK)           /* else the path reports an error */
		longest = (longest + (size_t)chunk - 1) / (size_t)chunk * (size_t)chunk;
	return (struct attention_shape){
		.layers = c->layers, .slots = slots, .heads = c->heads,
		.kv_heads = path->repeat_kv ? c->heads : c->kv_heads,
		.head_dim = c->head_dim, .chunk = chunk, .scale = attention_scale(c->head_dim),
		.max_len = (int)longest,
	};
}

/* --- the loop --- */

/* A slot and its sequence. */
struct slot {
	struct sequence *sequence;      /* NULL: the slot is free */
	bool begun;                     /* its prompt is in the cache */
};

/* The state of one generate_run(). Arrays are [slots]. */
struct loop {
	const struct llama *model;
	struct attention *attention;
	struct sequence *waiting;       /* the next one to get a slot */
	struct sequence *end;           /* one past the last */
	int slot_count;
	const struct generate_options *options;
	int64_t step;
	struct slot *slots;
	int *tokens, *positions;        /* of this step: last byte and its position; -1: none */
	bool *done;                     /* does not advance by one position in this step */
	float *logits;                  /* [slots, vocabulary] */
};

/* Frees slots whose sequence is complete and gives free slots to waiting sequences. Returns whether
 * any slot has a sequence. */
static bool fill_slots(struct loop *loop)
{
	bool any = false;

	for (int i = 0; i < loop->slot_count; i++) {
		struct slot *slot = &loop->slots[i];

		/* The last byte of a reply is not fed back: its logits would not be used. */
		if (slot->begun && slot->sequence->reply_bytes == slot->sequence->count)
			*slot = (struct slot){ 0 };
		if (!slot->sequence && loop->waiting < loop->end) {
			slot->sequence = loop->waiting++;
			if (loop->attention->cache)
				kv_cache_clear(loop->attention->cache, i);
		}
		any |= slot->sequence != NULL;
	}
	return any;
}

/* Fills tokens, positions and done. */
static void find_inputs(struct loop *loop)
{
	for (int i = 0; i < loop->slot_count; i++) {
		const struct slot *slot = &loop->slots[i];
		const struct sequence *sequence = slot->sequence;

		loop->done[i] = !slot->begun;
		loop->tokens[i] = loop->positions[i] = -1;
		if (!sequence)
			continue;
		loop->tokens[i] = slot->begun ? sequence->reply[sequence->reply_bytes - 1]
			: sequence->prompt[sequence->prompt_bytes - 1];
		loop->positions[i] = (int)(sequence->prompt_bytes + sequence->reply_bytes) - 1;
	}
}

/* The index of the largest logit, the lowest one if several are equal. */
static int greedy(const float *logits, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (logits[i] > logits[best])
			best = i;
	return best;
}

static enum status report_token(const struct loop *loop, const struct row_token *token)
{
	const struct generate_options *options = loop->options;

	return options->token ? options->token(options->context, token) : STATUS_OK;
}

static float *slot_logits(const struct loop *loop, int slot)
{
	return loop->logits + (size_t)slot * (size_t)llama_config(loop->model)->vocabulary;
}

static enum status choose(struct loop *loop, int slot)
{
	struct sequence *sequence = loop->slots[slot].sequence;
	const float *logits = slot_logits(loop, slot);
	struct row_token token = {
		.step = loop->step, .slot = slot,
		.position = (int64_t)(sequence->prompt_bytes + sequence->reply_bytes),
		.byte = greedy(logits, llama_config(loop->model)->vocabulary),
	};

	if (sequence->reply_bytes == sequence->count)
		return STATUS_OK;
	memcpy(&token.logit_bits, &logits[token.byte], sizeof token.logit_bits);
	sequence->reply[sequence->reply_bytes++] = (unsigned char)token.byte;
	return report_token(loop, &token);
}

/* --- KV heads --- */

/* Rows [rows, Hkv, D] of the model with as many KV heads as the path has: each is repeated. The
 * caller frees them. */
static float *repeat_kv(const struct loop *loop, const float *from, int rows)
{
	const struct model_config *c = llama_config(loop->model);
	int heads = loop->attention->shape.kv_heads, times = heads / c->kv_heads;
	size_t D = (size_t)c->head_dim, count = (size_t)rows * (size_t)heads;
	float *out = xmalloc(count * D * sizeof *out);

	for (size_t i = 0; i < count; i++)
		memcpy(out + i * D, from + i / (size_t)times * D, D * sizeof *out);
	return out;
}

/* --- a prompt: all of its positions --- */

struct prompt {
	struct loop *loop;
	int slot, rows;
};

static enum status attend_prompt(void *context, int layer, const float *q, const float *k,
				 const float *v, float *out)
{
	const struct prompt *prompt = context;
	float *all_k = repeat_kv(prompt->loop, k, prompt->rows);
	float *all_v = repeat_kv(prompt->loop, v, prompt->rows);
	enum status status;

	status = attention_prefill(prompt->loop->attention, &(struct attention_prompt){
		.layer = layer, .slot = prompt->slot, .rows = prompt->rows,
		.q = q, .k = all_k, .v = all_v, .out = out });
	free(all_k);
	free(all_v);
	return status;
}

static enum status report_prompt(struct loop *loop, int slot)
{
	const struct sequence *sequence = loop->slots[slot].sequence;

	for (size_t i = 0; i < sequence->prompt_bytes; i++)
		TRY(report_token(loop, &(struct row_token){
			.step = loop->step, .slot = slot, .position = (int64_t)i,
			.byte = sequence->prompt[i], .prompt = true }));
	return STATUS_OK;
}

static enum status begin(struct loop *loop, int slot)
{
	struct sequence *sequence = loop->slots[slot].sequence;
	size_t vocabulary = (size_t)llama_config(loop->model)->vocabulary;
	struct prompt prompt = { loop, slot, (int)sequence->prompt_bytes };
	int *tokens = xcalloc(sequence->prompt_bytes, sizeof *tokens);
	enum status status;

	for (int i = 0; i < prompt.rows; i++)
		tokens[i] = sequence->prompt[i];
	status = llama_prefill(loop->model, prompt.rows, tokens, 0, attend_prompt, &prompt,
			       slot_logits(loop, slot));
	free(tokens);
	TRY(status);
	loop->slots[slot].begun = true;
	if (sequence->logits)
		memcpy(sequence->logits, slot_logits(loop, slot), vocabulary * sizeof(float));
	return report_prompt(loop, slot);
}

/* --- a step --- */

static enum status attend(void *context, int layer, const float *q, const float *k, const float *v,
			  float *out)
{
	struct loop *loop = context;
	float *all_k = repeat_kv(loop, k, loop->slot_count);
	float *all_v = repeat_kv(loop, v, loop->slot_count);
	enum status status;

	status = attention_step(loop->attention, &(struct attention_step){
		.layer = layer, .q = q, .k = all_k, .v = all_v, .done = loop->done, .out = out });
	free(all_k);
	free(all_v);
	return status;
}

/* Advances the sequences that were begun in earlier steps by one position. */
static enum status advance(struct loop *loop)
{
	bool any = false;

	for (int i = 0; i < loop->slot_count; i++)
		any |= !loop->done[i];
	return any ? llama_forward(loop->model, loop->slot_count, loop->tokens, loop->positions,
				   loop->done, attend, loop, loop->logits) : STATUS_OK;
}

static enum status run_step(struct loop *loop)
{
	struct device *device = loop->attention->device;

	find_inputs(loop);
	TRY(device_step_begin(device, loop->step));
	for (int i = 0; i < loop->slot_count; i++)
		if (loop->slots[i].sequence && !loop->slots[i].begun)
			TRY(begin(loop, i));
	TRY(advance(loop));
	for (int i = 0; i < loop->slot_count; i++)
		if (loop->slots[i].sequence)
			TRY(choose(loop, i));
	return device_step_end(device);
}

static enum status run_steps(struct loop *loop)
{
	const struct generate_options *options = loop->options;

	for (; fill_slots(loop); loop->step++) {
		if (options->stop && options->stop(options->context))
			return fail(STATUS_INTERRUPTED, "interrupted before step %lld",
				    (long long)loop->step);
		TRY(run_step(loop));
	}
	return STATUS_OK;
}

enum status generate_run(const struct llama *model, struct attention *attention,
			 struct sequence *sequences, int sequence_count,
			 const struct generate_options *options)
{
	size_t M = (size_t)attention->shape.slots;
	struct loop loop = {
		.model = model, .attention = attention, .waiting = sequences,
		.end = sequences + sequence_count, .slot_count = attention->shape.slots,
		.options = options,
		.slots = xcalloc(M, sizeof *loop.slots),
		.tokens = xcalloc(M, sizeof *loop.tokens),
		.positions = xcalloc(M, sizeof *loop.positions),
		.done = xcalloc(M, sizeof *loop.done),
		.logits = xcalloc(M * (size_t)llama_config(model)->vocabulary,
				  sizeof *loop.logits),
	};
	enum status status = run_steps(&loop);

	free(loop.slots);
	free(loop.tokens);
	free(loop.positions);
	free(loop.done);
	free(loop.logits);
	return status;
}
