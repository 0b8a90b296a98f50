/* code_table.c - appends to a rewritten file what the simulator needs to call its kernels.
 *
 * For each kernel: a function that unpacks the argument pointers, its parameters with sizes as the
 * compiler sees them, the functions it can reach (their static shared variables are part of its
 * blocks), and the struct sim_code that ties them together. The text is C, not macros: nothing
 * preprocesses it.
 */
#include "sim/code_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/rewrite.h"
#include "traces/xalloc.h"

/* The build that sim/cuda_cpp.h names in the records of its shared variables. */
#define FT_USER_UNIT "user"

/* The parts of one parameter's declaration. */
struct parameter {
	int from, name, end;            /* tokens */
	char *type;                     /* "const float *"; an array as the pointer it is */
};

static const struct token *token_at(const struct unit *u, int at)
{
	return &u->tokens.at[at];
}

/* Appends a token to a type, with a space where C's usual style has one. */
static void append_token(FILE *out, const struct token *t, char *last)
{
	bool glued = !*last || strchr("*([", *last) || strchr("[]),", *t->text);

	fprintf(out, "%s%.*s", glued ? "" : " ", t->length, t->text);
	*last = t->text[t->length - 1];
}

static char *parameter_type(const struct unit *u, const struct parameter *p)
{
	static const char *const dropped[] = { "restrict", "__restrict", "__restrict__", NULL };
	char *text = NULL, last = '\0';
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = p->from; i < p->end; i++) {
		const struct token *t = token_at(u, i);

		if (token_among(t, dropped))
			continue;
		if (i != p->name) {
			append_token(out, t, &last);
		} else if (token_is(t + 1, "[")) {
			i = t[1].match;
			bool rows = token_is(token_at(u, i + 1), "[");

			fputs(last == '*' ? "" : " ", out);
			fputs(rows ? "(*)" : "*", out);
			last = '*';
		}
	}
	fclose(out);
	return xcheck(text);
}

static void free_parameters(struct parameter *list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i].type);
	free(list);
}

static bool takes_nothing(const struct unit *u, int open)
{
	const struct token *t = token_at(u, open);

	return t->match == open + 1 || (t->match == open + 2 && token_is(t + 1, "void"));
}

static enum status read_parameters(const struct unit *u, const struct function *f,
				   struct parameter **list, int *count)
{
	int close = token_at(u, f->open)->match;

	*list = NULL;
	*count = 0;
	for (int at = f->open + 1; at < close && !takes_nothing(u, f->open); ) {
		int declarator = unit_specifiers(u, at, true).end;
		struct parameter p = { .from = at, .name = unit_declarator_name(u, declarator),
				       .end = unit_declarator_end(u, declarator) };

		if (p.name < 0 || p.name >= p.end) {
			free_parameters(*list, *count);
			return token_fail(token_at(u, at),
					  "parameter %d of kernel '%.*s' has no name", *count + 1,
					  token_at(u, f->name)->length, token_at(u, f->name)->text);
		}
		p.type = parameter_type(u, &p);
		*list = xreallocarray(*list, (size_t)*count + 1, sizeof(**list));
		(*list)[(*count)++] = p;
		at = unit_parameter_end(u, declarator) + 1;
	}
	return STATUS_OK;
}

static void write_run(const struct unit *u, const struct function *f, const struct parameter *list,
		      int count, FILE *out)
{
	const struct token *k = token_at(u, f->name);

	fprintf(out, "static void ft_run_%.*s(void *const *a) { ", k->length, k->text);
	fprintf(out, count == 0 ? "(void)a; %.*s(" : "%.*s(", k->length, k->text);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s*(__typeof__(%s) *)a[%d]", i ? ", " : "", list[i].type, i);
	fputs("); }\n", out);
}

/* __builtin_classify_type() gives 5 for a pointer of any kind. */
static void write_parameters(const struct unit *u, const struct function *f,
			     const struct parameter *list, int count, FILE *out)
{
	const struct token *k = token_at(u, f->name);

	if (count == 0)
		return;
	fprintf(out, "static const struct kernel_param ft_params_%.*s[] = {\n", k->length, k->text);
	for (int i = 0; i < count; i++) {
		const struct token *name = token_at(u, list[i].name);
		const char *type = list[i].type;

		fprintf(out, "{ \"%.*s\", \"%s\", _Generic(*(__typeof__(%s) *)0,"
			" int: PARAM_I32, unsigned: PARAM_U32,"
			" long: PARAM_I64, long long: PARAM_I64,"
			" unsigned long: PARAM_U64, unsigned long long: PARAM_U64,"
			" float: PARAM_F32, double: PARAM_F64,"
			" default: __builtin_classify_type(*(__typeof__(%s) *)0) == 5"
			" ? PARAM_POINTER : PARAM_BLOB), sizeof(%s), _Alignof(%s) },\n",
			name->length, name->text, type, type, type, type, type);
	}
	fputs("};\n", out);
}

