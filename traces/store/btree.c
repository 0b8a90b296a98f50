/* btree.c - builds B-trees bottom-up; see btree.h.
 *
 * A tree of rowids has its rows in leaves only, and above them the largest rowid of each page. The
 * tree of an index or of a table without rowids has each row once: one between two pages is in the
 * page above. What a row has too much for a page is in a chain of pages of its own.
 */
#include "traces/store/btree.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/record.h"

#define FILE_HEADER 100         /* in page 1, before its node */
#define LEAF_HEADER 8
#define INNER_HEADER 12
#define POINTER 2               /* in a page, to a cell of it */
#define MIN_CELL 4

enum { INNER_INDEX = 2, INNER_ROWIDS = 5, LEAF_INDEX = 10, LEAF_ROWIDS = 13 };

/* A page of a level, and what is between it and the next page: a cell, or the largest rowid. */
struct child {
	uint32_t page;
	struct cell between;
	int64_t rowid;
};

struct tree {
	struct image *image;
	uint32_t root;
	bool rowids;
	const struct cell *cells;       /* as they are in pages */
	size_t count;
	struct child *level;            /* the pages of the level below the one being built */
	size_t pages, capacity;
};

static void put_16(unsigned char *to, size_t value)
{
	to[0] = (unsigned char)(value >> 8);
	to[1] = (unsigned char)value;
}

static void put_32(unsigned char *to, uint32_t value)
{
	put_16(to, value >> 16);
	put_16(to + 2, value & 0xffff);
}

/* --- pages --- */

void image_reserve(struct image *image, uint32_t capacity)
{
	image->capacity = capacity;
	image->bytes = xcheck(sqlite3_realloc64(image->bytes,
						(sqlite3_uint64)TRACE_PAGE * capacity));
}

uint32_t image_add(struct image *image, uint32_t count)
{
	uint32_t first = image->pages + 1;

	image->pages += count;
	if (image->pages > image->capacity)
		image_reserve(image, image->pages + image->pages / 2);
	memset(image->bytes + (size_t)(first - 1) * TRACE_PAGE, 0, (size_t)count * TRACE_PAGE);
	return first;
}

static unsigned char *page_at(const struct image *image, uint32_t page)
{
	return image->bytes + (size_t)(page - 1) * TRACE_PAGE;
}

/* The bytes for cells and pointers to them in each page of a tree: of its root, which may have less
 * than others. */
static size_t room(const struct tree *t, size_t header)
{
	return TRACE_PAGE - header - (t->root == 1 ? FILE_HEADER : 0);
}

/* A page that is being filled, cells from its end backwards. */
struct node {
	unsigned char *start, *header;
	size_t header_bytes, cells, content;
};

static struct node node_begin(const struct tree *t, uint32_t page, bool leaf)
{
	struct node node = {
		.start = page_at(t->image, page), .content = TRACE_PAGE,
		.header_bytes = leaf ? LEAF_HEADER : INNER_HEADER,
	};

	node.header = node.start + (page == 1 ? FILE_HEADER : 0);
	node.header[0] = (unsigned char)(leaf ? (t->rowids ? LEAF_ROWIDS : LEAF_INDEX)
					 : t->rowids ? INNER_ROWIDS : INNER_INDEX);
	put_16(node.header + 5, TRACE_PAGE);
	return node;
}

/* Room for the next cell. */
static unsigned char *node_add(struct node *node, size_t size)
{
	node->content -= size < MIN_CELL ? MIN_CELL : size;
	put_16(node->header + node->header_bytes + POINTER * node->cells++, node->content);
	put_16(node->header + 3, node->cells);
	put_16(node->header + 5, node->content);
	return node->start + node->content;
}

static size_t cost(size_t size)
{
	return POINTER + (size < MIN_CELL ? MIN_CELL : size);
}

/* --- long rows --- */

/* The longest record that is whole in its cell. */
static size_t most_bytes(bool rowids)
{
	return rowids ? TRACE_PAGE - 35 : (TRACE_PAGE - 12) * 64 / 255 - 23;
}

/* How much of a record is in its cell. */
static size_t local_bytes(bool rowids, uint64_t bytes)
{
	size_t most = most_bytes(rowids), least = (TRACE_PAGE - 12) * 32 / 255 - 23, local;

	if (bytes <= most)
		return (size_t)bytes;
	local = least + (size_t)(bytes - least) % (TRACE_PAGE - 4);
	return local <= most ? local : least;
}

const unsigned char *cell_record(const struct cell *cell, bool rowids, int64_t *rowid)
{
	const unsigned char *at = cell->bytes;
	uint64_t value = 0;

	at += varint_get(at, &value);
	if (rowids)
		at += varint_get(at, &value);
	*rowid = (int64_t)value;
	return at;
}

/* Writes the end of a record into a chain of pages; returns the first. */
static uint32_t put_chain(struct image *image, const unsigned char *from, size_t bytes)
{
	uint32_t count = (uint32_t)((bytes + TRACE_PAGE - 5) / (TRACE_PAGE - 4));
	uint32_t first = image_add(image, count);

	for (uint32_t i = 0; i < count; i++) {
		unsigned char *page = page_at(image, first + i);
		size_t part = bytes < TRACE_PAGE - 4 ? bytes : TRACE_PAGE - 4;

		put_32(page, i + 1 < count ? first + i + 1 : 0);
		memcpy(page + 4, from, part);
		from += part;
		bytes -= part;
	}
	return first;
}

