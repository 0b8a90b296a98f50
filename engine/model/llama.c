/* llama.c - loads a Llama model and runs positions of it; see llama.h.
 *
 * The layer is Hugging Face's LlamaDecoderLayer: x += o(attention(rope(qkv(norm(x))))), then
 * x += down(silu(gate(norm(x))) * up(norm(x))). Weights are [outputs, inputs], row by row. Sums
 * have a fixed tree. exp, sin and cos are computed in double and rounded, so that they do not
 * depend on which float variant a C library picks for a processor.
 */
#include "engine/model/llama.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "engine/model/safetensors.h"

#define MAX_CONFIG ((size_t)1 << 20)
#define MAX_NAME 96

struct layer {
	float *input_norm, *post_norm;  /* [hidden] */
	float *q, *k, *v;               /* [H * D, hidden], then [Hkv * D, hidden] twice */
	float *o;                       /* [hidden, H * D] */
	float *gate, *up;               /* [intermediate, hidden] */
	float *down;                    /* [hidden, intermediate] */
};

struct llama {
	struct model_config config;
	char *config_text;
	float *embedding;                       /* [vocabulary, hidden] */
	float *norm;                            /* [hidden] */
	float *head;                            /* [vocabulary, hidden]; the embedding when tied */
	float *inverse_frequency;               /* [D / 2] of RoPE */
	struct layer *layers;
};

/* --- loading --- */

static enum status load_matrix(const struct safetensors *file, const char *name, int64_t rows,
			       int64_t columns, float **out)
{
	return safetensors_load(file, name, 2, (const int64_t[]){ rows, columns }, out);
}

static enum status load_vector(const struct safetensors *file, const char *name, int64_t size,
			       float **out)
{
	return safetensors_load(file, name, 1, &size, out);
}

static enum status load_layer(const struct safetensors *file, const struct model_config *c,
			      int index, struct layer *layer)
{
	int64_t hidden = c->hidden, wide = c->intermediate;
	int64_t queries = (int64_t)c->heads * c->head_dim;
	int64_t keys = (int64_t)c->kv_heads * c->head_dim;
	const struct {
		const char *name;
		float **to;
		int64_t rows, columns;          /* rows 0: a vector */
	} tensors[] = {
		{ "input_layernorm", &layer->input_norm, 0, hidden },
		{ "self_attn.q_proj", &layer->q, queries, hidden },
		{ "self_attn.k_proj", &layer->k, keys, hidden },
		{ "self_attn.v_proj", &layer->v, keys, hidden },
		{ "self_attn.o_proj", &layer->o, hidden, queries },
		{ "post_attention_layernorm", &layer->post_norm, 0, hidden },
		{ "mlp.gate_proj", &layer->gate, wide, hidden },
		{ "mlp.up_proj", &layer->up, wide, hidden },
		{ "mlp.down_proj", &layer->down, hidden, wide },
	};
	char name[MAX_NAME];

	for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
		snprintf(name, sizeof name, "model.layers.%d.%s.weight", index, tensors[i].name);
		TRY(tensors[i].rows > 0
		    ? load_matrix(file, name, tensors[i].rows, tensors[i].columns, tensors[i].to)
		    : load_vector(file, name, tensors[i].columns, tensors[i].to));
	}
	return STATUS_OK;
}

static enum status load_weights(struct llama *model, const struct safetensors *file)
{
	const struct model_config *c = &model->config;

	TRY(load_matrix(file, "model.embed_tokens.weight", c->vocabulary, c->hidden,
			&model->embedding));
	model->layers = xcalloc((size_t)c->layers, sizeof *model->layers);
	for (int i = 0; i < c->layers; i++)
		TRY(load_layer(file, c, i, &model->layers[i]));
	TRY(load_vector(file, "model.norm.weight", c->hidden, &model->norm));
	if (c->tied)
		model->head = model->embedding;
	else
		TRY(load_matrix(file, "lm_head.weight", c->vocabulary, c->hidden, &model->head));
	return STATUS_OK;
}

/* Computes in float, like the reference: the angles of late positions depend on it. */
static void prepare_rope(struct llama *model)
{
	int D = model->config.head_dim;

	model->inverse_frequency = xmalloc((size_t)(D / 2) * sizeof(float));
	for (int i = 0; i < D / 2; i++) {
		float power = (float)pow(model->config.rope_theta, (float)(2 * i) / (float)D);

		model->inverse_frequency[i] = 1.0f / power;
	}
}

static enum status load_config(struct llama *model, const char *directory)
{
	char *path = xasprintf("%s/config.json", directory);
	enum status status;
	size_t bytes;

	status = file_read(path, MAX_CONFIG, &model->config_text, &bytes);
	if (status == STATUS_OK)
		status = model_config_parse(path, model->config_text, &model->config);
	free(path);
	return status;
}

static enum status load(struct llama *model, const char *directory)
{
	struct safetensors *file;
	enum status status;
	char *path;

	TRY(load_config(model, directory));
	path = xasprintf("%s/model.safetensors", directory);
	status = safetensors_open(path, &file);
	free(path);
	TRY(status);
	status = load_weights(model, file);
	safetensors_close(file);
	prepare_rope(model);
	return status;
}

