/* rewrite_lanes.c - adds to a kernel with block barriers a form that runs all threads on one stack.
 *
 * `a; __syncthreads(); b;` becomes `for each thread { a } barrier; for each thread { b }`, before
 * the kernel's own statements, which run where the simulator asks for a stack per thread
 * (sim/exec/whole.h). Barriers may be in loops and conditions that are uniform (lanes.h). What a
 * thread keeps from one part to the next is in arrays with an element for each thread; in a part,
 * variables have their own names and types. Each thread runs its part as ft_self, so that faults
 * are reported as ever. Kernels with other barriers, or with anything that lets other threads run,
 * stay as they are. The compiler sees the added text as a system header's, so that it does not warn
 * twice. Used by rewrite.c.
 */
#include "config.h"

#include "sim/cu2c/rewriter.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/kernel_choice.h"
#include "sim/cu2c/lanes.h"
#include "sim/cu2c/parameters.h"
#include "sim/cu2c/rewrite.h"
#include "sim/cu2c/token.h"
#include "sim/cu2c/unit_edit.h"

/* All threads, in the order in which they would run. */
#define EACH "for (unsigned ft_run = 0; ft_run < ft_whole->run_count; ft_run++)" \
	" for (unsigned ft_thread = ft_whole->runs[ft_run].from;" \
	" ft_thread < ft_whole->runs[ft_run].to; ft_thread++)"

/* A statement between or around barriers. */
enum part { PART_PLAIN, PART_BARRIER, PART_BLOCK, PART_IF, PART_FOR, PART_SHARED, PART_UNIFORM,
	PART_OTHER };

static const struct token *at(const struct lanes *l, int i)
{
	return token_of(l->rewriter, i);
}

static FILE *out(const struct lanes *l)
{
	return l->rewriter->out;
}

/* Begins a line that has the position of the token. */
static void write_place(const struct lanes *l, int i, const char *flags)
{
	const struct token *t = at(l, i);

	fprintf(out(l), "\n# %d \"%.*s\"%s\n", t->line, t->file_length, t->file, flags);
}

static bool write_tokens(const struct lanes *l, int from, int end)
{
	if (*at(l, from)->space != '\n')
		write_place(l, from, " 3");
	return rewriter_walk(l->rewriter, from, end) == STATUS_OK;
}

/* --- declarations --- */

static bool has_barrier(const struct lanes *l, int from, int end)
{
	return lanes_have(l, "ft_block_barrier", from, end);
}

static bool is_constant(const struct lanes *l, int from, int declarator, int name)
{
	bool pointer = lanes_have(l, "*", declarator, name);

	return pointer ? token_is(at(l, name - 1), "const")
		: lanes_have(l, "const", from, name) || lanes_have(l, "constexpr", from, name);
}

/* Whether the declarator's name and brackets are ones that an array of such values can have. */
static bool is_simple(const struct lanes *l, int declarator, int name)
{
	if (name < 0 || lanes_have(l, "(", declarator, name)
	    || lanes_have(l, "&", declarator, name))
		return false;
	for (int i = name + 1; token_is(at(l, i), "["); i = at(l, i)->match + 1)
		if (at(l, i)->match == i + 1 || lanes_name_other(l, i, at(l, i)->match))
			return false;
	return true;
}

/* Whether the variable keeps one value that all threads have: unchanged up to `end`. */
static bool is_uniform_variable(const struct lanes *l, int name, int value, int value_end, int end)
{
	return !token_is(at(l, name + 1), "[") && token_is(at(l, value - 1), "=")
		&& lanes_uniform(l, value, value_end, false)
		&& !lanes_change(l, at(l, name), value_end, end);
}

/* Declares the variables of the declaration whose specifiers are [from, s->end). `end`: of their
 * scope. */
static enum part declare(struct lanes *l, int from, const struct specifiers *s, int end)
{
	static const char *const others[] = { "static", "extern", "auto", "alignas", "_Alignas",
		"__thread", "thread_local", "{", "decltype", NULL };
	struct lanes_variable found[32];
	int declarator = s->end, count = 0;
	bool uniform = true;

