/* lines.c - records the basic blocks that launches reached, and finds their lines; see lines.h.
 *
 * While kernels run they only count in cells; when a launch ends, the cells it touched are
 * collected. Lines are looked up on demand, once for each block of a device.
 */
#include "config.h"

#include "sim/check/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/xalloc.h"
#include "sim/exec/symbol.h"
#include "traces/row.h"

/* The cells of each object that the running launch reached. */
static struct table {
	struct ft_cell *first, *last;
} *tables;
static size_t table_count;
static uint32_t running;

uint32_t lines_begin(void)
{
	table_count = 0;
	return running += 1 + (running == UINT32_MAX);
}

void lines_visit(struct ft_cell *cell, struct ft_cell *first, struct ft_cell *last)
{
	cell->launch = running;
	cell->count = 1;
	for (size_t i = 0; i < table_count; i++)
		if (tables[i].first == first)
			return;
	tables = xreallocarray(tables, table_count + 1, sizeof *tables);
	tables[table_count++] = (struct table){ first, last };
}

/* --- blocks that launches reached --- */

struct place {                          /* a basic block */
	uintptr_t before, begin, end;   /* start of the previous block, this one and the next */
	struct row_line_count *lines;   /* hits 0 */
	size_t line_count;
	bool resolved;
};

struct launch {
	struct visit {
		size_t place;
		uint64_t count;
	} *visits;
	size_t visit_count;
	struct row_line_count *lines;   /* NULL until requested */
	size_t line_count;
};

struct lines {
	struct place *places;
	size_t place_count;
	struct hash_map by_code;        /* index in places plus 1 */
	struct launch *launches;
	size_t launch_count;
};

struct lines *lines_create(void)
{
	return xcalloc(1, sizeof(struct lines));
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->place_count; i++)
		free(l->places[i].lines);
	for (size_t i = 0; i < l->launch_count; i++) {
		free(l->launches[i].visits);
		free(l->launches[i].lines);
	}
	hash_map_free(&l->by_code);
	free(l->places);
	free(l->launches);
	free(l);
}

static XXH128_hash_t code_key(uintptr_t code)
{
	return (XXH128_hash_t){ .low64 = code, .high64 = 1 };
}

/* The compiler emits blocks one after another, and their cells in the same order. */
static size_t place_of(struct lines *l, const struct ft_cell *cell, const struct table *table)
{
	uintptr_t begin = lines_code(cell);
	uintptr_t next = cell + 1 < table->last ? lines_code(cell + 1) : 0;
	int64_t found = hash_map_find(&l->by_code, code_key(begin));

	if (found)
		return (size_t)found - 1;
	l->places = xreallocarray(l->places, l->place_count + 1, sizeof *l->places);
	l->places[l->place_count++] = (struct place){
		.before = cell > table->first ? lines_code(cell - 1) : 0,
		.begin = begin, .end = next > begin ? next : UINTPTR_MAX,
	};
	hash_map_add(&l->by_code, code_key(begin), (int64_t)l->place_count);
	return l->place_count - 1;
}

/* Adds to a launch what a part of it has counted. */
static void add_visit(struct launch *launch, size_t place, uint64_t count, bool part)
{
	for (size_t i = 0; part && i < launch->visit_count; i++)
		if (launch->visits[i].place == place) {
			launch->visits[i].count += count;
			return;
		}
	launch->visits = xreallocarray(launch->visits, launch->visit_count + 1,
				       sizeof *launch->visits);
	launch->visits[launch->visit_count++] = (struct visit){ place, count };
}

static struct launch *new_launch(struct lines *l)
{
	l->launches = xreallocarray(l->launches, l->launch_count + 1, sizeof *l->launches);
	l->launches[l->launch_count] = (struct launch){ 0 };
	return &l->launches[l->launch_count++];
}

void lines_end(struct lines *l, bool part)
{
	struct launch *launch = part ? &l->launches[l->launch_count - 1] : new_launch(l);

	for (size_t i = 0; i < table_count; i++) {
		const struct table *table = &tables[i];

		for (const struct ft_cell *cell = table->first; cell < table->last; cell++)
			if (cell->launch == running)
				add_visit(launch, place_of(l, cell, table), cell->count, part);
	}
}

/* --- lines of the blocks --- */

static int by_line(const void *a, const void *b)
{
	const struct row_line_count *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Sorts the lines and keeps each one once, with the maximum of its hits. */
static size_t merge_lines(struct row_line_count *lines, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(lines, count, sizeof *lines, by_line);
	for (size_t i = 0; i < count; i++) {
		struct row_line_count *last = kept ? &lines[kept - 1] : NULL;

		if (!last || by_line(last, &lines[i]) != 0)
			lines[kept++] = lines[i];
		else if (last->hits < lines[i].hits)
			last->hits = lines[i].hits;
	}
	return kept;
}

static void add_line(void *context, const char *file, int line)
{
	struct place *place = context;

	place->lines = xreallocarray(place->lines, place->line_count + 1, sizeof *place->lines);
	place->lines[place->line_count++] = (struct row_line_count){ .file = file, .line = line };
}

static const struct place *resolved(struct place *place)
{
	if (!place->resolved) {
		symbol_lines(place->before, place->begin, place->end, add_line, place);
		place->line_count = merge_lines(place->lines, place->line_count);
		place->resolved = true;
	}
	return place;
}

static void resolve(struct lines *l, struct launch *launch)
{
	size_t capacity = 1;

	for (size_t i = 0; i < launch->visit_count; i++)
		capacity += resolved(&l->places[launch->visits[i].place])->line_count;
	launch->lines = xcalloc(capacity, sizeof *launch->lines);
	for (size_t i = 0; i < launch->visit_count; i++) {
		const struct place *place = &l->places[launch->visits[i].place];

		for (size_t j = 0; j < place->line_count; j++) {
			launch->lines[launch->line_count] = place->lines[j];
			launch->lines[launch->line_count++].hits = launch->visits[i].count;
		}
	}
	launch->line_count = merge_lines(launch->lines, launch->line_count);
}

size_t lines_list(struct lines *l, size_t launch, const struct row_line_count **out)
{
	struct launch *found = &l->launches[launch];

	if (!found->lines)
		resolve(l, found);
	*out = found->lines;
	return found->line_count;
}

size_t lines_at(struct lines *l, uintptr_t code, const struct row_line_count **out)
{
	int64_t found = hash_map_find(&l->by_code, code_key(code));
	const struct place *place;

	*out = NULL;
	if (!found)
		return 0;
	place = resolved(&l->places[found - 1]);
	*out = place->lines;
	return place->line_count;
}
