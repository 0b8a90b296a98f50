/* reach.c - lists the functions that a kernel can reach; see reach.h. */
#include "config.h"

#include "sim/cu2c/reach.h"

#include <stdlib.h>

#include "base/xalloc.h"

static bool is_member(const struct token *t)
{
	return token_is(t - 1, ".") || token_is(t - 1, "->");
}

static void add(struct reach *, const struct function *);

/* Adds all functions of that name; C++ allows several. */
static void add_named(struct reach *r, const struct token *name)
{
	for (int i = name_index_first(&r->names, name); i >= 0; i = name_index_next(&r->names, i))
		if (!r->known[i])
			add(r, &r->unit->functions[i]);
}

static void add(struct reach *r, const struct function *f)
{
	const struct unit *u = r->unit;

	r->known[f - u->functions] = true;
	r->list[r->count++] = f;
	for (int i = f->body; i < token_at(u, f->body)->match; i++) {
		const struct token *t = token_at(u, i);

		if (t->kind != TOKEN_IDENTIFIER || (!u->mode.cplusplus && is_member(t)))
			continue;
		add_named(r, t);
	}
}

void reach_begin(struct reach *r, const struct unit *u)
{
	*r = (struct reach){ .unit = u };
	name_index_begin(&r->names, u);
	r->known = xcalloc((size_t)u->function_count, sizeof *r->known);
	r->list = xcalloc((size_t)u->function_count, sizeof *r->list);
}

void reach_from(struct reach *r, const struct function *f)
{
	if (!r->known[f - r->unit->functions])
		add(r, f);
	if (r->unit->mode.cplusplus)
		add_named(r, &(struct token){ .text = "operator", .length = 8 });
}

void reach_end(struct reach *r)
{
	name_index_end(&r->names);
	free(r->known);
	free(r->list);
}