	for (int i = from; i < s->end; i++)
		if (token_among(at(l, i), others))
			return PART_OTHER;
	if (lanes_name_other(l, from, s->end))
		return PART_OTHER;
	for (;; declarator++) {
		int name = unit_declarator_name(l->rewriter->unit, declarator);
		int stop = unit_declarator_end(l->rewriter->unit, declarator), value = stop + 1;

		if (!is_simple(l, declarator, name) || count == 32)
			return PART_OTHER;
		while (token_is(at(l, stop), "="))
			stop = unit_declarator_end(l->rewriter->unit, stop + 1);
		uniform = uniform && is_uniform_variable(l, name, value, stop, end);
		found[count++] = (struct lanes_variable){
			.name = name, .array = token_is(at(l, name + 1), "["),
			.constant = is_constant(l, from, declarator, name),
		};
		declarator = stop;
		if (!token_is(at(l, stop), ","))
			break;
	}
	for (int i = 0; i < count; i++) {
		found[i].uniform = uniform;
		lanes_declare(l, found[i]);
	}
	return uniform ? PART_UNIFORM : PART_PLAIN;
}

/* --- kinds of statements --- */

/* `((void)ft_block_barrier(..., FT_BLOCK_SYNC, 0));` */
static bool is_barrier(const struct lanes *l, int from, int end)
{
	int close = token_is(at(l, from), "(") ? at(l, from)->match : -1;

	return close >= 0 && close + 2 == end && token_is(at(l, close + 1), ";")
		&& token_is(at(l, from + 1), "(") && token_is(at(l, from + 2), "void")
		&& token_is(at(l, from + 4), "ft_block_barrier")
		&& at(l, from + 5)->match == close - 1
		&& token_is(at(l, close - 4), "FT_BLOCK_SYNC");
}

/* `scope`: the end of the scope. Declares what the statement declares. */
static enum part kind_of(struct lanes *l, int from, int end, int scope)
{
	static const char *const types[] = { "typedef", "using", NULL };
	struct specifiers s = unit_specifiers(l->rewriter->unit, from, false);

	if (s.is_shared)
		return PART_SHARED;
	if (token_among(at(l, from), types))
		return lanes_name_other(l, from, end) ? PART_OTHER : PART_UNIFORM;
	if (s.type)
		return has_barrier(l, from, end) ? PART_OTHER : declare(l, from, &s, scope);
	if (!has_barrier(l, from, end))
		return PART_PLAIN;
	if (is_barrier(l, from, end))
		return PART_BARRIER;
	if (token_is(at(l, from), "{"))
		return PART_BLOCK;
	if (!token_is(at(l, from + 1), "("))
		return PART_OTHER;
	return token_is(at(l, from), "if") ? PART_IF : token_is(at(l, from), "for") ? PART_FOR
		: PART_OTHER;
}

/* --- what all threads do up to a barrier --- */

static void write_array(const struct lanes *l, const struct lanes_variable *v)
{
	fprintf(out(l), " ft_thread_type_%d *const ft_thread_%d = (ft_thread_type_%d *)"
		"ft_whole_array(ft_whole, %d, sizeof(ft_thread_type_%d));", v->number, v->number,
		v->number, v->number - 1, v->number);
}

/* The array of a variable whose declaration begins at `from`. */
static bool write_storage(struct lanes *l, struct lanes_variable *v, int from,
			  const struct specifiers *s)
{
	int declarator = v->name, rest = v->name + 1;

	while (declarator > s->end && !token_is(at(l, declarator - 1), ","))
		declarator--;
	while (token_is(at(l, rest), "["))
		rest = at(l, rest)->match + 1;
	v->number = ++l->arrays;
	fputs("\ntypedef", out(l));
	if (rewriter_walk(l->rewriter, from, s->end) != STATUS_OK
	    || rewriter_walk(l->rewriter, declarator, v->name) != STATUS_OK)
		return false;
	fprintf(out(l), " ft_thread_type_%d", v->number);
	if (rewriter_walk(l->rewriter, v->name + 1, rest) != STATUS_OK)
		return false;
	fputs(";", out(l));
	write_array(l, v);
	return true;
}

