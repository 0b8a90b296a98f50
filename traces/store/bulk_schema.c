/* bulk_schema.c - takes schema.sql apart; see bulk_schema.h.
 *
 * The text is the program's own, and its statements have one form: "CREATE TABLE name (", "CREATE
 * INDEX name ON table (", "CREATE VIEW name AS", "PRAGMA name = number", and rows of t_byte.
 */
#include "traces/store/bulk_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/store_internal.h"

/* The end of what begins here: a comment, a quoted text, or one character. */
static char *skip(char *at)
{
	if (at[0] == '-' && at[1] == '-')
		return at + strcspn(at, "\n");
	if (at[0] != '\'' && at[0] != '"')
		return at + 1;
	return strchr(at + 1, at[0]) + 1;
}

static char *statement_end(char *at)
{
	while (*at && *at != ';') {
		at += strcspn(at, ";'\"-");
		if (*at && *at != ';')
			at = skip(at);
	}
	return at;
}

/* What follows spaces and comments. */
static char *statement_begin(char *at)
{
	while (*at == '\n' || *at == ' ' || *at == '\t' || *at == '-')
		at = *at == '-' ? skip(at) : at + 1;
	return at;
}

/* The key is the first columns, in order: PRIMARY KEY (a, b), or the only column declared so. */
static void read_table(struct object *o)
{
	static const char of_table[] = "PRIMARY KEY (";
	const char *columns = strchr(o->sql, '('), *key = strstr(o->sql, of_table);

	o->shared = strncmp(columns + 1 + strspn(columns + 1, "\n\t"), "run ", 4) != 0;
	o->rowids = !key;
	o->key = 1;
	for (const char *at = key; at && *at != ')'; at++)
		o->key += *at == ',';
}

/* "CREATE TABLE name ..." */
static void read_create(struct bulk_schema *s, const char *sql)
{
	struct object *o = &s->objects[s->count++];
	char kind[8] = "";

	*o = (struct object){ .sql = sql };
	sscanf(sql, "CREATE %7s %31s ON %31s", kind, o->name, o->table);
	o->type = kind[0] == 'T' ? "table" : kind[0] == 'I' ? "index" : "view";
	if (kind[0] != 'I')
		memcpy(o->table, o->name, sizeof o->table);
	if (kind[0] == 'T')
		read_table(o);
	if (kind[0] != 'V')
		o->root = ++s->pages;
}

void bulk_schema_read(struct bulk_schema *s)
{
	char *at, *end;

	*s = (struct bulk_schema){ .pages = 1, .text = xstrdup(schema_sql) };
	for (at = statement_begin(s->text); *at; at = statement_begin(end + 1)) {
		end = statement_end(at);
		*end = '\0';
		if (strncmp(at, "CREATE ", 7) == 0 && s->count < MAX_OBJECTS)
			read_create(s, at);
		else
			(void)(sscanf(at, "PRAGMA application_id = %u", &s->application) == 1
			       || sscanf(at, "PRAGMA user_version = %u", &s->version) == 1);
	}
}

void bulk_schema_free(struct bulk_schema *s)
{
	free(s->text);
}
