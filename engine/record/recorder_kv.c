/* recorder_kv.c - finds the rows of K and V that uploads and copies wrote; see recorder_kv.h.
 *
 * A cache is a buffer "k_cache.LAYER" or "v_cache.LAYER" of shape [slots, KV heads, max_len, D].
 * Only rows that were written completely count.
 */
#include "engine/record/recorder_kv.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_state.h"
#include "engine/record/shadow.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* Bytes of a cache that an operation moved. */
struct moved {
	const struct buffer *cache;
	uint64_t offset, bytes;         /* in the cache */
	const struct buffer *to;        /* where they were written: the cache, or a copy of it */
	uint64_t to_offset;
	bool upload;
};

char recorder_kv_tensor(const struct buffer *cache)
{
	return cache->name[0] == 'v' || cache->name[0] == 'V' ? 'v' : 'k';
}

static bool is_cache(const struct buffer *b)
{
	return b && b->rank == 4 && b->bytes > 0
		&& (!strncmp(b->name, "k_cache.", 8) || !strncmp(b->name, "v_cache.", 8));
}

/* Describes the consecutive positions of one KV head that begin at row `row` of the cache. */
static struct row_kv describe(struct recorder *r, int64_t op, const struct moved *m, uint64_t row,
			      uint64_t end)
{
	uint64_t heads = (uint64_t)m->cache->shape[1], max_len = (uint64_t)m->cache->shape[2];
	uint64_t row_bytes = (uint64_t)m->cache->shape[3] * dtype_bytes(m->cache->dtype);
	uint64_t count = max_len - row % max_len, at = row * row_bytes - m->offset;

	count = count < end - row ? count : end - row;
	count = count < KV_MORE + 1 ? count : KV_MORE + 1;
	return (struct row_kv){
		.tensor = recorder_kv_tensor(m->cache),
		.layer = (int)strtol(m->cache->name + strlen("k_cache."), NULL, 10),
		.slot = (int)(row / max_len / heads), .kv_head = (int)(row / max_len % heads),
		.position = (int64_t)(row % max_len), .buffer = shadow_id(r, m->to),
		.offset = m->to_offset + at, .bytes = row_bytes,
		.source_op = m->upload ? op : -1, .source_offset = at, .more = (int)count - 1,
	};
}

static enum status store_moved(struct recorder *r, int64_t op, const struct moved *m)
{
	uint64_t row_bytes = (uint64_t)m->cache->shape[3] * dtype_bytes(m->cache->dtype);
	uint64_t row = (m->offset + row_bytes - 1) / row_bytes;
	uint64_t end = (m->offset + m->bytes) / row_bytes;

	while (op >= 0 && row < end) {
		struct row_kv kv = describe(r, op, m, row, end);

		TRY(store_kv(r->store, r->run, op, &kv, 1));
		row += (uint64_t)kv.more + 1;
	}
	return STATUS_OK;
}

enum status recorder_kv_upload(struct recorder *r, int64_t op, const struct buffer *to,
			       uint64_t offset, uint64_t bytes)
{
	return is_cache(to) ? store_moved(r, op, &(struct moved){
		.cache = to, .offset = offset, .bytes = bytes, .to = to, .to_offset = offset,
		.upload = true }) : STATUS_OK;
}

enum status recorder_kv_copy(struct recorder *r, int64_t op, const struct buffer *to,
			     uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			     uint64_t bytes)
{
	struct moved moved = { .to = to, .to_offset = to_offset, .bytes = bytes };

	if (!is_cache(to) && !is_cache(from))
		return STATUS_OK;
	moved.cache = is_cache(to) ? to : from;
	moved.offset = is_cache(to) ? to_offset : from_offset;
	return store_moved(r, op, &moved);
}
