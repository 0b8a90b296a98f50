/* rewrite.c - replaces shared-memory declarations and their uses, token by token.
 *
 * `__shared__ T x[n];` becomes a pointer to T[n] at an offset that the loader fills in, and each
 * use of x in its scope becomes (*x), so that sizeof and & keep their meaning.
 * `extern __shared__ T x[];` becomes a pointer to the block's dynamic memory. Scopes are followed
 * as far as C's own rules need: blocks, for statements, parameters, inner declarations of the same
 * name. unit.c has found the functions and taken CUDA's other words out; code_table.c appends the
 * tables.
 */
#include "sim/rewrite.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/code_table.h"
#include "sim/token.h"
#include "sim/unit.h"
#include "traces/xalloc.h"

/* What a name stands for from here to the end of its scope. */
enum meaning {
	MEANS_ITSELF,           /* an ordinary variable that hides a shared one */
	MEANS_TARGET,           /* a static shared variable: written (*name) */
	MEANS_DYNAMIC           /* dynamic memory declared outside functions */
};

struct binding {
	const struct token *name;
	enum meaning meaning;
	int end;                /* token at which the scope ends */
	int number;             /* of its ft_type_N */
};

struct rewriter {
	struct unit *unit;
	const char *variant;
	FILE *out;
	const struct function *function;        /* around the token, or NULL */
	int next_function;
	bool *declares;         /* per token: declares the name it spells */
	int *scopes;            /* ends of the open scopes, innermost last */
	int scope_count;
	struct binding *bindings;
	int binding_count;
	int shared_count;
};

static struct token *token_at(const struct rewriter *r, int at)
{
	return &r->unit->tokens.at[at];
}

/* --- scopes --- */

static void open_scope(struct rewriter *r, int end)
{
	r->scopes = xreallocarray(r->scopes, (size_t)r->scope_count + 1, sizeof(*r->scopes));
	r->scopes[r->scope_count++] = end;
}

static void leave_scopes(struct rewriter *r, int at)
{
	while (r->scope_count > 0 && r->scopes[r->scope_count - 1] <= at)
		r->scope_count--;
	while (r->binding_count > 0 && r->bindings[r->binding_count - 1].end <= at)
		r->binding_count--;
	if (r->function && token_at(r, r->function->body)->match < at)
		r->function = NULL;
}

static const struct binding *find_binding(const struct rewriter *r, const struct token *name)
{
	for (int i = r->binding_count - 1; i >= 0; i--)
		if (token_same(r->bindings[i].name, name))
			return &r->bindings[i];
	return NULL;
}

static void bind(struct rewriter *r, const struct token *name, enum meaning meaning, int number)
{
	int end = r->scope_count > 0 ? r->scopes[r->scope_count - 1] : INT_MAX;

	r->bindings = xreallocarray(r->bindings, (size_t)r->binding_count + 1,
				    sizeof(*r->bindings));
	r->bindings[r->binding_count++] = (struct binding){ name, meaning, end, number };
}

/* Marks the names that the declarators from `at` on declare, up to the ';' or ')'. */
static void mark_declared(struct rewriter *r, int at)
{
	for (;;) {
		int name = unit_declarator_name(r->unit, at);
		int end = unit_declarator_end(r->unit, at);

		if (name >= 0)
			r->declares[name] = true;
		while (token_is(token_at(r, end), "="))
			end = unit_declarator_end(r->unit, end + 1);
		if (!token_is(token_at(r, end), ","))
			return;
		at = end + 1;
	}
}

static void mark_parameters(struct rewriter *r, int open)
{
	int close = token_at(r, open)->match;
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
	const struct token *t = token_at(r, at);

	/* A prototype has no body and is passed at once. */
	while (r->next_function < u->function_count && u->functions[r->next_function].body < at)
		r->next_function++;
	if (r->next_function < u->function_count && u->functions[r->next_function].open == at) {
		r->function = &u->functions[r->next_function];
		mark_parameters(r, at);
		open_scope(r, token_at(r, r->function->body)->match);
	} else if (token_is(t, "{")) {
		open_scope(r, t->match);
	} else if (token_is(t, "for") && r->function) {
		open_scope(r, unit_statement_end(u, at));
	}
}