/* Shortens a cell to what fits into a page. `to` has room for a page. Returns the bytes used. */
static size_t shorten(struct tree *t, struct cell *cell, unsigned char *to)
{
	uint64_t bytes;
	int64_t rowid;
	const unsigned char *record = cell_record(cell, t->rowids, &rowid);
	size_t before = (size_t)(record - cell->bytes), local;

	varint_get(cell->bytes, &bytes);
	local = local_bytes(t->rowids, bytes);
	if (local == bytes)
		return 0;
	memcpy(to, cell->bytes, before + local);
	put_32(to + before + local, put_chain(t->image, record + local, (size_t)bytes - local));
	*cell = (struct cell){ to, (uint32_t)(before + local + 4) };
	return cell->size;
}

/* Shortens the long ones of the cells, of which it then makes a copy; returns its memory. */
static void *shorten_all(struct tree *t)
{
	struct cell *cells;
	unsigned char *to;
	size_t some = 0;

	for (size_t i = 0; i < t->count; i++)
		some += t->cells[i].size > most_bytes(t->rowids);
	if (!some)
		return NULL;
	cells = xmalloc(t->count * sizeof *cells + some * TRACE_PAGE);
	memcpy(cells, t->cells, t->count * sizeof *cells);
	to = (unsigned char *)(cells + t->count);
	for (size_t i = 0; i < t->count; i++)
		if (cells[i].size > most_bytes(t->rowids))
			to += shorten(t, &cells[i], to);
	t->cells = cells;
	return cells;
}

/* --- levels --- */

static void level_add(struct tree *t, struct child child)
{
	if (t->pages == t->capacity) {
		t->capacity = 2 * t->capacity + 16;
		t->level = xreallocarray(t->level, t->capacity, sizeof *t->level);
	}
	t->level[t->pages++] = child;
}

/* The first cell after those from `from` on that fit into a leaf. */
static size_t leaf_end(const struct tree *t, size_t from)
{
	size_t left = room(t, LEAF_HEADER), end = from;

	while (end < t->count && cost(t->cells[end].size) <= left)
		left -= cost(t->cells[end++].size);
	/* The cell after a page goes up, and one must follow it. */
	return !t->rowids && end + 1 == t->count ? end - 1 : end;
}

static void build_leaves(struct tree *t)
{
	size_t from = 0;

	do {
		size_t end = leaf_end(t, from);
		bool only = from == 0 && end == t->count, last = end == t->count;
		struct child child = { .page = only ? t->root : image_add(t->image, 1) };
		struct node node = node_begin(t, child.page, true);

		for (size_t i = from; i < end; i++)
			memcpy(node_add(&node, t->cells[i].size), t->cells[i].bytes,
			       t->cells[i].size);
		if (t->rowids && end > from)
			cell_record(&t->cells[end - 1], true, &child.rowid);
		else if (!last)
			child.between = t->cells[end];
		level_add(t, child);
		from = t->rowids || last ? end : end + 1;
	} while (from < t->count);
}

static size_t inner_size(const struct tree *t, const struct child *child)
{
	unsigned char varint[VARINT_BYTES];

	return 4 + (t->rowids ? varint_put(varint, (uint64_t)child->rowid) : child->between.size);
}

/* The child that ends the page which begins with child `from`. */
static size_t inner_end(const struct tree *t, size_t from)
{
	size_t left = room(t, INNER_HEADER), end = from;

	while (end + 1 < t->pages && cost(inner_size(t, &t->level[end])) <= left)
		left -= cost(inner_size(t, &t->level[end++]));
	/* The next page needs two children. */
	return end + 2 == t->pages ? end - 1 : end;
}

static void put_inner(struct tree *t, uint32_t page, size_t from, size_t end)
{
	struct node node = node_begin(t, page, false);

	for (size_t i = from; i < end; i++) {
		const struct child *child = &t->level[i];
		unsigned char *cell = node_add(&node, inner_size(t, child));

		put_32(cell, child->page);
		if (t->rowids)
			varint_put(cell + 4, (uint64_t)child->rowid);
		else
			memcpy(cell + 4, child->between.bytes, child->between.size);
	}
	put_32(node.header + LEAF_HEADER, t->level[end].page);
}

/* Replaces the level by the one above it, in place: it is shorter. */
static void build_inner(struct tree *t)
{
	size_t from = 0, above = 0;

	while (from < t->pages) {
		size_t end = inner_end(t, from);
		bool only = from == 0 && end + 1 == t->pages;
		struct child child = t->level[end];

		child.page = only ? t->root : image_add(t->image, 1);
		put_inner(t, child.page, from, end);
		t->level[above++] = child;
		from = end + 1;
	}
	t->pages = above;
}

void btree_build(struct image *image, uint32_t root, bool rowids, const struct cell *cells,
		 size_t count)
{
	struct tree t = {
		.image = image, .root = root, .rowids = rowids, .cells = cells, .count = count,
	};
	void *shortened = shorten_all(&t);

	build_leaves(&t);
	while (t.pages > 1)
		build_inner(&t);
	free(shortened);
	free(t.level);
}

void image_finish(struct image *image, uint32_t application, uint32_t version)
{
	static const unsigned char fixed[] = {
		TRACE_PAGE >> 8, TRACE_PAGE & 0xff, 1, 1, 0, 64, 32, 32,
	};
	unsigned char *header = image->bytes;

	memcpy(header, "SQLite format 3", 16);
	memcpy(header + 16, fixed, sizeof fixed);
	put_32(header + 24, 1);                 /* changes of the file */
	put_32(header + 28, image->pages);
	put_32(header + 40, 1);                 /* changes of the schema, */
	put_32(header + 44, 4);                 /* and its format */
	put_32(header + 56, 1);                 /* UTF-8 */
	put_32(header + 60, version);
	put_32(header + 68, application);
	put_32(header + 92, 1);                 /* the change that the next number is of */
	put_32(header + 96, (uint32_t)sqlite3_libversion_number());
}