/* Gives arrays to the variables that the statements [from, end) declare and those up to `scope`
 * use. */
static bool write_arrays(struct lanes *l, int from, int end, int scope)
{
	for (int i = from; i < end; i = unit_statement_end(l->rewriter->unit, i)) {
		struct specifiers s = unit_specifiers(l->rewriter->unit, i, false);
		int after = unit_statement_end(l->rewriter->unit, i);

		for (int k = 0; k < l->variable_count && s.type; k++) {
			struct lanes_variable *v = &l->variables[k];

			if (v->name >= i && v->name < after
			    && lanes_name(l, at(l, v->name), end, scope)
			    && !write_storage(l, v, i, &s))
				return false;
		}
	}
	return true;
}

static bool is_outer(const struct lanes *l, const struct lanes_variable *v, int from, int end)
{
	return v->number && v->name < from && lanes_find(l, at(l, v->name)) == v
		&& lanes_name(l, at(l, v->name), from, end);
}

/* False if the statements also declare a variable of the name of one that they use. */
static bool write_values_in(const struct lanes *l, int from, int end)
{
	for (int k = 0; k < l->variable_count; k++) {
		const struct lanes_variable *v = &l->variables[k];
		const struct token *t = at(l, v->name);

		if (v->number && v->name < from && lanes_find(l, t) != v && lanes_find(l, t)
		    && lanes_find(l, t)->name >= from && lanes_name(l, t, from, end))
			return false;
		if (is_outer(l, v, from, end))
			fprintf(out(l), " ft_thread_type_%d %s%.*s = ft_thread_%d[ft_thread];",
				v->number, v->array ? "&" : "", t->length, t->text, v->number);
	}
	return true;
}

static void write_values_out(const struct lanes *l, int from, int end)
{
	for (int k = 0; k < l->variable_count; k++) {
		const struct lanes_variable *v = &l->variables[k];
		bool here = v->number && v->name >= from && v->name < end;
		const struct token *t = at(l, v->name);

		if (!v->array && (here || (is_outer(l, v, from, end) && !v->constant
					   && lanes_change(l, t, from, end))))
			fprintf(out(l), " __builtin_memcpy((void *)&ft_thread_%d[ft_thread],"
				" (const void *)&%.*s, sizeof(ft_thread_type_%d));", v->number,
				t->length, t->text, v->number);
	}
}

/* The declaration [from, end), some of whose variables are arrays that outlive the part: these
 * become references. */
static bool write_declaration(const struct lanes *l, int from, int end, const struct specifiers *s)
{
	for (int declarator = s->end; declarator < end; ) {
		int name = unit_declarator_name(l->rewriter->unit, declarator);
		int stop = unit_declarator_end(l->rewriter->unit, declarator), value = stop;
		const struct lanes_variable *v = lanes_find(l, at(l, name));
		const struct token *t = at(l, name);

		while (token_is(at(l, stop), "="))
			stop = unit_declarator_end(l->rewriter->unit, stop + 1);
		if (!v || v->name != name)
			return false;
		if (v->array && v->number) {
			fprintf(out(l), " ft_thread_type_%d &%.*s = ft_thread_%d[ft_thread];",
				v->number, t->length, t->text, v->number);
			while (value < stop && token_is(at(l, value), "[") )
				value = at(l, value)->match + 1;
			if (stop > value) {
				fprintf(out(l), " { ft_thread_type_%d ft_value", v->number);
				if (!write_tokens(l, value, stop))
					return false;
				fputs("; __builtin_memcpy(", out(l));
				fprintf(out(l), "(void *)&%.*s, (const void *)&ft_value,"
					" sizeof ft_value); }", t->length, t->text);
			}
		} else if (!write_tokens(l, from, s->end) || !write_tokens(l, declarator, stop)) {
			return false;
		} else {
			fputs(";", out(l));
		}
		declarator = stop + 1;
	}
	return true;
}