/* --- names --- */

/* Whether the word at `at` is a use of a variable, not a member, a designator or a label. */
static bool is_use(const struct rewriter *r, int at)
{
	static const char *const not_before[] = { ".", "->", "goto", NULL };
	static const char *const before_label[] = { ";", "{", "}", "else", NULL };
	const struct token *t = token_at(r, at);

	if (at > 0 && token_among(t - 1, not_before))
		return false;
	return !(token_is(t + 1, ":") && at > 0 && token_among(t - 1, before_label));
}

static enum status write_token(struct rewriter *r, int at)
{
	const struct token *t = token_at(r, at);
	const struct binding *b;

	if (token_is(t, "__shared__"))
		return token_fail(t, "__shared__ is not allowed here");
	b = t->kind == TOKEN_WORD ? find_binding(r, t) : NULL;
	if (b && r->declares[at] && b->meaning != MEANS_ITSELF) {
		bind(r, t, MEANS_ITSELF, 0);
	} else if (b && b->meaning != MEANS_ITSELF && is_use(r, at)) {
		fwrite(t->space, 1, (size_t)t->space_length, r->out);
		if (b->meaning == MEANS_TARGET)
			fprintf(r->out, "(*%.*s)", t->length, t->text);
		else
			fprintf(r->out, "(*(ft_type_%d *)ft_shared_dynamic())", b->number);
		return STATUS_OK;
	}
	token_write(t, r->out);
	return STATUS_OK;
}

static enum status write_tokens(struct rewriter *r, int from, int end)
{
	for (int i = from; i < end; i++)
		TRY(write_token(r, i));
	return STATUS_OK;
}

/* --- shared declarations --- */

/* Alignment as an attribute: C allows _Alignas neither in a typedef nor below the type's own. */
static void rewrite_alignas(struct rewriter *r, int at)
{
	struct token *t = token_at(r, at);

	if (!token_is(t + 1, "("))
		return;
	bool type = unit_specifiers(r->unit, at + 2, false).type;
	t->instead = type ? "__attribute__((aligned(__alignof__" : "__attribute__((aligned";
	token_at(r, t[1].match)->instead = type ? "))))" : ")))";
}

/* The specifiers without those of storage; `word` in front of what is left. */
static void write_specifiers(struct rewriter *r, int from, int end, const char *word)
{
	static const char *const storage[] = { "__shared__", "static", "extern", NULL };
	static const char *const alignas_words[] = { "_Alignas", "alignas", NULL };
	struct token *first = token_at(r, from);

	fwrite(first->space, 1, (size_t)first->space_length, r->out);
	first->space_length = 0;
	fputs(word, r->out);
	for (int i = from; i < end; i++) {
		struct token *t = token_at(r, i);

		if (token_among(t, alignas_words))
			rewrite_alignas(r, i);
		if (token_among(t, storage))
			t->instead = "";
		token_write(t, r->out);
	}
}

/* The name of the declarator at `at`, and its end. COMPILE if it has none or an initialiser. */
static enum status read_declarator(const struct rewriter *r, int at, int *name, int *end)
{
	*name = unit_declarator_name(r->unit, at);
	*end = unit_declarator_end(r->unit, at);
	if (*name < 0 || *name >= *end)
		return token_fail(token_at(r, at), "shared variable without a name");
	const struct token *t = token_at(r, *name);
	if (token_is(token_at(r, *end), "="))
		return token_fail(t, "shared variable '%.*s' cannot have an initialiser", t->length,
				  t->text);
	if (!token_is(token_at(r, *end), ",") && !token_is(token_at(r, *end), ";"))
		return token_fail(t, "shared variable '%.*s' is not followed by ';'", t->length,
				  t->text);
	return STATUS_OK;
}

