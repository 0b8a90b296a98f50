/* sparse.c - known and unknown bytes in segments; see sparse.h. */
#include "traces/store/sparse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define SEGMENT ((size_t)65536)

enum kind { UNKNOWN, UNIFORM, BYTES };  /* UNKNOWN is 0: a new table needs no memory */

struct segment {
	enum kind kind;
	uint32_t word;                  /* of UNIFORM */
	unsigned char *bytes;           /* of BYTES: SEGMENT of them, then as many flags */
};

struct sparse {
	size_t bytes;
	struct segment *segments;
};

static size_t segment_count(size_t bytes)
{
	return bytes / SEGMENT + (bytes % SEGMENT != 0);
}

struct sparse *sparse_new(size_t bytes)
{
	struct sparse *s = xcalloc(1, sizeof *s);

	s->bytes = bytes;
	s->segments = calloc(segment_count(bytes) + 1, sizeof *s->segments);
	if (s->segments)
		return s;
	free(s);
	return NULL;
}

void sparse_free(struct sparse *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < segment_count(s->bytes); i++)
		if (s->segments[i].kind == BYTES)
			free(s->segments[i].bytes);
	free(s->segments);
	free(s);
}

/* --- one segment --- */

/* The bytes that a segment really has: the last one may be shorter. */
static size_t segment_bytes(const struct sparse *s, size_t number)
{
	size_t left = s->bytes - number * SEGMENT;

	return left < SEGMENT ? left : SEGMENT;
}

static void put_word(unsigned char *to, uint32_t word, size_t from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (unsigned char)(word >> (from + i) % 4 * 8);
}

/* Gives the segment a memory of its own. */
static unsigned char *own_bytes(struct segment *g)
{
	unsigned char *bytes;

	if (g->kind == BYTES)
		return g->bytes;
	bytes = xmalloc(2 * SEGMENT);
	if (g->kind == UNIFORM)
		put_word(bytes, g->word, 0, SEGMENT);
	else
		memset(bytes, 0xff, SEGMENT);
	memset(bytes + SEGMENT, g->kind == UNIFORM, SEGMENT);
	g->kind = BYTES;
	return g->bytes = bytes;
}

static void make_uniform(struct segment *g, enum kind kind, uint32_t word)
{
	if (g->kind == BYTES)
		free(g->bytes);
	*g = (struct segment){ .kind = kind, .word = word };
}

/* --- ranges --- */

struct part {
	size_t segment, at, count;      /* `count` bytes from `at` in the segment */
	size_t done;                    /* bytes of the range before it */
};

/* The next part of a range that is in one segment; false at the end. Start with a zeroed part. */
static bool next_part(const struct sparse *s, size_t offset, size_t count, struct part *p)
{
	size_t start;

	p->done += p->count;
	if (p->done >= count)
		return false;
	start = offset + p->done;
	p->segment = start / SEGMENT;
	p->at = start % SEGMENT;
	p->count = segment_bytes(s, p->segment) - p->at;
	if (p->count > count - p->done)
		p->count = count - p->done;
	return true;
}

static bool is_whole(const struct sparse *s, const struct part *p)
{
	return p->count == segment_bytes(s, p->segment);
}

/* Whether all bytes repeat the first word. */
static bool is_uniform(const unsigned char *bytes, size_t count, uint32_t *word)
{
	if (count < 4 || memcmp(bytes, bytes + 4, count - 4) != 0)
		return false;
	*word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
		| (uint32_t)bytes[3] << 24;
	return true;
}

void sparse_write(struct sparse *s, size_t offset, const void *bytes, const unsigned char *known,
		  size_t count)
{
	for (struct part p = { 0 }; next_part(s, offset, count, &p); ) {
		struct segment *g = &s->segments[p.segment];
		const unsigned char *from = (const unsigned char *)bytes + p.done;
		unsigned char *to;
		uint32_t word;

		if (is_whole(s, &p) && (!known || !memchr(known + p.done, 0, p.count))
		    && is_uniform(from, p.count, &word)) {
			make_uniform(g, UNIFORM, word);
			continue;
		}
		to = own_bytes(g);
		memcpy(to + p.at, from, p.count);
		if (known)
			memcpy(to + SEGMENT + p.at, known + p.done, p.count);
		else
			memset(to + SEGMENT + p.at, 1, p.count);
	}
}

void sparse_fill(struct sparse *s, size_t offset, uint32_t word, size_t count)
{
	unsigned turn = offset % 4 * 8;
	/* The same bytes, counted from the beginning of a segment. */
	uint32_t aligned = turn ? word << turn | word >> (32 - turn) : word;

	for (struct part p = { 0 }; next_part(s, offset, count, &p); ) {
		struct segment *g = &s->segments[p.segment];
		unsigned char *to;

		if (is_whole(s, &p)) {
			make_uniform(g, UNIFORM, aligned);
			continue;
		}
		to = own_bytes(g);
		put_word(to + p.at, aligned, p.at, p.count);
		memset(to + SEGMENT + p.at, 1, p.count);
	}
}

void sparse_forget(struct sparse *s, size_t offset, size_t count)
{
	for (struct part p = { 0 }; next_part(s, offset, count, &p); ) {
		struct segment *g = &s->segments[p.segment];
		unsigned char *bytes;

		if (is_whole(s, &p))
			make_uniform(g, UNKNOWN, 0);
		if (g->kind == UNKNOWN)
			continue;
		bytes = own_bytes(g);
		memset(bytes + p.at, 0xff, p.count);
		memset(bytes + SEGMENT + p.at, 0, p.count);
	}
}

void sparse_read(const struct sparse *s, size_t offset, void *bytes, unsigned char *known,
		 size_t count)
{
	for (struct part p = { 0 }; next_part(s, offset, count, &p); ) {
		const struct segment *g = &s->segments[p.segment];
		unsigned char *to = bytes ? (unsigned char *)bytes + p.done : NULL;

		if (known && g->kind == BYTES)
			memcpy(known + p.done, g->bytes + SEGMENT + p.at, p.count);
		else if (known)
			memset(known + p.done, g->kind == UNIFORM, p.count);
		if (to && g->kind == BYTES)
			memcpy(to, g->bytes + p.at, p.count);
		else if (to && g->kind == UNIFORM)
			put_word(to, g->word, p.at, p.count);
		else if (to)
			memset(to, 0xff, p.count);
	}
}

/* Piece by piece, from the end if the target is behind its source in the same bytes. */
void sparse_copy(struct sparse *to, size_t to_offset, const struct sparse *from,
		 size_t from_offset, size_t count)
{
	unsigned char *piece = xmalloc(2 * SEGMENT);
	bool backward = to == from && to_offset > from_offset;

	for (size_t done = 0; done < count; ) {
		/* Pieces end where segments of the target do. */
		size_t edge = backward ? (to_offset + count - done - 1) % SEGMENT + 1
			: SEGMENT - (to_offset + done) % SEGMENT;
		size_t bytes = edge < count - done ? edge : count - done;
		size_t at = backward ? count - done - bytes : done;

		sparse_read(from, from_offset + at, piece, piece + SEGMENT, bytes);
		if (memchr(piece + SEGMENT, 1, bytes))
			sparse_write(to, to_offset + at, piece, piece + SEGMENT, bytes);
		else
			sparse_forget(to, to_offset + at, bytes);
		done += bytes;
	}
	free(piece);
}
