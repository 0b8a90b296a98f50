/* kv_cache.h - the keys and values of every layer and sequence, in device memory.
 *
 * One K and one V buffer per layer, f32 [slots, kv_heads, max_len, head_dim]; a slot holds one
 * sequence. The cache knows how many keys each layer and slot holds and whether one more fits.
 * Writing rows is a kernel's work (kv_scatter), which the attention paths launch; only whole
 * prefixes are loaded here.
 */
#ifndef KV_CACHE_H
#define KV_CACHE_H

#include "engine/device.h"

struct kv_cache {
	struct device *device;
	int layers, slots, kv_heads, max_len, head_dim;
	struct buffer **k, **v;         /* [layers] */
	int *lengths;                   /* [layers, slots] keys held */
};

/* All sizes are 1 or more, checked by the caller (attention_check). The device outlives the
 * cache; on an error nothing stays allocated. */
enum status kv_cache_create(struct device *, int layers, int slots, int kv_heads, int max_len,
			    int head_dim, struct kv_cache **out);
/* Frees the buffers too and leaves the error record as it was. NULL is fine. */
void kv_cache_destroy(struct kv_cache *);

int kv_cache_length(const struct kv_cache *, int layer, int slot);
/* Elements from one slot of a layer's buffer to the next. */
int64_t kv_cache_stride(const struct kv_cache *);

/* USAGE, naming the slot and the sizes, when a slot that is not done has no room for one more key.
 * done is [slots], NULL when none is. */
enum status kv_cache_check_room(const struct kv_cache *, int layer, const bool *done);
/* One key more in every slot that is not done: after it was written, not before. */
void kv_cache_advance(struct kv_cache *, int layer, const bool *done);
/* `rows` keys more in one slot, which has room for them: likewise after they were written. */
void kv_cache_append(struct kv_cache *, int layer, int slot, int rows);
/* Makes a slot empty in every layer, for the next sequence. */
void kv_cache_clear(struct kv_cache *, int slot);

/* Makes the first `rows` keys of an empty slot those of the host arrays k and v, f32
 * [kv_heads, source_rows, head_dim]. USAGE when they do not fit or the slot holds keys already. */
enum status kv_cache_load(struct kv_cache *, int layer, int slot, const float *k, const float *v,
			  int rows, int source_rows);

#endif