/* Writes the declarators from `at` on, each by write(), and the ',' and ';' after them. Returns the
 * first token after the declaration through *after. */
static enum status write_declarators(struct rewriter *r, int at, int *after,
	enum status (*write)(struct rewriter *, int at, int name, int end))
{
	int name, end;

	do {
		TRY(read_declarator(r, at, &name, &end));
		TRY(write(r, at, name, end));
		token_write(token_at(r, end), r->out);
		at = end + 1;
	} while (!token_is(token_at(r, end), ";"));
	*after = at;
	return STATUS_OK;
}

/* The declarator with ft_type_N for its name, as a typedef has it. */
static enum status write_type(struct rewriter *r, int at, int name, int end)
{
	const struct token *t = token_at(r, name);

	TRY(write_tokens(r, at, name));
	fprintf(r->out, "%.*sft_type_%d", t->space_length, t->space, ++r->shared_count);
	return write_tokens(r, name + 1, end);
}

/* The pointer to a static shared variable, and what the loader needs to place it. The alignment is
 * the natural one, which gcc would raise for a large object: the section must be an array. */
static void write_view(struct rewriter *r, const struct token *name, int number)
{
	const struct token *function = token_at(r, r->function->name);

	fprintf(r->out,
		" static size_t ft_offset_%d; static struct kernel_shared ft_shared_%d"
		" __attribute__((section(\"ft_shared\"), used,"
		" aligned(_Alignof(struct kernel_shared))))"
		" = { \"%.*s\", \"%.*s\", sizeof(ft_type_%d), _Alignof(ft_type_%d), &ft_offset_%d,"
		" \"%.*s.%s\" };"
		" ft_type_%d *const %.*s = (ft_type_%d *)ft_shared_at(ft_offset_%d);",
		number, number, function->length, function->text, name->length, name->text, number,
		number, number, r->unit->tokens.file_length, r->unit->tokens.file, r->variant,
		number, name->length, name->text, number, number);
	bind(r, name, MEANS_TARGET, number);
}

/* The same in C++, where a function may be a template: the variable of each of its instances is a
 * variable of its own, and the instance of a template itself (sim/cuda_cpp.h). */
static void write_cpp_view(struct rewriter *r, const struct token *name, int number)
{
	const struct token *function = token_at(r, r->function->name);

	fprintf(r->out,
		" struct ft_names_%d { static const char *function() { return \"%.*s\"; }"
		" static const char *name() { return \"%.*s\"; } };"
		" ft_type_%d *const %.*s = ft_shared_variable<ft_type_%d, ft_names_%d>::here();",
		number, function->length, function->text, name->length, name->text, number,
		name->length, name->text, number, number);
	bind(r, name, MEANS_TARGET, number);
}

/* Each variable becomes a typedef in place, which keeps its tokens on their lines; the pointers
 * follow the ';', when all types are declared. */
static enum status write_static(struct rewriter *r, const struct specifiers *s, int *at)
{
	int number = r->shared_count;
	int from = s->end, name, end;

	write_specifiers(r, *at, s->end, "typedef ");
	TRY(write_declarators(r, s->end, at, write_type));
	do {
		TRY(read_declarator(r, from, &name, &end));
		if (r->unit->mode.cplusplus)
			write_cpp_view(r, token_at(r, name), ++number);
		else
			write_view(r, token_at(r, name), ++number);
		from = end + 1;
	} while (!token_is(token_at(r, end), ";"));
	return STATUS_OK;
}

static enum status expect_array(const struct token *name)
{
	if (token_is(name + 1, "["))
		return STATUS_OK;
	return token_fail(name, "extern __shared__ variable '%.*s' must be an array",
			  name->length, name->text);
}

/* `T name[]` as a pointer to the block's dynamic memory; `T name[][n]` as one to its rows. */
static enum status write_dynamic(struct rewriter *r, int at, int name, int end)
{
	const struct token *t = token_at(r, name);