static bool is_member(const struct token *t)
{
	return token_is(t - 1, ".") || token_is(t - 1, "->");
}

static void reach(const struct unit *, const struct function *, const struct function **list,
		  int *count);

/* Adds the functions of that name, which C++ may have several of. */
static void reach_named(const struct unit *u, const struct token *name,
			const struct function **list, int *count)
{
	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];
		bool known = f->body < 0 || !token_same(token_at(u, f->name), name);

		for (int k = 0; k < *count && !known; k++)
			known = list[k] == f;
		if (!known)
			reach(u, f, list, count);
	}
}

/* Adds the functions that `f` names in its body, and theirs, to the list. A name without a call
 * counts too: it may be called through a pointer. */
static void reach(const struct unit *u, const struct function *f, const struct function **list,
		  int *count)
{
	list[(*count)++] = f;
	for (int i = f->body; i < token_at(u, f->body)->match; i++) {
		const struct token *t = token_at(u, i);

		if (t->kind != TOKEN_WORD || (!u->mode.cplusplus && is_member(t)))
			continue;
		reach_named(u, t, list, count);
	}
}

static void write_functions(const struct unit *u, const struct function *f, FILE *out)
{
	const struct function **list = xcalloc((size_t)u->function_count, sizeof(*list));
	const struct token *k = token_at(u, f->name);
	int count = 0;

	reach(u, f, list, &count);
	if (u->mode.cplusplus)          /* operators are called without their name */
		reach_named(u, &(struct token){ .text = "operator", .length = 8 }, list, &count);
	fprintf(out, "static const char *const ft_functions_%.*s[] = { ", k->length, k->text);
	for (int i = 0; i < count; i++)
		fprintf(out, "\"%.*s\", ", token_at(u, list[i]->name)->length,
			token_at(u, list[i]->name)->text);
	fputs("0 };\n", out);
	free(list);
}

/* The first argument of __launch_bounds__, of the definition or a prototype; "0" without one. */
static void write_bounds(const struct unit *u, const struct function *f, FILE *out)
{
	int open = f->bounds;

	for (int i = 0; i < u->function_count && open < 0; i++)
		if (token_same(token_at(u, u->functions[i].name), token_at(u, f->name)))
			open = u->functions[i].bounds;
	if (open < 0) {
		fputs("0", out);
		return;
	}
	fputs("(unsigned)(", out);
	for (int i = open + 1; i < unit_declarator_end(u, open + 1); i++)
		fprintf(out, " %.*s", token_at(u, i)->length, token_at(u, i)->text);
	fputs(")", out);
}

/* Ends with the accessor of the build's shared variables when it is loaded at run time. */
static void write_code(const struct unit *u, const struct function *f, int count,
		       const char *variant, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	int n = k->length;

	/* The declaration before it is for -Wmissing-variable-declarations. */
	fprintf(out, "extern const struct sim_code ft_code_%.*s_%s;\n", n, k->text, variant);
	fprintf(out, "const struct sim_code ft_code_%.*s_%s = { \"%.*s\", \"%.*s\", ", n, k->text,
		variant, n, k->text, k->file_length, k->file);
	if (count > 0)
		fprintf(out, "ft_params_%.*s, %d, ", n, k->text, count);
	else
		fputs("0, 0, ", out);
	write_bounds(u, f, out);
	fprintf(out, ", ft_functions_%.*s, ft_run_%.*s, \"%.*s.%s\", %s };\n", n, k->text, n,
		k->text, u->tokens.file_length, u->tokens.file, variant,
		u->mode.user ? "ft_shared_list" : "0");
}

static enum status write_kernel(const struct unit *u, const struct function *f, const char *variant,
				FILE *out)
{
	struct parameter *list;
	int count;

	TRY(read_parameters(u, f, &list, &count));
	write_run(u, f, list, count, out);
	write_parameters(u, f, list, count, out);
	write_functions(u, f, out);
	write_code(u, f, count, variant, out);
	free_parameters(list, count);
	return STATUS_OK;
}

