/* rewrite_shared.c - rewrites declarations of shared variables to pointers into a block's memory.
 *
 * `__shared__ T x[n];` becomes a pointer to T[n] at an offset that the loader fills in;
 * `extern __shared__ T x[];` becomes one to T[] at the block's dynamic memory. Outside functions,
 * where no block is running, they become types. Used by rewrite.c, which replaces the uses.
 */
#include "sim/cu2c/rewriter.h"

#include "sim/cu2c/token.h"

/* Replaces _Alignas by an attribute: C does not allow it in a typedef or below natural
 * alignment. */
static void rewrite_alignas(struct rewriter *r, int at)
{
	struct token *t = token_of(r, at);

	if (!token_is(t + 1, "("))
		return;
	bool type = unit_specifiers(r->unit, at + 2, false).type;
	t->instead = type ? "__attribute__((aligned(__alignof__" : "__attribute__((aligned";
	token_of(r, t[1].match)->instead = type ? "))))" : ")))";
}

/* Writes `prefix`, then the specifiers except for storage classes and __shared__. */
static void write_specifiers(struct rewriter *r, int from, int end, const char *prefix)
{
	static const char *const storage[] = { "__shared__", "static", "extern", NULL };
	static const char *const alignas_keywords[] = { "_Alignas", "alignas", NULL };
	struct token *first = token_of(r, from);

	fwrite(first->space, 1, (size_t)first->space_length, r->out);
	first->space_length = 0;
	fputs(prefix, r->out);
	for (int i = from; i < end; i++) {
		struct token *t = token_of(r, i);

		if (token_among(t, alignas_keywords) && !t->instead)
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
		return token_fail(token_of(r, at), "shared variable without a name");
	const struct token *t = token_of(r, *name);
	if (token_is(token_of(r, *end), "="))
		return token_fail(t, "shared variable '%.*s' cannot have an initialiser", t->length,
				  t->text);
	if (!token_is(token_of(r, *end), ",") && !token_is(token_of(r, *end), ";"))
		return token_fail(t, "shared variable '%.*s' is not followed by ';'", t->length,
				  t->text);
	return STATUS_OK;
}

/* Writes the declarators from `at` on with write(), and the ',' and ';' after them. *after: the
 * first token after the declaration. */
static enum status write_declarators(struct rewriter *r, int at, int *after,
	enum status (*write)(struct rewriter *, int at, int name, int end))
{
	int name, end;

	do {
		TRY(read_declarator(r, at, &name, &end));
		TRY(write(r, at, name, end));
		token_write(token_of(r, end), r->out);
		at = end + 1;
	} while (!token_is(token_of(r, end), ";"));
	*after = at;
	return STATUS_OK;
}

/* Writes the declarator of a typedef, with ft_type_N in place of the name. */
static enum status write_type(struct rewriter *r, int at, int name, int end)
{
	const struct token *t = token_of(r, name);

	TRY(rewriter_tokens(r, at, name));
	fprintf(r->out, "%.*sft_type_%d", t->space_length, t->space, ++r->shared_count);
	return rewriter_tokens(r, name + 1, end);
}

/* Writes the record with which the loader places a static shared variable of `owner`. The records
 * form an array in their section, so gcc must not raise their alignment. */
static void write_record(struct rewriter *r, const struct token *owner, const struct token *name,
			 int number)
{
	fprintf(r->out,
		" static size_t ft_offset_%d; static struct kernel_shared ft_shared_%d"
		" __attribute__((section(\"ft_shared\"), used,"
		" aligned(_Alignof(struct kernel_shared))))"
		" = { \"%.*s\", \"%.*s\", sizeof(ft_type_%d), _Alignof(ft_type_%d), &ft_offset_%d,"
		" \"%.*s.%s\" };",
		number, number, owner->length, owner->text, name->length, name->text, number,
		number, number, r->unit->tokens.file_length, r->unit->tokens.file, r->variant);
}

/* Writes the pointer to a static shared variable of a function, and its record. */
static void write_view(struct rewriter *r, const struct token *name, int number)
{
	write_record(r, token_of(r, r->function->name), name, number);
	fprintf(r->out, " ft_type_%d *const %.*s = (ft_type_%d *)ft_shared_at(ft_offset_%d);",
		number, name->length, name->text, number, number);
	rewriter_bind(r, name, MEANS_TARGET, number);
}

/* The alignment is here because a type loses its attributes as an argument of a template. */
static void write_cpp_names(struct rewriter *r, const struct token *owner,
			    const struct token *name, int number)
{
	fprintf(r->out, " struct ft_names_%d {"
		" static constexpr const char *function() { return \"%.*s\"; }"
		" static constexpr const char *name() { return \"%.*s\"; }"
		" static constexpr size_t alignment() { return __alignof__(ft_type_%d); } };",
		number, owner->length, owner->text, name->length, name->text, number);
}

/* The same in C++, where the function may be a template: each of its instantiations has its own
 * variable, an instantiation of ft_shared_variable (sim/cuda/cuda_cpp.h). */
static void write_cpp_view(struct rewriter *r, const struct token *name, int number)
{
	write_cpp_names(r, token_of(r, r->function->name), name, number);
	fprintf(r->out,
		" ft_type_%d *const %.*s = ft_shared_variable<ft_type_%d, ft_names_%d>::here();",
		number, name->length, name->text, number, number);
	rewriter_bind(r, name, MEANS_TARGET, number);
}

/* A variable outside functions belongs to the kernels that can reach a use: its name stands for a
 * function in its record and in their tables. In C++ each use calls ft_variable_N(). */
static void write_of_file(struct rewriter *r, const struct token *name, int number)
{
	if (r->unit->mode.cplusplus) {
		write_cpp_names(r, name, name, number);
		fprintf(r->out, " static inline __attribute__((always_inline, unused))"
			" ft_type_%d &ft_variable_%d()"
			" { return *ft_shared_variable<ft_type_%d, ft_names_%d>::here(); }",
			number, number, number, number);
	} else {
		write_record(r, name, name, number);
	}
	rewriter_bind(r, name, MEANS_OF_FILE, number);
}

static enum status expect_array(const struct token *name)
{
	if (token_is(name + 1, "["))
		return STATUS_OK;
	return token_fail(name, "extern __shared__ variable '%.*s' must be an array",
			  name->length, name->text);
}

/* The same for a variable in the block's dynamic memory. */
static enum status write_array_type(struct rewriter *r, int at, int name, int end)
{
	TRY(expect_array(token_of(r, name)));
	return write_type(r, at, name, end);
}

/* Writes the pointer to the block's dynamic memory. Outside functions there is none: each use
 * casts. */
static void write_dynamic(struct rewriter *r, const struct token *name, int number)
{
	if (r->function)
		fprintf(r->out, " ft_type_%d *const %.*s = (ft_type_%d *)ft_shared_dynamic();",
			number, name->length, name->text, number);
	rewriter_bind(r, name, r->function ? MEANS_TARGET : MEANS_DYNAMIC, number);
}

static void write_variable(struct rewriter *r, const struct token *name, bool dynamic, int number)
{
	if (dynamic)
		write_dynamic(r, name, number);
	else if (!r->function)
		write_of_file(r, name, number);
	else if (r->unit->mode.cplusplus)
		write_cpp_view(r, name, number);
	else
		write_view(r, name, number);
}

/* Removes what raises the alignment of dynamic memory: it begins after the static variables. */
static void drop_alignment(struct rewriter *r, int from)
{
	static const char *const keywords[] = {
		"__attribute__", "__attribute", "_Alignas", "alignas", NULL
	};

	for (int i = from; !token_is(token_of(r, i), ";"); i++) {
		const struct token *t = token_of(r, i);

		if (!token_among(t, keywords) || !token_is(t + 1, "("))
			continue;
		for (; i <= t[1].match; i++)
			token_of(r, i)->instead = "";
		i--;
	}
}

/* Each variable becomes a typedef in place, which keeps its tokens on their lines. The pointers
 * follow after the ';', when all types are declared. */
enum status rewriter_shared(struct rewriter *r, const struct specifiers *s, int *at)
{
	int number = r->shared_count;
	int from = s->end, name, end;

	if (s->is_extern)
		drop_alignment(r, *at);
	write_specifiers(r, *at, s->end, "typedef ");
	TRY(write_declarators(r, s->end, at, s->is_extern ? write_array_type : write_type));
	do {
		TRY(read_declarator(r, from, &name, &end));
		write_variable(r, token_of(r, name), s->is_extern, ++number);
		from = end + 1;
	} while (!token_is(token_of(r, end), ";"));
	return STATUS_OK;
}
