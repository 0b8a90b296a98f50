/* name_index.c - lists of functions by a hash of their names; see name_index.h. */
#include "sim/cu2c/name_index.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* FNV-1a, 32 bits. */
static unsigned hash(const struct token *name)
{
	unsigned h = 2166136261u;

	for (int i = 0; i < name->length; i++)
		h = (h ^ (unsigned char)name->text[i]) * 16777619u;
	return h;
}

void name_index_begin(struct name_index *index, const struct unit *unit)
{
	unsigned lists = 1;

	while (lists < 2 * (unsigned)unit->function_count)
		lists *= 2;
	*index = (struct name_index){ .unit = unit, .mask = lists - 1 };
	index->first = xcalloc(lists, sizeof *index->first);
	index->next = xcalloc((size_t)unit->function_count + 1, sizeof *index->next);
	for (unsigned i = 0; i < lists; i++)
		index->first[i] = -1;
	/* From the last one, so that lists are in the order of the file. */
	for (int i = unit->function_count - 1; i >= 0; i--) {
		const struct function *f = &unit->functions[i];
		int *list = &index->first[hash(token_at(unit, f->name)) & index->mask];

		if (f->body < 0)
			continue;
		index->next[i] = *list;
		*list = i;
	}
}

void name_index_end(struct name_index *index)
{
	free(index->first);
	free(index->next);
}

static int find(const struct name_index *index, int from, const struct token *name)
{
	const struct unit *u = index->unit;

	while (from >= 0 && !token_same(token_at(u, u->functions[from].name), name))
		from = index->next[from];
	return from;
}

int name_index_first(const struct name_index *index, const struct token *name)
{
	return find(index, index->first[hash(name) & index->mask], name);
}

int name_index_next(const struct name_index *index, int function)
{
	const struct unit *u = index->unit;

	return find(index, index->next[function], token_at(u, u->functions[function].name));
}
