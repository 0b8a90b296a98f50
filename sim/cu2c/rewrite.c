/* rewrite.c - replaces shared-memory declarations and their uses, token by token.
 *
 * `__shared__ T x[n];` becomes a pointer to T[n] at an offset that the loader fills in, and each
 * use of x in its scope becomes (*x), so that sizeof and & keep their meaning. `extern __shared__ T
 * x[];` becomes a pointer to T[] at the block's dynamic memory. Scopes follow the rules of C:
 * blocks, for statements, parameters, and inner declarations of the same name. unit.c has already
 * found the functions and removed CUDA's qualifiers; code_table.c appends the tables.
 */
#include "sim/cu2c/rewrite.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/code_table.h"
#include "sim/cu2c/rewriter.h"
#include "sim/cu2c/token.h"

/* --- scopes --- */

static void open_scope(struct rewriter *r, int end)
{
	r->scopes = xreallocarray(r->scopes, (size_t)r->scope_count + 1, sizeof *r->scopes);
	r->scopes[r->scope_count++] = end;
}

static void leave_scopes(struct rewriter *r, int at)
{
	while (r->scope_count > 0 && r->scopes[r->scope_count - 1] <= at)
		r->scope_count--;
	while (r->binding_count > 0 && r->bindings[r->binding_count - 1].end <= at)
		r->binding_count--;
	if (r->function && token_of(r, r->function->body)->match < at) {
		r->function = NULL;
		r->whole = false;
	}
}

const struct binding *rewriter_binding(const struct rewriter *r, const struct token *name)
{
	for (int i = r->binding_count - 1; i >= 0; i--)
		if (token_same(r->bindings[i].name, name))
			return &r->bindings[i];
	return NULL;
}

void rewriter_bind(struct rewriter *r, const struct token *name, enum meaning meaning, int number)
{
	int end = r->scope_count > 0 ? r->scopes[r->scope_count - 1] : INT_MAX;

	r->bindings = xreallocarray(r->bindings, (size_t)r->binding_count + 1,
				    sizeof *r->bindings);
	r->bindings[r->binding_count++] = (struct binding){ name, meaning, end, number };
}

/* Marks the names that the declarators from `at` up to the ';' or ')' declare. */
static void mark_declared(struct rewriter *r, int at)
{
	for (;;) {
		int name = unit_declarator_name(r->unit, at);
		int end = unit_declarator_end(r->unit, at);

		if (name >= 0)
			r->declares[name] = true;
		while (token_is(token_of(r, end), "="))
			end = unit_declarator_end(r->unit, end + 1);
		if (!token_is(token_of(r, end), ","))
			return;
		at = end + 1;
	}
}

static void mark_parameters(struct rewriter *r, int open)
{
	int close = token_of(r, open)->match;
	int at = open + 1;

	while (at < close) {
		int declarator = unit_specifiers(r->unit, at, true).end;
		int name = unit_declarator_name(r->unit, declarator);

		if (name >= 0 && name < close)
			r->declares[name] = true;
		at = unit_parameter_end(r->unit, declarator) + 1;
	}
}

static void enter_scopes(struct rewriter *r, int at)
{
	const struct unit *u = r->unit;
	const struct token *t = token_of(r, at);

	/* Prototypes, whose body is -1, are skipped too. */
	while (r->next_function < u->function_count && u->functions[r->next_function].body < at)
		r->next_function++;
	if (r->next_function < u->function_count && u->functions[r->next_function].open == at) {
		r->function = &u->functions[r->next_function];
		mark_parameters(r, at);
		open_scope(r, token_of(r, r->function->body)->match);
	} else if (token_is(t, "{")) {
		open_scope(r, t->match);
	} else if (token_is(t, "for") && r->function) {
		open_scope(r, unit_statement_end(u, at));
	}
}

/* --- names --- */

/* Whether the identifier at `at` uses a variable: it is not a member, a designator or a label. */
static bool is_use(const struct rewriter *r, int at)
{
	static const char *const not_before[] = { ".", "->", "goto", NULL };
	static const char *const before_label[] = { ";", "{", "}", "else", NULL };
	const struct token *t = token_of(r, at);

	if (at > 0 && token_among(t - 1, not_before))
		return false;
	if (at > 2 && token_is(t - 1, ":") && token_is(t - 2, ":")
	    && t[-3].kind == TOKEN_IDENTIFIER)
		return false;           /* of a class or another namespace */
	return !(token_is(t + 1, ":") && at > 0 && token_among(t - 1, before_label));
}

