/* rewrite_loop.c - makes loops with barriers count their turns.
 *
 * A loop from which a thread can reach a block barrier or an __activemask() becomes
 * `{ struct ft_loop l; ft_loop_enter(&l, line, kinds); for (...) { ft_loop_turn(&l, kinds); BODY }
 * ft_loop_leave(&l, kinds); }`, all on its lines, so that the simulator can tell turns apart. A
 * return in it leaves the outermost such loop first. Left as they are: loops with labels, cases of
 * an outer switch, goto or lambdas.
 */
#include "sim/cu2c/rewriter.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/token.h"

enum { REACHES_BARRIER = 1, REACHES_ACTIVE = 2 };       /* FT_LOOP_* of sim/cuda/runtime.h */

/* --- what a loop reaches --- */

static unsigned kinds_within(const struct rewriter *r, int from, int end)
{
	const struct unit *u = r->unit;
	unsigned kinds = 0;

	for (int i = from; i < end; i++) {
		const struct token *t = token_of(r, i);

		if (t->instead && strstr(t->instead, "ft_ptx_barrier"))
			kinds |= REACHES_BARRIER;
		if (t->instead && strstr(t->instead, "ft_ptx_activemask"))
			kinds |= REACHES_ACTIVE;
		if (t->kind != TOKEN_IDENTIFIER)
			continue;
		if (token_is(t, "ft_block_barrier"))
			kinds |= REACHES_BARRIER;
		else if (token_is(t, "ft_active_mask"))
			kinds |= REACHES_ACTIVE;
		for (int k = 0; k < r->meeting_count; k++)
			if (token_same(t, token_of(r, u->functions[r->meetings[k]].name)))
				kinds |= r->kinds[r->meetings[k]];
	}
	return kinds;
}

/* Adds what a function's body reaches. Only the user's functions call others: a name in a header
 * of the system is another function's. */
static bool extend(struct rewriter *r, int number, bool direct)
{
	const struct function *f = &r->unit->functions[number];
	unsigned kinds;

	if (f->body < 0 || (!direct && token_of(r, f->name)->system))
		return false;
	kinds = kinds_within(r, f->body, token_of(r, f->body)->match);
	if ((r->kinds[number] | kinds) == r->kinds[number])
		return false;
	if (!r->kinds[number]) {
		r->meetings = xreallocarray(r->meetings, (size_t)r->meeting_count + 1,
					    sizeof *r->meetings);
		r->meetings[r->meeting_count++] = number;
	}
	r->kinds[number] |= kinds;
	return true;
}

void rewriter_loops_begin(struct rewriter *r)
{
	bool more = true;

	r->kinds = xcalloc((size_t)r->unit->function_count + 1, sizeof *r->kinds);
	for (int i = 0; i < r->unit->function_count; i++)
		extend(r, i, true);
	while (more) {
		more = false;
		for (int i = 0; i < r->unit->function_count; i++)
			more |= extend(r, i, false);
	}
}

/* --- insertions --- */

static void insert(struct rewriter *r, int start, int end, char *open, char *close, int loop)
{
	r->inserts = xreallocarray(r->inserts, (size_t)r->insert_count + 1, sizeof *r->inserts);
	r->inserts[r->insert_count++] = (struct insertion){ start, end, open, close, loop };
}

static void close_at(struct rewriter *r, int at)
{
	for (int i = r->insert_count - 1; i >= 0 && r->inserts[i].end <= at; i--) {
		fputs(r->inserts[i].close, r->out);
		free(r->inserts[i].open);
		free(r->inserts[i].close);
		r->insert_count--;
	}
}

static bool may_count(const struct rewriter *r, int from, int end)
{
	static const char *const jumps[] = { "goto", "case", "default", NULL };

	for (int i = from; i < end; i++) {
		const struct token *t = token_of(r, i);

		if (token_is(t, "switch"))
			i = unit_statement_end(r->unit, i) - 1;
		else if (token_among(t, jumps)
			 || (token_is(t, "]") && (token_is(t + 1, "(") || token_is(t + 1, "{"))))
			return false;
	}
	return true;
}

static void begin_loop(struct rewriter *r, int at)
{
	bool is_do = token_is(token_of(r, at), "do");
	int end = unit_statement_end(r->unit, at);
	int body = is_do ? at + 1 : unit_call_end(r->unit, at);
	int body_end = is_do ? unit_statement_end(r->unit, body) : end;
	unsigned kinds = kinds_within(r, at, end);
	int n;

	if (is_do && token_is(token_of(r, body_end), "while"))
		r->tail = body_end;
	if (!kinds || !may_count(r, at, end) || body >= end)
		return;
	n = ++r->loop_count;
	fprintf(r->out, " { struct ft_loop ft_loop_%d; ft_loop_enter(&ft_loop_%d, %d, %u);", n, n,
		token_of(r, at)->line, kinds);
	insert(r, -1, end, NULL, xasprintf(" ft_loop_leave(&ft_loop_%d, %u); }", n, kinds), n);
	insert(r, body, body_end, xasprintf(" { ft_loop_turn(&ft_loop_%d, %u);", n, kinds),
	       xstrdup(" }"), 0);
}

/* The outermost loop that a return leaves. */
static void begin_return(struct rewriter *r, int at)
{
	for (int i = 0; i < r->insert_count; i++)
		if (r->inserts[i].loop) {
			fprintf(r->out, " {%.*s", (int)strcspn(r->inserts[i].close, "}"),
				r->inserts[i].close);
			insert(r, -1, unit_statement_end(r->unit, at), NULL, xstrdup(" }"), 0);
			return;
		}
}

void rewriter_loops_at(struct rewriter *r, int at)
{
	static const char *const loops[] = { "for", "while", "do", NULL };
	const struct token *t = token_of(r, at);

	close_at(r, at);
	for (int i = 0; i < r->insert_count; i++)
		if (r->inserts[i].start == at)
			fputs(r->inserts[i].open, r->out);
	if (!r->function || !r->meeting_count || token_of(r, r->function->name)->system
	    || at <= r->function->body)
		return;
	if (token_among(t, loops) && at != r->tail)
		begin_loop(r, at);
	else if (token_is(t, "return") && r->insert_count > 0)
		begin_return(r, at);
}

void rewriter_loops_end(struct rewriter *r)
{
	for (int i = 0; i < r->insert_count; i++) {
		free(r->inserts[i].open);
		free(r->inserts[i].close);
	}
	free(r->inserts);
	free(r->meetings);
	free(r->kinds);
}
