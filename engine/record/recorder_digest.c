/* recorder_digest.c - digests of what a launch wrote and of buffers after a step.
 *
 * After a launch: one per buffer, over the written ranges in ascending order. After a step: one per
 * buffer that was written since its last digest, over the whole buffer; of a large one in memory
 * that the host can read, only what was written is read again. Digests of pointer tables are over
 * buffer ids and offsets, because addresses differ between devices. Used by recorder_results.c and
 * recorder_step.c.
 */
#include "engine/record/recorder_digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"
#include "traces/digest.h"
#include "traces/digest_parts.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* Buffers are downloaded for a digest in pieces of this size. A multiple of every element size. */
#define PIECE_BYTES ((uint64_t)4 << 20)
/* Up to this many ranges are read one by one; else their hull, if the ranges fill enough of it. */
#define FEW_RANGES 64

/* --- memory of programs, which have no steps, and in which pointers may be anywhere --- */

bool recorder_is_plain(const struct buffer *buffer)
{
	return buffer->dtype == DTYPE_U8;
}

/* What stands for a word that is the address of a byte of a buffer; 0: it is not one. */
static uint64_t symbol_of(const struct recorder *r, uint64_t word)
{
	for (int i = 0; i < r->shadow_count; i++) {
		const struct buffer *b = r->shadows[i].buffer;

		if (word - b->address < b->bytes)
			return UINT64_C(1) << 63 | (uint64_t)r->shadows[i].id << 40
				| ((word - b->address) & ((UINT64_C(1) << 40) - 1));
	}
	return 0;
}

/* From the first buffer's address to the end of the last. */
static void address_range(const struct recorder *r, uint64_t *begin, uint64_t *end)
{
	*begin = UINT64_MAX;
	*end = 0;
	for (int i = 0; i < r->shadow_count; i++) {
		const struct buffer *b = r->shadows[i].buffer;

		if (b->address < *begin)
			*begin = b->address;
		if (b->address + b->bytes > *end)
			*end = b->address + b->bytes;
	}
}

/* Replaces addresses of buffers, which differ between devices, in the bytes from `offset` of a
 * buffer on, whose type is not known: pairs of integers may look like addresses. Returns `data`, or
 * *copy, which the caller frees, if there are any. */
static const char *without_addresses(const struct recorder *r, uint64_t offset, const char *data,
				     uint64_t bytes, char **copy)
{
	uint64_t begin, end, word, symbol, at = (8 - offset % 8) % 8;

	*copy = NULL;
	address_range(r, &begin, &end);
	for (; at + sizeof word <= bytes; at += sizeof word) {
		memcpy(&word, data + at, sizeof word);
		if (word - begin >= end - begin)
			continue;
		symbol = symbol_of(r, word);
		if (!symbol)
			continue;
		if (!*copy)
			*copy = memcpy(xmalloc(bytes), data, bytes);
		memcpy(*copy + at, &symbol, sizeof symbol);
	}
	return *copy ? *copy : data;
}

/* --- what a launch wrote --- */

/* Reads the ranges one by one into consecutive bytes. */
static enum status read_ranges(const struct recording *rec, const struct buffer *buffer,
			       const struct ranges *ranges, char *out)
{
	for (size_t i = 0; i < ranges->count; i++) {
		uint64_t bytes = ranges->items[i].end - ranges->items[i].begin;

		TRY(recording_read(rec, buffer, ranges->items[i].begin, out, bytes));
		out += bytes;
	}
	return STATUS_OK;
}

/* The same through the hull: one transfer for many ranges. `out` has the size of the hull. */
static enum status read_hull(const struct recording *rec, const struct buffer *buffer,
			     const struct ranges *ranges, char *out)
{
	uint64_t begin = ranges->items[0].begin;
	char *to = out;

	TRY(recording_read(rec, buffer, begin, out, ranges->items[ranges->count - 1].end - begin));
	for (size_t i = 0; i < ranges->count; i++) {
		uint64_t bytes = ranges->items[i].end - ranges->items[i].begin;

		memmove(to, out + (ranges->items[i].begin - begin), bytes);
		to += bytes;
	}
	return STATUS_OK;
}

/* Reads all ranges into `*bytes` consecutive bytes; the caller frees `*out`. */
static enum status read_written(const struct recording *rec, const struct written *w, char **out,
				uint64_t *bytes)
{
	const struct ranges *ranges = &w->ranges;
	uint64_t hull = ranges->items[ranges->count - 1].end - ranges->items[0].begin;
	bool whole;

	*bytes = ranges_bytes(ranges);
	whole = ranges->count > FEW_RANGES && hull / 8 <= *bytes;
	*out = xmalloc(whole ? hull : *bytes);
	return whole ? read_hull(rec, w->shadow->buffer, ranges, *out)
		     : read_ranges(rec, w->shadow->buffer, ranges, *out);
}

/* Where the host can read what was written; NULL: it has to be downloaded. */
static const char *peek_written(const struct recording *rec, const struct written *w)
{
	const char *memory;

	if (rec->node || w->ranges.count != 1)
		return NULL;
	memory = device_peek(rec->recorder->device.inner, w->shadow->buffer);
	return memory ? memory + w->ranges.items[0].begin : NULL;
}

