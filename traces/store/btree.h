/* btree.h - builds the pages of a SQLite database in memory, one B-tree after the other, from rows
 * that are in order: "Database File Format" in SQLite's documentation. Used by bulk.c.
 */
#ifndef BTREE_H
#define BTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half of SQLite's usual size: a small trace is mostly half-empty pages, one for each table. */
#define TRACE_PAGE 2048

/* Pages 1, 2, ... The bytes are sqlite3_malloc()'s, which sqlite3_deserialize() needs. */
struct image {
	unsigned char *bytes;
	uint32_t pages, capacity;
};

/* A row: a varint of the record's size, in a tree of rowids a varint of the rowid, and the record.
 * It is what a page holds if it is not too long for one. */
struct cell {
	const unsigned char *bytes;
	uint32_t size;
};

/* Memory for that many pages, at least as many as it has. */
void image_reserve(struct image *, uint32_t capacity);
/* Appends zeroed pages and returns the number of the first. Ends the program if memory runs out. */
uint32_t image_add(struct image *, uint32_t count);
/* The record of a cell; *rowid is its rowid if the tree has rowids. */
const unsigned char *cell_record(const struct cell *, bool rowids, int64_t *rowid);
/* Builds a tree whose root is an existing page. The cells are in the order of their keys. */
void btree_build(struct image *, uint32_t root, bool rowids, const struct cell *cells,
		 size_t count);
/* Writes the file's header, after all trees. */
void image_finish(struct image *, uint32_t application, uint32_t version);

#endif
