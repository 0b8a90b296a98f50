/* kv_cache.h - the keys and values of every layer and sequence, in device memory.
 *
 * One K and one V buffer per layer, [slots, kv_heads, max_len, head_dim], of f32, f16, bf16 or
 * e4m3; a slot holds one sequence. The cache keeps the number of keys in each layer and slot and
 * checks whether one more fits. It does not write rows, except to load whole prefixes: the
 * attention paths launch a kernel (kv_scatter) for that.
 *
 * With pages, K and V of a layer are pools [pages, kv_heads, rows, head_dim], which can be loaded
 * whole: the first dimension of a buffer counts pages, not slots.
 */
#ifndef KV_CACHE_H
#define KV_CACHE_H

#include "engine/attention/kv_pages.h"
#include "engine/device.h"

struct kv_cache {
	struct device *device;
	int layers, slots, kv_heads, max_len, head_dim;
	enum dtype dtype;
	struct buffer **k, **v;         /* [layers] */
	int *lengths;                   /* [layers, slots] in keys */
	struct kv_pages pages;          /* with a copy of the table */
	struct buffer *page_table;      /* the same, i32 [slots, each]; NULL: no pages */
};

/* All sizes are 1 or more, checked by the caller (attention_check()); pages of 0 rows: none. The
 * device must outlive the cache. On an error nothing stays allocated. */
enum status kv_cache_create(struct device *, int layers, int slots, int kv_heads, int max_len,
			    int head_dim, enum dtype, const struct kv_pages *,
			    struct kv_cache **out);
/* Frees the buffers too. Does not change the error record. NULL is allowed. */
void kv_cache_destroy(struct kv_cache *);

int kv_cache_length(const struct kv_cache *, int layer, int slot);
/* Elements from one slot of a layer's buffer to the next; with pages, from one page. */
int64_t kv_cache_stride(const struct kv_cache *);

/* Checks that a slot can hold `keys` more. Fails with USAGE, naming the slot and the sizes. */
enum status kv_cache_check_capacity(const struct kv_cache *, int layer, int slot, int keys);
/* Counts `rows` more keys, which must fit, in one slot. Call it after they were written. */
void kv_cache_append(struct kv_cache *, int layer, int slot, int rows);
/* Empties a slot in every layer, for the next sequence. */
void kv_cache_clear(struct kv_cache *, int slot);

/* Loads the first `rows` keys and values of the host arrays k and v, [kv_heads, source_rows,
 * head_dim] of the cache's dtype, into an empty slot. USAGE if they do not fit or the slot is not
 * empty. */
enum status kv_cache_load(struct kv_cache *, int layer, int slot, const void *k, const void *v,
			  int rows, int source_rows);

/* The row of a key of a slot, head 0, in a layer's buffer of rows: with pages, that of its page. */
int kv_cache_row(const struct kv_cache *, int slot, int position);
/* Keys of a head of a slot of a buffer; with pages, rows of a page. */
int kv_cache_rows(const struct kv_cache *);

/* With pages: loads the pools k and v of the cache's dtype whole. */
enum status kv_cache_load_pools(struct kv_cache *, int layer, const void *k, const void *v);
/* With pages: sets the keys of a slot, at most max_len. */
void kv_cache_set_length(struct kv_cache *, int layer, int slot, int keys);

#endif