	TRY(expect_array(t));
	int rest = t[1].match + 1;
	bool rows = token_is(token_at(r, rest), "[");

	TRY(write_tokens(r, at, name));
	fprintf(r->out, "%.*s%s*const %.*s%s", t->space_length, t->space, rows ? "(" : "",
		t->length, t->text, rows ? ")" : "");
	TRY(write_tokens(r, rest, end));
	fputs(r->unit->mode.cplusplus ? " = ft_dynamic_pointer()" : " = ft_shared_dynamic()",
	      r->out);
	if (find_binding(r, t))
		bind(r, t, MEANS_ITSELF, 0);
	return STATUS_OK;
}

/* Outside functions no block is running: the name becomes a type that its uses apply. */
static enum status write_dynamic_type(struct rewriter *r, int at, int name, int end)
{
	TRY(expect_array(token_at(r, name)));
	TRY(write_type(r, at, name, end));
	bind(r, token_at(r, name), MEANS_DYNAMIC, r->shared_count);
	return STATUS_OK;
}

static enum status write_shared(struct rewriter *r, const struct specifiers *s, int *at)
{
	if (r->function && !s->is_extern)
		return write_static(r, s, at);
	if (!s->is_extern)
		return token_fail(token_at(r, *at),
				  "__shared__ outside a function is possible with extern only");
	write_specifiers(r, *at, s->end, r->function ? "" : "typedef ");
	return write_declarators(r, s->end, at, r->function ? write_dynamic : write_dynamic_type);
}

/* --- the walk --- */

/* Whether a declaration can begin here. Where one cannot, no word below is a type, so that more
 * places than the exact ones do no harm. */
static bool may_declare(const struct rewriter *r, int at)
{
	static const char *const before[] = { ";", "{", "}", ":", NULL };
	const struct token *t = token_at(r, at);

	if (t->kind != TOKEN_WORD || t->system)
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

static enum status rewrite_file(struct rewriter *r)
{
	static const char *const tags[] = { "struct", "union", "enum", NULL };
	int at = 0;

	while (at < r->unit->tokens.count) {
		struct specifiers s = { 0 };

		leave_scopes(r, at);
		enter_scopes(r, at);
		if (may_declare(r, at))
			s = unit_specifiers(r->unit, at, false);
		if (s.is_shared) {
			TRY(write_shared(r, &s, &at));
			continue;
		}
		if (s.type && r->function)
			mark_declared(r, s.end);
		if (token_among(token_at(r, at), tags) && !defines_functions(r, at)) {
			int end = unit_tag_end(r->unit, at);

			for (; at < end; at++) /* members and tags are names of their own */
				token_write(token_at(r, at), r->out);
		} else {
			TRY(write_token(r, at));
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

/* Runs the rewriter into *out, which is good (and the caller's) even when it fails. */
static enum status rewrite_into(struct unit *u, const char *variant, const char *kernel,
				char **out)
{
	struct rewriter r = { .unit = u, .variant = variant };
	size_t size;
	enum status status;

	*out = NULL;
	r.out = xcheck(open_memstream(out, &size));
	r.declares = xcalloc((size_t)u->tokens.count, sizeof(*r.declares));
	status = rewrite_file(&r);
	if (status == STATUS_OK)
		status = kernel ? code_table_write_one(u, variant, kernel, r.out)
			: code_table_write(u, variant, r.out);
	free(r.declares);
	free(r.scopes);
	free(r.bindings);
	if (fclose(r.out) != 0 && status == STATUS_OK)
		status = fail(STATUS_INTERNAL, "no memory for the rewritten source");
	return status;
}

/* kernel NULL: the tables of all. */
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

enum status rewrite_user(const char *file, const char *text, size_t bytes, bool cplusplus,
			 const char *kernel, char **out)
{
	const struct unit_mode mode = { .user = true, .cplusplus = cplusplus };

	return rewrite(file, text, bytes, mode, "user", kernel, out);
}