/* Whether the token is in a function or in an operand that is not evaluated. Elsewhere the name of
 * a variable of the file is another one's: a parameter's of a prototype. */
static bool in_code(const struct rewriter *r, int at)
{
	static const char *const operators[] = { "sizeof", "decltype", "__typeof__", "typeof",
						 NULL };
	const struct token *t = token_of(r, at);

	if (r->function)
		return true;
	return (at > 0 && token_among(t - 1, operators))
		|| (at > 1 && token_is(t - 1, "(") && token_among(t - 2, operators));
}

static void note_use(struct rewriter *r, const struct token *name)
{
	struct unit *u = r->unit;

	u->shared_uses = xreallocarray(u->shared_uses, (size_t)u->shared_use_count + 1,
				       sizeof *u->shared_uses);
	u->shared_uses[u->shared_use_count++] = (struct shared_use){ r->function, name };
}

static void write_use(struct rewriter *r, const struct token *t, const struct binding *b)
{
	fwrite(t->space, 1, (size_t)t->space_length, r->out);
	if (b->meaning == MEANS_TARGET)
		fprintf(r->out, "(*%.*s)", t->length, t->text);
	else if (b->meaning == MEANS_DYNAMIC)
		fprintf(r->out, "(*(ft_type_%d *)ft_shared_dynamic())", b->number);
	else if (r->unit->mode.cplusplus)
		fprintf(r->out, "ft_variable_%d()", b->number);
	else
		fprintf(r->out, "(*(ft_type_%d *)ft_shared_of(&ft_offset_%d))", b->number,
			b->number);
	if (b->meaning == MEANS_OF_FILE && r->function)
		note_use(r, b->name);
}

static enum status write_token(struct rewriter *r, int at)
{
	const struct token *t = token_of(r, at);
	const struct binding *b;

	if (token_is(t, "__shared__") && !t->instead)
		return token_fail(t, "__shared__ is not allowed here");
	if (r->leave && token_is(t, "return")) {
		fprintf(r->out, "%.*sgoto ft_next_%d", t->space_length, t->space, r->leave);
		return STATUS_OK;
	}
	b = t->kind == TOKEN_IDENTIFIER && !t->instead ? rewriter_binding(r, t) : NULL;
	if (b && r->declares[at] && b->meaning != MEANS_ITSELF) {
		rewriter_bind(r, t, MEANS_ITSELF, 0);
	} else if (b && b->meaning != MEANS_ITSELF && is_use(r, at) && in_code(r, at)) {
		write_use(r, t, b);
		return STATUS_OK;
	}
	token_write(t, r->out);
	return STATUS_OK;
}

enum status rewriter_tokens(struct rewriter *r, int from, int end)
{
	for (int i = from; i < end; i++)
		TRY(write_token(r, i));
	return STATUS_OK;
}

/* --- the walk --- */

/* Whether a declaration may begin here. May be true in too many places: where no declaration can
 * begin, unit_specifiers() finds no type. */
static bool may_declare(const struct rewriter *r, int at)
{
	static const char *const before[] = { ";", "{", "}", ":", NULL };
	const struct token *t = token_of(r, at);

	if (t->kind != TOKEN_IDENTIFIER || t->system)
		return false;
	return at == 0 || token_among(t - 1, before)
		|| (at > 1 && token_is(t - 1, "(") && token_is(t - 2, "for"));
}

/* Whether the struct, union or enum at `at` has a function with a body in it. */
static bool defines_functions(const struct rewriter *r, int at)
{
	const struct unit *u = r->unit;
	int next = r->next_function;

	while (next < u->function_count && u->functions[next].name < at)
		next++;
	return !r->function && next < u->function_count
		&& u->functions[next].name < unit_tag_end(u, at);
}

/* Leaves out a declaration that was written before, but not its lines. */
static void skip_declaration(struct rewriter *r, int *at)
{
	for (int end = unit_statement_end(r->unit, *at); *at < end; ++*at)
		fwrite(token_of(r, *at)->space, 1, (size_t)token_of(r, *at)->space_length, r->out);
}

