/* path.c - the table of attention paths, and the checks that all of them share; see path.h. */
#include "engine/path.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEAD_DIM 256        /* D_MAX of kernels/online_softmax.cuh */
#define MAX_SLOTS 65535         /* grid.y */

const struct path *const path_table[] = { &path_flash_decoding, NULL };

const struct path *path_find(const char *name)
{
	for (int i = 0; path_table[i] != NULL; i++)
		if (strcmp(path_table[i]->name, name) == 0)
			return path_table[i];
	return NULL;
}

float attention_scale(int head_dim)
{
	return 1.0f / sqrtf((float)head_dim);
}

int attention_max_chunks(int max_len, int chunk)
{
	return max_len / chunk + (max_len % chunk != 0);
}

static bool has_work(const struct attention_shape *shape)
{
	return shape->slots > 0 && shape->heads > 0;
}

static enum status check_shape(const char *path, const struct attention_shape *s)
{
	if (s->layers < 1 || s->slots < 0 || s->slots > MAX_SLOTS)
		return fail(STATUS_USAGE, "%s: %d layers and %d slots, at least 1 layer and 0 to "
			    "%d slots are possible", path, s->layers, s->slots, MAX_SLOTS);
	if (s->heads < 0 || s->kv_heads < 0)
		return fail(STATUS_USAGE, "%s: %d query heads, %d KV heads", path, s->heads,
			    s->kv_heads);
	if (!has_work(s))
		return STATUS_OK;
	if (s->head_dim < 1 || s->head_dim > MAX_HEAD_DIM)
		return fail(STATUS_USAGE, "%s: head size %d, it must be 1 to %d", path, s->head_dim,
			    MAX_HEAD_DIM);
	if (s->kv_heads < 1 || s->heads % s->kv_heads != 0)
		return fail(STATUS_USAGE, "%s: %d query heads are no multiple of %d KV heads", path,
			    s->heads, s->kv_heads);
	if (s->chunk < 1 || s->chunk > MAX_CHUNK)
		return fail(STATUS_USAGE, "%s: a chunk of %d keys, it must be 1 to %d", path,
			    s->chunk, MAX_CHUNK);
	/* Kernels round a length up to whole chunks in an int. */
	if (s->max_len < 1 || s->max_len > INT_MAX - MAX_CHUNK)
		return fail(STATUS_USAGE, "%s: room for %d keys, it must be 1 to %d", path,
			    s->max_len, INT_MAX - MAX_CHUNK);
	return STATUS_OK;
}

enum status attention_check(const struct path *path, const struct attention_shape *shape)
{
	TRY(check_shape(path->name, shape));
	return has_work(shape) ? path->check(shape) : STATUS_OK;
}

enum status attention_create(const struct path *path, struct device *device,
			     const struct attention_shape *shape, struct attention **out)
{
	TRY(attention_check(path, shape));
	return path->create(device, shape, out);
}

static enum status check_step(const struct attention *attention, const struct attention_step *step)
{
	const char *name = attention->path->name;
	enum status status;

	if (step->layer < 0 || step->layer >= attention->shape.layers)
		return fail(STATUS_USAGE, "%s: layer %d of %d", name, step->layer,
			    attention->shape.layers);
	if (step->q == NULL || step->k == NULL || step->v == NULL || step->out == NULL)
		return fail(STATUS_USAGE, "%s: q, k, v or out is missing", name);
	status = kv_cache_check_room(attention->cache, step->layer, step->done);
	return status ? fail_context(status, "%s", name) : STATUS_OK;
}

enum status attention_step(struct attention *attention, const struct attention_step *step)
{
	if (!has_work(&attention->shape))
		return STATUS_OK;
	TRY(check_step(attention, step));
	TRY(attention->path->step(attention, step));
	kv_cache_advance(attention->cache, step->layer, step->done);
	return STATUS_OK;
}

/* A device that has failed refuses to free as well; what went wrong first is what counts. */
void attention_destroy(struct attention *attention)
{
	struct error_record error;

	if (attention == NULL)
		return;
	error_save(&error);
	attention->path->destroy(attention);
	error_restore(&error);
}