static bool declares_array(const struct lanes *l, int from, int end)
{
	for (int k = 0; k < l->variable_count; k++)
		if (l->variables[k].number && l->variables[k].array && l->variables[k].name >= from
		    && l->variables[k].name < end)
			return true;
	return false;
}

static bool write_statements(const struct lanes *l, int from, int end)
{
	int first = from;

	for (int i = from; i < end; ) {
		int after = unit_statement_end(l->rewriter->unit, i);
		struct specifiers s = unit_specifiers(l->rewriter->unit, i, false);

		if (s.type && declares_array(l, i, after)) {
			if ((i > first && !write_tokens(l, first, i))
			    || !write_declaration(l, i, after, &s))
				return false;
			first = after;
		}
		i = after;
	}
	return first == end || write_tokens(l, first, end);
}

/* `scope`: the end of the scope of what the statements declare. */
static bool write_part(struct lanes *l, int from, int end, int scope)
{
	int close = at(l, l->kernel->body)->match;
	bool returns = lanes_have(l, "return", from, end);

	if (from == end)
		return true;
	if (!lanes_run_through(l, from, end, end == close) || !write_arrays(l, from, end, scope))
		return false;
	fputs(" " EACH " { ft_whole_run(ft_whole, ft_thread);", out(l));
	l->rewriter->leave = returns ? ++l->labels : 0;
	if (returns)                    /* no jump into the scope of a variable */
		fputs(" {", out(l));
	if (!write_values_in(l, from, end) || !write_statements(l, from, end))
		return false;
	write_values_out(l, from, end);
	if (returns)
		fprintf(out(l), " } ft_next_%d:;", l->rewriter->leave);
	fputs(" }", out(l));
	return true;
}

/* --- statements with barriers --- */

static bool write_list(struct lanes *l, int from, int end);

/* One statement as the body of another. */
static bool write_body(struct lanes *l, int from, int end)
{
	bool block = token_is(at(l, from), "{");
	bool written;

	fputs(" {", out(l));
	written = write_list(l, block ? from + 1 : from, block ? end - 1 : end);
	fputs(" }", out(l));
	return written;
}

static bool write_if(struct lanes *l, int from, int end)
{
	int body = at(l, from + 1)->match + 1;
	int body_end = unit_statement_end(l->rewriter->unit, body);

	if (!lanes_uniform(l, from + 2, body - 1, false) || !write_tokens(l, from, body)
	    || !write_body(l, body, body_end))
		return false;
	if (body_end == end)
		return true;
	fputs(" else", out(l));
	return write_body(l, body_end + 1, end);
}

/* `for (int i = a; i < b; i++) ...` with uniform a, b and steps. */
static bool write_for(struct lanes *l, int from, int end)
{
	int open = from + 2, close = at(l, from + 1)->match, body = close + 1;
	struct specifiers s = unit_specifiers(l->rewriter->unit, open, false);
	int condition = unit_statement_end(l->rewriter->unit, open);
	int step = unit_statement_end(l->rewriter->unit, condition);
	int before = l->variable_count;
	bool fits = s.type && declare(l, open, &s, condition) == PART_UNIFORM
		&& lanes_uniform(l, condition, step - 1, false)
		&& lanes_uniform(l, step, close, true);

	for (int i = before; i < l->variable_count && fits; i++)
		fits = !lanes_change(l, at(l, l->variables[i].name), body, end);
	/* The step may change only what the loop declares. */
	for (int i = step; i < close && fits; i++) {
		const struct lanes_variable *v = at(l, i)->kind == TOKEN_IDENTIFIER
			? lanes_find(l, at(l, i)) : NULL;

		if (v && lanes_change(l, at(l, v->name), step, close))
			fits = v - l->variables >= before;
	}
	fits = fits && write_tokens(l, from, body) && write_body(l, body, end);
	l->variable_count = before;
	return fits;
}

