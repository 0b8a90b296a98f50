/* kv_cache.c - device buffers and lengths of a KV cache; see kv_cache.h. */
#include "engine/attention/kv_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static enum status alloc_layer(struct kv_cache *cache, char letter, int layer, struct buffer **out)
{
	struct buffer_spec spec = {
		.dtype = cache->dtype, .rank = 4,
		.shape = { cache->slots, cache->kv_heads, cache->max_len, cache->head_dim },
	};
	char name[sizeof((*out)->name)];

	snprintf(name, sizeof name, "%c_cache.%d", letter, layer);
	spec.name = name;
	if (cache->pages.rows > 0) {
		spec.shape[0] = cache->pages.pool;
		spec.shape[2] = cache->pages.rows;
	}
	return device_alloc(cache->device, &spec, out);
}

/* Copies the table, which may not outlive the call. */
static enum status create_table(struct kv_cache *cache)
{
	struct buffer_spec spec = {
		"page_table", DTYPE_I32, 2, { cache->slots, cache->pages.each }
	};
	const int32_t *from = cache->pages.table;
	int32_t *table;

	cache->pages.table = NULL;
	if (cache->pages.rows == 0)
		return STATUS_OK;
	TRY(device_alloc(cache->device, &spec, &cache->page_table));
	table = xmalloc(cache->page_table->bytes);
	memcpy(table, from, cache->page_table->bytes);
	cache->pages.table = table;
	return device_upload(cache->device, NULL, cache->page_table, 0, table,
			     cache->page_table->bytes);
}

enum status kv_cache_create(struct device *device, int layers, int slots, int kv_heads, int max_len,
			    int head_dim, enum dtype dtype, const struct kv_pages *pages,
			    struct kv_cache **out)
{
	struct kv_cache *cache = xmalloc(sizeof *cache);
	enum status status;

	*cache = (struct kv_cache){
		.device = device, .layers = layers, .slots = slots, .kv_heads = kv_heads,
		.max_len = max_len, .head_dim = head_dim, .dtype = dtype, .pages = *pages,
		.k = xcalloc((size_t)layers, sizeof *cache->k),
		.v = xcalloc((size_t)layers, sizeof *cache->v),
		.lengths = xcalloc((size_t)layers * (size_t)slots, sizeof *cache->lengths),
	};
	status = create_table(cache);
	for (int layer = 0; layer < layers && status == STATUS_OK; layer++) {
		status = alloc_layer(cache, 'k', layer, &cache->k[layer]);
		if (status == STATUS_OK)
			status = alloc_layer(cache, 'v', layer, &cache->v[layer]);
	}
	if (status != STATUS_OK) {
		kv_cache_destroy(cache);
		return status;
	}
	*out = cache;
	return STATUS_OK;
}

void kv_cache_destroy(struct kv_cache *cache)
{
	struct error_record error;

	if (!cache)
		return;
	error_save(&error);
	for (int layer = 0; layer < cache->layers; layer++) {
		device_free(cache->device, cache->k[layer]);
		device_free(cache->device, cache->v[layer]);
	}
	device_free(cache->device, cache->page_table);
	free((void *)cache->pages.table);
	free(cache->k);
	free(cache->v);
	free(cache->lengths);
	free(cache);
	error_restore(&error);
}

static int *length_of(const struct kv_cache *cache, int layer, int slot)
{
	return &cache->lengths[(size_t)layer * (size_t)cache->slots + (size_t)slot];
}

int kv_cache_length(const struct kv_cache *cache, int layer, int slot)
{
	return *length_of(cache, layer, slot);
}

int kv_cache_rows(const struct kv_cache *cache)
{
	return cache->pages.rows > 0 ? cache->pages.rows : cache->max_len;
}

int64_t kv_cache_stride(const struct kv_cache *cache)
{
	return (int64_t)cache->kv_heads * kv_cache_rows(cache) * cache->head_dim;
}

int kv_cache_row(const struct kv_cache *cache, int slot, int position)
{
	const struct kv_pages *p = &cache->pages;

	if (p->rows == 0)
		return slot * cache->kv_heads * cache->max_len + position;
	return p->table[(size_t)slot * (size_t)p->each + (size_t)(position / p->rows)]
		* cache->kv_heads * p->rows + position % p->rows;
}

enum status kv_cache_check_capacity(const struct kv_cache *cache, int layer, int slot, int keys)
{
	int held = kv_cache_length(cache, layer, slot);

	if (keys <= cache->max_len - held)
		return STATUS_OK;
	if (keys > 1 && held < cache->max_len)
		return fail(STATUS_USAGE, "%d more keys do not fit in the KV cache of layer %d, "
			    "slot %d: %d of %d keys", keys, layer, slot, held, cache->max_len);
	return fail(STATUS_USAGE, "the KV cache of layer %d, slot %d is full: %d of %d keys", layer,
		    slot, held, cache->max_len);
}

void kv_cache_append(struct kv_cache *cache, int layer, int slot, int rows)
{
	*length_of(cache, layer, slot) += rows;
}

void kv_cache_clear(struct kv_cache *cache, int slot)
{
	for (int layer = 0; layer < cache->layers; layer++)
		*length_of(cache, layer, slot) = 0;
}

enum status kv_cache_load(struct kv_cache *cache, int layer, int slot, const void *k,
			  const void *v, int rows, int source_rows)
{
	size_t row = (size_t)cache->head_dim * dtype_bytes(cache->dtype);
	int *length = length_of(cache, layer, slot);

	if (rows > cache->max_len || *length != 0)
		return fail(STATUS_USAGE, "cannot load %d keys into layer %d, slot %d of the KV "
			    "cache: it holds %d of %d keys", rows, layer, slot, *length,
			    cache->max_len);
	for (int head = 0; head < cache->kv_heads; head++) {
		uint64_t to = ((uint64_t)slot * (uint64_t)cache->kv_heads + (uint64_t)head)
			* (uint64_t)cache->max_len * row;
		size_t from = (size_t)head * (size_t)source_rows * row;

		TRY(device_upload(cache->device, NULL, cache->k[layer], to, (const char *)k + from,
				  (size_t)rows * row));
		TRY(device_upload(cache->device, NULL, cache->v[layer], to, (const char *)v + from,
				  (size_t)rows * row));
	}
	*length = rows;
	return STATUS_OK;
}

enum status kv_cache_load_pools(struct kv_cache *cache, int layer, const void *k, const void *v)
{
	struct buffer *to[] = { cache->k[layer], cache->v[layer] };

	TRY(device_upload(cache->device, NULL, to[0], 0, k, to[0]->bytes));
	return device_upload(cache->device, NULL, to[1], 0, v, to[1]->bytes);
}

void kv_cache_set_length(struct kv_cache *cache, int layer, int slot, int keys)
{
	*length_of(cache, layer, slot) = keys;
}