enum status rewriter_walk(struct rewriter *r, int from, int end)
{
	static const char *const tags[] = { "struct", "union", "enum", NULL };
	int at = from;

	while (at < end) {
		struct specifiers s = { 0 };

		leave_scopes(r, at);
		if (r->kinds)
			rewriter_loops_at(r, at);
		enter_scopes(r, at);
		if (may_declare(r, at))
			s = unit_specifiers(r->unit, at, false);
		if (s.is_shared && r->unit->mode.pass != PASS_HOST) {
			if (r->whole && r->function)
				skip_declaration(r, &at);
			else
				TRY(rewriter_shared(r, &s, &at));
			continue;
		}
		if (s.type && (r->function || r->scope_count > 0))
			mark_declared(r, s.end);
		if (token_among(token_of(r, at), tags) && !defines_functions(r, at)) {
			int tag_end = unit_tag_end(r->unit, at);

			for (; at < tag_end; at++) /* members and tags have their own name spaces */
				token_write(token_of(r, at), r->out);
		} else {
			prune_before(&r->prune, at, r->out);
			TRY(write_token(r, at));
			prune_after(&r->prune, at, r->out);
			if (r->unit->mode.whole && r->function && at == r->function->body)
				rewriter_lanes(r);
			at++;
		}
	}
	return STATUS_OK;
}

static bool is_identifier(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return *text == '\0';
}

/* Rewrites into *out, which the caller frees even if this fails. */
static enum status rewrite_into(struct unit *u, const char *variant, const char *kernel,
				char **out)
{
	struct rewriter r = { .unit = u, .variant = variant, .kernel = kernel };
	size_t size;
	enum status status;

	*out = NULL;
	r.out = xcheck(open_memstream(out, &size));
	prune_begin(&r.prune, u);
	r.declares = xcalloc((size_t)u->tokens.count, sizeof *r.declares);
	if ((u->mode.user && u->mode.pass != PASS_HOST) || strcmp(variant, "checked") == 0)
		rewriter_loops_begin(&r);
	status = rewriter_walk(&r, 0, u->tokens.count);
	rewriter_loops_end(&r);
	if (status == STATUS_OK && u->mode.pass == PASS_KERNELS)
		status = kernel ? code_table_write_one(u, variant, kernel, r.out)
			: code_table_write(u, variant, r.out);
	free(r.declares);
	free(r.scopes);
	free(r.bindings);
	if (fclose(r.out) != 0 && status == STATUS_OK)
		status = fail(STATUS_INTERNAL, "out of memory for the rewritten source");
	if (status == STATUS_OK)
		*out = prune_text(&r.prune, *out, size);
	prune_end(&r.prune);
	return status;
}

/* kernel: the only one to write tables for, or NULL for all. */
static enum status rewrite(const char *file, const char *text, size_t bytes, struct unit_mode mode,
			   const char *variant, const char *kernel, char **out)
{
	struct unit u;
	enum status status;

	*out = NULL;
	TRY(unit_read(file, text, bytes, mode, &u));
	status = rewrite_into(&u, variant, kernel, out);
	if (status != STATUS_OK) {
		free(*out);
		*out = NULL;
	}
	unit_free(&u);
	return status;
}

enum status rewrite_kernels(const char *file, const char *text, size_t bytes, const char *variant,
			    char **out)
{
	*out = NULL;
	if (!is_identifier(variant))
		return fail(STATUS_USAGE, "variant '%s' is not a C identifier", variant);
	return rewrite(file, text, bytes, (struct unit_mode){ 0 }, variant, NULL, out);
}

enum status rewrite_user(const char *file, const char *text, size_t bytes, struct rewrite_user how,
			 char **out)
{
	const struct unit_mode mode = {
		.user = true, .cplusplus = how.cplusplus, .whole = how.whole && how.cplusplus,
	};

	return rewrite(file, text, bytes, mode, "user", how.kernel, out);
}

enum status rewrite_program(const char *file, const char *text, size_t bytes,
			    enum rewrite_pass pass, char **out)
{
	const struct unit_mode mode = {
		.user = true, .cplusplus = true, .launched = pass == REWRITE_LAUNCHED,
		.pass = pass == REWRITE_HOST ? PASS_HOST : PASS_DEVICE,
	};

	return rewrite(file, text, bytes, mode, "program", NULL, out);
}