enum status code_table_write(const struct unit *u, const char *variant, FILE *out)
{
	/* Diagnostics about the tables must not point into the kernel's source. */
	fputs("\n# 1 \"<kernel table>\"\n", out);
	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];

		if (f->kernel && f->body >= 0)
			TRY(write_kernel(u, f, variant, out));
	}
	return STATUS_OK;
}

/* --- one kernel of a user's file --- */

/* The variables of the object that this becomes: the linker names the ends of its section. */
static const char shared_list[] =
	"extern struct kernel_shared __start_ft_shared[]"
	" __attribute__((weak, visibility(\"hidden\")));\n"
	"extern struct kernel_shared __stop_ft_shared[]"
	" __attribute__((weak, visibility(\"hidden\")));\n"
	"static size_t ft_shared_list(struct kernel_shared **first) { *first = __start_ft_shared;"
	" return __start_ft_shared ? (size_t)(__stop_ft_shared - __start_ft_shared) : 0; }\n";

/* In C++ the types come from the expression, not from the text: templates supply them
 * (sim/cuda_cpp.h). Bounds may depend on template parameters and then are not known here. */
static enum status write_cpp_kernel(const struct unit *u, const struct function *f,
				    const char *kernel, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	struct parameter *list;
	char *address;
	int count;

	TRY(read_parameters(u, f, &list, &count));
	address = rewrite_kernel_address(kernel);
	fprintf(out, "typedef ft_kernel<decltype(%s)> ft_user_kernel;\n", address);
	fprintf(out, "static void ft_run(void *const *a) { ft_user_kernel::run(%s, a); }\n",
		address);
	fputs("static const struct kernel_param ft_params[] = {\n", out);
	for (int i = 0; i < count; i++) {
		const struct token *name = token_at(u, list[i].name);

		fprintf(out, "ft_user_kernel::param<%d>(\"%.*s\", \"%s\"),\n", i, name->length,
			name->text, list[i].type);
	}
	fputs("{ 0, 0, PARAM_BLOB, 0, 0 } };\n", out);
	free_parameters(list, count);
	write_functions(u, f, out);
	fprintf(out, "static const struct sim_code ft_code = { \"%.*s\", \"%.*s\", ft_params, %d, ",
		k->length, k->text, k->file_length, k->file, count);
	if (strchr(kernel, '<'))
		fputs("0", out);
	else
		write_bounds(u, f, out);
	fprintf(out, ", ft_functions_%.*s, ft_run, \"%s\", ft_shared_list };\n", k->length, k->text,
		FT_USER_UNIT);
	fprintf(out, "extern \"C\" { extern const struct sim_code *const ft_user_code;"
		" const struct sim_code *const ft_user_code = &ft_code;"
		" extern void *const ft_user_entry; void *const ft_user_entry = (void *)%s; }\n",
		address);
	free(address);
	return STATUS_OK;
}

/* --- which kernel is meant --- */

/* The plain name in "a::k<float, 64>(float *)". */
static struct token expression_name(const char *kernel)
{
	size_t length = strcspn(kernel, "<(");
	struct token t = { .kind = TOKEN_WORD };

	while (length > 0 && kernel[length - 1] == ' ')
		length--;
	t.text = kernel;
	for (size_t i = 0; i < length; i++)
		if (kernel[i] == ':')
			t.text = &kernel[i + 1];
	t.length = (int)(&kernel[length] - t.text);
	return t;
}

/* The '(' of the parameter types in a kernel's expression; NULL where it has none. */
static const char *expression_types(const char *kernel)
{
	size_t length = strlen(kernel);
	int depth = 0;

	if (length == 0 || kernel[length - 1] != ')')
		return NULL;
	for (const char *p = kernel + length - 1; p >= kernel; p--) {
		depth += (*p == ')') - (*p == '(');
		if (depth == 0)
			return p;
	}
	return NULL;
}

char *rewrite_kernel_address(const char *kernel)
{
	const char *types = expression_types(kernel);

	if (!types)
		return xasprintf("&%s", kernel);
	return xasprintf("static_cast<void (*)%s>(&%.*s)", types, (int)(types - kernel), kernel);
}

static bool is_template(const struct unit *u, const struct function *f)
{
	static const char *const ends[] = { ";", "}", NULL };

	for (int i = f->name; i >= 0 && !token_among(token_at(u, i), ends); i--)
		if (token_is(token_at(u, i), "template"))
			return true;
	return false;
}

