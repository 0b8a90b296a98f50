/* bulk_schema.h - the tables, indexes and views of schema.sql, read without SQLite. */
#ifndef BULK_SCHEMA_H
#define BULK_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_OBJECTS 96

struct object {
	const char *type;               /* "table", "index" or "view" */
	char name[32], table[32];
	const char *sql;
	bool rowids;                    /* a table whose first column is the rowid */
	size_t key;                     /* columns of the key, the first ones of each row */
	bool shared;                    /* has no column `run` */
	uint32_t root;                  /* its page; 0: a view */
};

struct bulk_schema {
	char *text;                     /* owned */
	uint32_t application, version;
	struct object objects[MAX_OBJECTS];
	size_t count;
	uint32_t pages;                 /* roots, with that of the schema itself */
};

/* Reads the statements of schema_sql, in order; roots are pages 2, 3, ... */
void bulk_schema_read(struct bulk_schema *);
void bulk_schema_free(struct bulk_schema *);

#endif