enum status llama_open(const char *directory, struct llama **out)
{
	struct llama *model = xcalloc(1, sizeof *model);
	enum status status = load(model, directory);

	if (status != STATUS_OK) {
		llama_close(model);
		return status;
	}
	*out = model;
	return STATUS_OK;
}

static void free_layer(struct layer *layer)
{
	free(layer->input_norm);
	free(layer->q);
	free(layer->k);
	free(layer->v);
	free(layer->o);
	free(layer->post_norm);
	free(layer->gate);
	free(layer->up);
	free(layer->down);
}

void llama_close(struct llama *model)
{
	if (!model)
		return;
	for (int i = 0; model->layers != NULL && i < model->config.layers; i++)
		free_layer(&model->layers[i]);
	free(model->layers);
	if (model->head != model->embedding)
		free(model->head);
	free(model->embedding);
	free(model->norm);
	free(model->inverse_frequency);
	free(model->config_text);
	free(model);
}

const struct model_config *llama_config(const struct llama *model)
{
	return &model->config;
}

const char *llama_config_text(const struct llama *model)
{
	return model->config_text;
}

/* --- arithmetic --- */

#define LANES 16        /* partial sums of a dot product: as many as the widest vector units hold */

static float dot(const float *restrict a, const float *restrict b, int n)
{
	float sums[LANES] = { 0 }, tail = 0.0f;
	int i = 0;

	for (; i + LANES <= n; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			sums[lane] += a[i + lane] * b[i + lane];
	for (; i < n; i++)
		tail += a[i] * b[i];
	for (int half = LANES / 2; half > 0; half /= 2)
		for (int lane = 0; lane < half; lane++)
			sums[lane] += sums[lane + half];
	return sums[0] + tail;
}

/* y = W x, with W [rows, columns]. */
static void multiply(float *restrict y, const float *W, const float *x, int rows, int columns)
{
	for (int row = 0; row < rows; row++)
		y[row] = dot(W + (size_t)row * (size_t)columns, x, columns);
}

static void rms_norm(float *restrict y, const float *x, const float *weight, int n, float eps)
{
	float factor = 1.0f / sqrtf(dot(x, x, n) / (float)n + eps);

	for (int i = 0; i < n; i++)
		y[i] = weight[i] * (x[i] * factor);
}

/* Rotates each head of x [heads, D]: element i pairs with element i + D / 2. */
static void rope(const struct llama *model, float *x, int heads, int position)
{
	int D = model->config.head_dim, half = D / 2;

	for (int i = 0; i < half; i++) {
		float angle = (float)position * model->inverse_frequency[i];
		float c = (float)cos((double)angle), s = (float)sin((double)angle);

		for (int head = 0; head < heads; head++) {
			float *row = x + (size_t)head * (size_t)D;
			float a = row[i], b = row[i + half];

			row[i] = a * c - b * s;
			row[i + half] = b * c + a * s;
		}
	}
}

static float silu(float x)
{
	return (float)(x / (1.0 + exp(-(double)x)));
}

static void add(float *restrict x, const float *y, int n)
{
	for (int i = 0; i < n; i++)
		x[i] += y[i];
}

/* --- positions: one of each sequence, or several of one --- */

/* Intermediate arrays of one call. All but the last four have one row per slot. */
struct work {
	float *x;                               /* [slots, hidden] the residual stream */
	float *q, *k, *v, *attended;
	float *normed, *added;                  /* [hidden] */
	float *gate, *up;                       /* [intermediate] */
};

static void work_init(struct work *work, const struct model_config *c, int slots)
{
	size_t M = (size_t)slots, hidden = (size_t)c->hidden;
	size_t queries = (size_t)c->heads * (size_t)c->head_dim;
	size_t keys = (size_t)c->kv_heads * (size_t)c->head_dim;

	work->x = xcalloc(M * hidden, sizeof(float));
	work->q = xcalloc(M * queries, sizeof(float));
	work->k = xcalloc(M * keys, sizeof(float));
	work->v = xcalloc(M * keys, sizeof(float));
	work->attended = xcalloc(M * queries, sizeof(float));
	work->normed = xcalloc(hidden, sizeof(float));
	work->added = xcalloc(hidden, sizeof(float));
	work->gate = xcalloc((size_t)c->intermediate, sizeof(float));
	work->up = xcalloc((size_t)c->intermediate, sizeof(float));
}

static void work_free(struct work *work)
{
	free(work->x);
	free(work->q);
	free(work->k);
	free(work->v);
	free(work->attended);
	free(work->normed);
	free(work->added);
	free(work->gate);
	free(work->up);
}

static void project(const struct llama *model, const struct layer *layer, struct work *work,
		    int slot, int position)
{
	const struct model_config *c = &model->config;
	int queries = c->heads * c->head_dim, keys = c->kv_heads * c->head_dim;
	float *q = work->q + (size_t)slot * (size_t)queries;
	float *k = work->k + (size_t)slot * (size_t)keys;
	float *v = work->v + (size_t)slot * (size_t)keys;

	rms_norm(work->normed, work->x + (size_t)slot * (size_t)c->hidden, layer->input_norm,
		 c->hidden, c->rms_norm_eps);
	multiply(q, layer->q, work->normed, queries, c->hidden);
	multiply(k, layer->k, work->normed, keys, c->hidden);
	multiply(v, layer->v, work->normed, keys, c->hidden);
	rope(model, q, c->heads, position);
	rope(model, k, c->kv_heads, position);
}

/* The output projection and the feed-forward network. */
static void finish_layer(const struct model_config *c, const struct layer *layer, struct work *work,
			 int slot)
{
	int queries = c->heads * c->head_dim;
	float *x = work->x + (size_t)slot * (size_t)c->hidden;

	multiply(work->added, layer->o, work->attended + (size_t)slot * (size_t)queries, c->hidden,
		 queries);
	add(x, work->added, c->hidden);
	rms_norm(work->normed, x, layer->post_norm, c->hidden, c->rms_norm_eps);
	multiply(work->gate, layer->gate, work->normed, c->intermediate, c->hidden);
	multiply(work->up, layer->up, work->normed, c->intermediate, c->hidden);
	for (int i = 0; i < c->intermediate; i++)
		work->gate[i] = silu(work->gate[i]) * work->up[i];
	multiply(work->added, layer->down, work->gate, c->hidden, c->intermediate);
	add(x, work->added, c->hidden);
}

static bool is_done(const bool *done, int slot)
{
	return done != NULL && done[slot];
}

static enum status check_inputs(const struct model_config *c, int slots, const int *tokens,
				const int *positions, const bool *done)
{
	for (int slot = 0; slot < slots; slot++) {
		if (is_done(done, slot))
			continue;
		if (tokens[slot] < 0 || tokens[slot] >= c->vocabulary)
			return fail(STATUS_USAGE, "slot %d: expected a token of 0 to %d, got %d",
				    slot, c->vocabulary - 1, tokens[slot]);
		if (positions[slot] < 0 || positions[slot] >= c->max_positions)
			return fail(STATUS_USAGE, "slot %d: expected a position of 0 to %d, got %d",
				    slot, c->max_positions - 1, positions[slot]);
	}
	return STATUS_OK;
}

static enum status run_layers(const struct llama *model, struct work *work, int slots,
			      const int *positions, const bool *done, llama_attend_fn *attend,
			      void *context)
{
	for (int i = 0; i < model->config.layers; i++) {
		const struct layer *layer = &model->layers[i];

		for (int slot = 0; slot < slots; slot++)
			if (!is_done(done, slot))
				project(model, layer, work, slot, positions[slot]);
		TRY(attend(context, i, work->q, work->k, work->v, work->attended));
		for (int slot = 0; slot < slots; slot++)
			if (!is_done(done, slot))
				finish_layer(&model->config, layer, work, slot);
	}
	return STATUS_OK;
}

static void embed(const struct llama *model, struct work *work, int row, int token)
{
	size_t hidden = (size_t)model->config.hidden;

	memcpy(work->x + (size_t)row * hidden, model->embedding + (size_t)token * hidden,
	       hidden * sizeof(float));
}

static void predict(const struct llama *model, struct work *work, int row, float *logits)
{
	const struct model_config *c = &model->config;

	rms_norm(work->normed, work->x + (size_t)row * (size_t)c->hidden, model->norm, c->hidden,
		 c->rms_norm_eps);
	multiply(logits, model->head, work->normed, c->vocabulary, c->hidden);
}

enum status llama_forward(const struct llama *model, int slots, const int *tokens,
			  const int *positions, const bool *done, llama_attend_fn *attend,
			  void *context, float *logits)
{
	const struct model_config *c = &model->config;
	enum status status;
	struct work work;

	TRY(check_inputs(c, slots, tokens, positions, done));
	work_init(&work, c, slots);
	for (int slot = 0; slot < slots; slot++)
		if (!is_done(done, slot))
			embed(model, &work, slot, tokens[slot]);
	status = run_layers(model, &work, slots, positions, done, attend, context);
	for (int slot = 0; status == STATUS_OK && slot < slots; slot++)
		if (!is_done(done, slot))
			predict(model, &work, slot, logits + (size_t)slot * (size_t)c->vocabulary);
	work_free(&work);
	return status;
}

enum status llama_prefill(const struct llama *model, int count, const int *tokens, int first,
			  llama_attend_fn *attend, void *context, float *logits)
{
	int *positions = xcalloc((size_t)count + 1, sizeof *positions);
	enum status status;
	struct work work;

	for (int row = 0; row < count; row++)
		positions[row] = first + row;
	status = check_inputs(&model->config, count, tokens, positions, NULL);
	if (status == STATUS_OK && count > 0) {
		work_init(&work, &model->config, count);
		for (int row = 0; row < count; row++)
			embed(model, &work, row, tokens[row]);
		status = run_layers(model, &work, count, positions, NULL, attend, context);
		if (status == STATUS_OK)
			predict(model, &work, count - 1, logits);
		work_free(&work);
	}
	free(positions);
	return status;
}