static bool write_split(struct lanes *l, int from, int end, enum part kind)
{
	switch (kind) {
	case PART_SHARED:
		return true;            /* declared before */
	case PART_UNIFORM:
		return write_tokens(l, from, end);
	case PART_BARRIER:
		fputs(" ft_whole_barrier(ft_whole);", out(l));
		return true;
	case PART_BLOCK:
		return write_body(l, from, end);
	case PART_IF:
		return write_if(l, from, end);
	case PART_FOR:
		return write_for(l, from, end);
	default:
		return false;
	}
}

/* The statements of one scope. */
static bool write_list(struct lanes *l, int from, int end)
{
	int first = from, before = l->variable_count, after;

	for (int i = from; i < end; i = after) {
		enum part kind;

		after = unit_statement_end(l->rewriter->unit, i);
		if (after <= i || after > end)
			return false;
		kind = kind_of(l, i, after, end);
		if (kind == PART_PLAIN)
			continue;
		if (!write_part(l, first, i, end) || !write_split(l, i, after, kind))
			return false;
		first = after;
	}
	if (!write_part(l, first, end, end))
		return false;
	l->variable_count = before;
	return true;
}

/* --- the kernel --- */

/* Parameters that threads change are variables of theirs. */
static bool write_parameters(struct lanes *l)
{
	struct unit *u = l->rewriter->unit;
	int body = l->kernel->body, end = at(l, body)->match, count;
	struct parameter *list;
	bool named = true;

	if (parameters_read(u, l->kernel, &list, &count) != STATUS_OK)
		return false;
	for (int i = 0; i < count; i++) {
		struct lanes_variable v = { .name = list[i].name, .uniform = true };
		const struct token *t;

		named = named && list[i].name >= 0 && !list[i].pack;
		if (!named)
			break;
		t = at(l, v.name);
		v.uniform = !lanes_change(l, t, body, end);
		if (!v.uniform) {
			v.number = ++l->arrays;
			fprintf(out(l), "\ntypedef __typeof__(%.*s) ft_thread_type_%d;", t->length,
				t->text, v.number);
			write_array(l, &v);
			fprintf(out(l), " " EACH " ft_thread_%d[ft_thread] = %.*s;", v.number,
				t->length, t->text);
		}
		lanes_declare(l, v);
	}
	parameters_free(list, count);
	return named;
}

/* Whether the statement declares a variable that [from, end) names. */
static bool declares_named(const struct lanes *l, int statement, int from, int end)
{
	const struct unit *u = l->rewriter->unit;
	struct specifiers s = unit_specifiers(u, statement, false);
	int stop = unit_statement_end(u, statement);

	for (int declarator = s.end; s.type && declarator < stop; declarator++) {
		int name = unit_declarator_name(u, declarator);

		if (name < 0 || lanes_name(l, at(l, name), from, end))
			return true;
		declarator = unit_declarator_end(u, declarator);
		while (token_is(at(l, declarator), "="))
			declarator = unit_declarator_end(u, declarator + 1);
	}
	return false;
}

/* Whether the declaration of shared variables may stand at the beginning of the kernel: it names no
 * variable of the kernel but what it declares. */
static bool may_move(const struct lanes *l, int from, int end)
{
	static const char *const after[] = { ",", ")", "[", "=", NULL };
	int body = l->kernel->body, stop;

	for (int i = l->kernel->open; i < body; i++)
		if (at(l, i)->kind == TOKEN_IDENTIFIER && token_among(at(l, i + 1), after)
		    && lanes_name(l, at(l, i), from, end))
			return false;
	for (int i = body + 1; i < from; i = stop) {
		stop = unit_statement_end(l->rewriter->unit, i);
		if (declares_named(l, i, from, end))
			return false;
	}
	return true;
}

