/* recorder_kv.h - finds the rows of K and V that uploads and copies wrote.
 *
 * Used by recorder_memory.c and recorder_stream.c; recorder_decode.c does the same for launches.
 */
#ifndef RECORDER_KV_H
#define RECORDER_KV_H

#include <stdint.h>

#include "base/status.h"

struct buffer;
struct recorder;

/* 'k' or 'v', from the name of a cache: "v_cache.3" is V, all others are K. */
char recorder_kv_tensor(const struct buffer *cache);
/* Stores the rows that operation `op` (-1: not stored) uploaded into a cache, if it is one. */
enum status recorder_kv_upload(struct recorder *, int64_t op, const struct buffer *,
			       uint64_t offset, uint64_t bytes);
/* The same for a copy into a cache, else for a copy out of one. */
enum status recorder_kv_copy(struct recorder *, int64_t op, const struct buffer *to,
			     uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
			     uint64_t bytes);

#endif