/* A NaN equals a NaN where the kernel's parameters say that a program's memory holds floats. */
static enum dtype plain_type(const struct written *w)
{
	return w->element == DTYPE_COUNT || w->ranges.items[0].begin % dtype_bytes(w->element)
		? DTYPE_U8 : w->element;
}

enum status recorder_digest_written(const struct recording *rec, const struct written *w,
				    bool keep)
{
	struct recorder *r = rec->recorder;
	const struct ranges *ranges = &w->ranges;
	struct row_digest digest = {
		.buffer = w->shadow->id, .offset = ranges->items[0].begin,
		.bytes = ranges->items[ranges->count - 1].end - ranges->items[0].begin,
	};
	bool plain = recorder_is_plain(w->shadow->buffer) && ranges->count == 1;
	enum dtype type = plain ? plain_type(w) : w->shadow->buffer->dtype;
	const char *data = peek_written(rec, w);
	uint64_t bytes = digest.bytes;
	char *downloaded = NULL, *copy = NULL;
	enum status status = STATUS_OK;

	if (!data) {
		status = read_written(rec, w, &downloaded, &bytes);
		data = downloaded;
	}
	if (status == STATUS_OK && plain && w->element == DTYPE_COUNT)
		data = without_addresses(r, digest.offset, data, bytes, &copy);
	if (status == STATUS_OK) {
		digest.digest = digest_bytes(type, data, bytes);
		/* Bytes are kept only if contiguous: the row has no offsets of ranges. */
		digest.data = keep && ranges->count == 1 ? data : NULL;
		status = store_digests(r->store, r->run, rec->op, false, &digest, 1);
	}
	free(copy);
	free(downloaded);
	return status;
}

/* --- whole buffers after a step --- */

/* Enough for every buffer: a small block of memory is used again in each step, a large one is
 * requested from the system. */
static size_t piece_bytes(const struct recorder *r)
{
	size_t most = 1;

	for (int i = 0; i < r->shadow_count; i++)
		if (r->shadows[i].buffer->bytes > most)
			most = r->shadows[i].buffer->bytes;
	return most < PIECE_BYTES ? most : PIECE_BYTES;
}

static enum status digest_pieces(struct recorder *r, const struct buffer *buffer, char **piece,
				 uint64_t *digest)
{
	struct digest_state *state;
	enum status status = STATUS_OK;

	if (!*piece)
		*piece = xmalloc(piece_bytes(r));
	state = digest_begin(buffer->dtype);
	for (uint64_t at = 0; at < buffer->bytes && status == STATUS_OK; at += PIECE_BYTES) {
		uint64_t left = buffer->bytes - at, bytes = left < PIECE_BYTES ? left : PIECE_BYTES;

		status = device_download(r->device.inner, NULL, buffer, at, *piece, bytes);
		if (status == STATUS_OK)
			digest_add(state, *piece, bytes);
	}
	*digest = digest_end(state);
	return status;
}

/* Of a large buffer, reads what was written since its last digest, if all writes are known. */
static uint64_t digest_memory(const struct recorder *r, struct shadow *shadow, const void *memory)
{
	const struct buffer *buffer = shadow->buffer;

	if (r->unlisted || buffer->bytes < DIGEST_PARTS_MIN)
		return digest_bytes(buffer->dtype, memory, buffer->bytes);
	if (!shadow->parts)
		shadow->parts = digest_parts_new(buffer->dtype, buffer->bytes);
	return digest_parts_digest(shadow->parts, memory);
}

/* *piece: NULL until a buffer has to be downloaded. */
static enum status digest_buffer(struct recorder *r, struct shadow *shadow, char **piece,
				 uint64_t *digest)
{
	const struct buffer *buffer = shadow->buffer;
	const void *memory = device_peek(r->device.inner, buffer);

	if (shadow->pointers)
		*digest = digest_bytes(DTYPE_U64, shadow->pointers,
				       buffer->bytes / sizeof(uint64_t) * sizeof *shadow->pointers);
	else if (memory)
		*digest = digest_memory(r, shadow, memory);
	else
		return digest_pieces(r, buffer, piece, digest);
	return STATUS_OK;
}

static enum status digest_all(struct recorder *r, struct row_digest *digests, char **piece)
{
	size_t count = 0;

	for (int i = 0; i < r->shadow_count; i++) {
		struct shadow *shadow = &r->shadows[i];
		struct row_digest *digest = &digests[count];

		if (!shadow->written)
			continue;
		*digest = (struct row_digest){
			.buffer = shadow->id, .bytes = shadow->buffer->bytes,
		};
		TRY(digest_buffer(r, shadow, piece, &digest->digest));
		shadow->written = false;
		count++;
	}
	return store_digests(r->store, r->run, r->last_op, true, digests, count);
}

enum status recorder_digest_state(struct recorder *r)
{
	struct row_digest *digests = xcalloc((size_t)r->shadow_count, sizeof *digests);
	char *piece = NULL;
	enum status status = recorder_step_aside(r);

	if (status == STATUS_OK)
		status = digest_all(r, digests, &piece);
	recorder_step_back(r);
	free(piece);
	free(digests);
	return status;
}