/* Writes the declarations of shared variables, which are all among the kernel's outermost
 * statements. */
static bool write_shared(struct lanes *l)
{
	int body = l->kernel->body, end = at(l, body)->match, after;

	for (int i = body + 1; i < end; i = after) {
		struct specifiers s = unit_specifiers(l->rewriter->unit, i, false);
		int moved = i;

		after = unit_statement_end(l->rewriter->unit, i);
		if (after <= i)
			return false;
		if (!s.is_shared) {
			if (lanes_have(l, "__shared__", i, after))
				return false;
			continue;
		}
		if (!may_move(l, i, after))
			return false;
		write_place(l, i, "");
		if (rewriter_shared(l->rewriter, &s, &moved) != STATUS_OK || moved != after) {
			error_clear();
			return false;
		}
	}
	return true;
}

/* Sets the blanks before the kernel's tokens so that each is on its line in a copy of the text.
 * Returns the former ones. */
static struct token *place_tokens(struct lanes *l)
{
	int from = l->kernel->body, end = at(l, from)->match;
	struct token *former = xcalloc((size_t)(end - from), sizeof *former);

	memcpy(former, at(l, from), (size_t)(end - from) * sizeof *former);
	for (int i = from + 1; i < end; i++) {
		struct token *t = token_of(l->rewriter, i);
		bool same = t->line == t[-1].line && t->file_length == t[-1].file_length
			&& memcmp(t->file, t[-1].file, (size_t)t->file_length) == 0;

		t->space = same ? former[i - from].space_length ? " " : ""
			: unit_keep(l->rewriter->unit, xasprintf("\n# %d \"%.*s\" 3\n", t->line,
								t->file_length, t->file));
		t->space_length = (int)strlen(t->space);
	}
	return former;
}

static bool write_kernel(struct lanes *l, int *scopes, int *bindings)
{
	struct rewriter *r = l->rewriter;
	int body = l->kernel->body;

	if (!lanes_functions_run_through(l) || !write_shared(l))
		return false;
	*scopes = r->scope_count;
	*bindings = r->binding_count;
	fputs(" if (struct ft_whole *const ft_whole = " REWRITE_WHOLE_MARK, out(l));
	if (!write_parameters(l) || !write_list(l, body + 1, at(l, body)->match))
		return false;
	fputs(" ft_whole_end(ft_whole); return; }", out(l));
	write_place(l, body, "");
	return true;
}

/* Whether the kernel may be the one that gets a table. */
static bool is_chosen(const struct rewriter *r, const struct function *f)
{
	const struct token name = kernel_choice_name(r->kernel);

	return token_same(token_of(r, f->name), &name);
}

void rewriter_lanes(struct rewriter *r)
{
	const struct function *f = r->function;
	struct lanes l = { .rewriter = r, .kernel = f };
	int scopes = r->scope_count, bindings = r->binding_count, loops = r->meeting_count;
	int body = f->body, end = token_of(r, body)->match, shared = r->shared_count;
	FILE *file = r->out;
	struct token *former;
	char *text;
	size_t bytes;

	if (!f->kernel || !is_chosen(r, f) || !has_barrier(&l, body, end))
		return;
	former = place_tokens(&l);
	r->out = xcheck(open_memstream(&text, &bytes));
	r->meeting_count = 0;           /* no thread waits in a loop here */
	r->whole = write_kernel(&l, &scopes, &bindings);
	r->meeting_count = loops;
	fclose(r->out);
	r->out = file;
	memcpy(token_of(r, body), former, (size_t)(end - body) * sizeof *former);
	r->scope_count = scopes;
	r->binding_count = bindings;
	r->leave = 0;
	if (r->whole)
		fputs(xcheck(text), r->out);
	else
		r->shared_count = shared;
	free(text);
	free(former);
	free(l.variables);
}