/* "k(const float *, int) at line 7", with `separator` in front. */
static void describe_kernel(const struct unit *u, const struct function *f, const char *separator,
			    FILE *out)
{
	const struct token *name = token_at(u, f->name);
	struct parameter *list;
	int count;

	fprintf(out, "%s%.*s(", separator, name->length, name->text);
	if (read_parameters(u, f, &list, &count) == STATUS_OK) {
		for (int i = 0; i < count; i++)
			fprintf(out, "%s%s", i ? ", " : "", list[i].type);
		free_parameters(list, count);
	}
	fprintf(out, ") at line %d", name->line);
}

static bool is_candidate(const struct unit *u, const struct function *f, const struct token *name)
{
	return f->kernel && f->body >= 0 && (!name || token_same(token_at(u, f->name), name));
}

/* USAGE with the kernels there are: those of that name, or all. */
static enum status choose_one(const struct unit *u, const char *kernel, const struct token *name)
{
	char *names = NULL;
	const char *separator = "";
	size_t size;
	FILE *list = xcheck(open_memstream(&names, &size));
	enum status status;

	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];
		const struct token *own = token_at(u, f->name);

		if (!is_candidate(u, f, name))
			continue;
		if (name)
			describe_kernel(u, f, separator, list);
		else
			fprintf(list, "%s%.*s", separator, own->length, own->text);
		separator = name ? "; " : ", ";
	}
	fclose(list);
	status = name ? fail(STATUS_USAGE, "--kernel %s: %.*s has several of that name, say which by "
			     "its types, as in 'k(float *, int)': %s", kernel,
			     u->tokens.file_length, u->tokens.file, names)
		: fail(STATUS_USAGE, "--kernel %s: %.*s has no such kernel (%s%s)", kernel,
		       u->tokens.file_length, u->tokens.file, *names ? "it has " : "it has none",
		       names);
	free(names);
	return status;
}

/* Whether the kernel's parameter types are `types`, "(float *, int)", but for blanks; of a
 * template, whether it has as many. */
static bool has_types(const struct unit *u, const struct function *f, const char *types)
{
	struct parameter *list;
	int count, commas = 0;
	bool same;

	if (read_parameters(u, f, &list, &count) != STATUS_OK)
		return false;
	for (const char *p = types; *p; p++)
		commas += *p == ',';
	same = count == 0 ? strspn(types, "() ") == strlen(types) : count == commas + 1;
	for (int i = 0; i < count && same && !is_template(u, f); i++) {
		const char *want = list[i].type;

		for (types += strspn(types, "(, "); *want && same; want++, types++) {
			want += strspn(want, " ");
			types += strspn(types, " ");
			same = *want == *types;
		}
		types += strspn(types, " ");
		same &= *types == ',' || *types == ')';
	}
	free_parameters(list, count);
	return same;
}

static enum status find_kernel(const struct unit *u, const char *kernel,
			       const struct function **out)
{
	const struct token name = expression_name(kernel);
	const char *types = expression_types(kernel);
	int named = 0, found = 0;

	*out = NULL;
	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];
		bool fits;

		if (!is_candidate(u, f, &name))
			continue;
		named++;
		fits = !types || has_types(u, f, types);
		found += fits;
		*out = fits ? f : *out;
	}
	/* A template may have specialisations: their parameters have the same names. */
	if (found == 1 || (found > 1 && strchr(kernel, '<') && !types))
		return STATUS_OK;
	return choose_one(u, kernel, named ? &name : NULL);
}

enum status code_table_write_one(const struct unit *u, const char *variant, const char *kernel,
				 FILE *out)
{
	const struct token name = expression_name(kernel);
	const struct function *f;

	TRY(find_kernel(u, kernel, &f));
	if (is_template(u, f) != (strchr(name.text, '<') != NULL))
		return fail(STATUS_USAGE, is_template(u, f)
			    ? "--kernel %s: %.*s:%d has a template there: name its arguments, as "
			      "in 'k<float>'" : "--kernel %s: %.*s:%d has no template there",
			    kernel, token_at(u, f->name)->file_length, token_at(u, f->name)->file,
			    token_at(u, f->name)->line);
	fputs("\n# 1 \"<kernel table>\"\n", out);
	if (u->mode.cplusplus)
		return write_cpp_kernel(u, f, kernel, out);
	fputs(shared_list, out);
	TRY(write_kernel(u, f, variant, out));
	fprintf(out, "extern const struct sim_code *const ft_user_code;\n"
		"const struct sim_code *const ft_user_code = &ft_code_%.*s_%s;\n", name.length,
		name.text, variant);
	return STATUS_OK;
}
