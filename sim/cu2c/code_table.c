/* code_table.c - appends the tables with which the simulator calls the kernels of a rewritten file.
 *
 * For each kernel: a function that unpacks the argument pointers, the parameters with the sizes
 * that the compiler determines, the functions that it can call (whose static shared variables are
 * part of its blocks), and the struct sim_code that refers to them. The text contains no macros,
 * because it is not preprocessed.
 */
#include "config.h"

#include "sim/cu2c/code_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/kernel_address.h"
#include "sim/cu2c/kernel_choice.h"
#include "sim/cu2c/parameters.h"
#include "sim/cu2c/reach.h"
#include "sim/cu2c/unit_edit.h"
#include "sim/cu2c/unit_ptx.h"
#include "sim/cu2c/variables.h"

/* The name of the build in the shared-variable records of sim/cuda/cuda_cpp.h. */
#define FT_USER_UNIT "user"

static void write_run(const struct unit *u, const struct function *f, const struct parameter *list,
		      int count, FILE *out)
{
	const struct token *k = token_at(u, f->name);

	/* Reading the arguments from the host is not checked. */
	fprintf(out, "static void __attribute__((no_sanitize_thread, no_sanitize_coverage))"
		" ft_run_%.*s(void *const *a) { ", k->length, k->text);
	fprintf(out, count == 0 ? "(void)a; %.*s(" : "%.*s(", k->length, k->text);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s*(__typeof__(%s) *)a[%d]", i ? ", " : "", list[i].type, i);
	fputs("); }\n", out);
}

/* Only arguments of users' kernels are checked by it. */
static void write_element(const struct unit *u, const char *type, FILE *out)
{
	char *value = xasprintf("*(__typeof__(%s) *)0", type);

	if (u->mode.user)
		variables_write_element(value, out);
	else
		fputs("0", out);
	free(value);
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
			" ? PARAM_POINTER : PARAM_BLOB), sizeof(%s), _Alignof(%s), ",
			name->length, name->text, type, type, type, type, type);
		write_element(u, type, out);
		fputs(" },\n", out);
	}
	fputs("};\n", out);
}

/* Writes the names of the shared variables outside functions that those in the list use. */
static void write_shared_names(const struct unit *u, const struct function *const *list, int count,
			       FILE *out)
{
	for (int i = 0; i < u->shared_use_count; i++) {
		const struct shared_use *use = &u->shared_uses[i];
		bool listed = false, known = false;

		for (int k = 0; k < count; k++)
			listed |= list[k] == use->function;
		for (int k = 0; k < i; k++)
			known |= u->shared_uses[k].name == use->name
				&& u->shared_uses[k].function == use->function;
		if (listed && !known)
			fprintf(out, "\"%.*s\", ", use->name->length, use->name->text);
	}
}

static void write_functions(const struct unit *u, const struct function *f, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	struct reach r;

	reach_begin(&r, u);
	reach_from(&r, f);
	fprintf(out, "static const char *const ft_functions_%.*s[] = { ", k->length, k->text);
	for (int i = 0; i < r.count; i++)
		fprintf(out, "\"%.*s\", ", token_at(u, r.list[i]->name)->length,
			token_at(u, r.list[i]->name)->text);
	write_shared_names(u, r.list, r.count, out);
	fputs("0 };\n", out);
	reach_end(&r);
}

/* Writes the first argument of __launch_bounds__ in the definition or a prototype; "0" if neither
 * has it. */
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
	unit_write_source(u, open + 1, unit_declarator_end(u, open + 1), out);
	fputs(")", out);
}

/* Writes the arguments of __cluster_dims__ of the definition or a prototype; "0" if neither has
 * it. */
static void write_cluster(const struct unit *u, const struct function *f, FILE *out)
{
	int open = f->cluster;

	for (int i = 0; i < u->function_count && open < 0; i++)
		if (token_same(token_at(u, u->functions[i].name), token_at(u, f->name)))
			open = u->functions[i].cluster;
	code_table_cluster(u, open, out);
}

void code_table_cluster(const struct unit *u, int open, FILE *out)
{
	fputs("{ ", out);
	if (open < 0)
		fputs("0", out);
	else
		unit_write_source(u, open + 1, token_at(u, open)->match, out);
	fputs(" }", out);
}

static bool is_in(const struct token *t, const char *folder)
{
	return memmem(t->file, (size_t)t->file_length, folder, strlen(folder)) != NULL;
}

/* Headers that every C++ file includes, whether it uses them or not. */
static bool is_in_ptx_header(const struct token *t)
{
	static const char *const names[] = { "sim/cuda/ptx/", "sim/cuda/mbarrier.h" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (is_in(t, names[i]))
			return true;
	return false;
}

/* A call of a barrier with a number, or the type of a tile, which has one if it is wider than a
 * warp. The headers that declare both are read with files that use neither. */
static bool is_named_barrier(const struct unit *u, int at)
{
	const struct token *t = token_at(u, at), *width = token_at(u, at + 2);

	if (token_is(t, "ft_named_barrier"))
		return !is_in(t, "sim/cuda/");
	return (token_is(t, "tiled_partition") || token_is(t, "thread_block_tile"))
		&& !is_in(t, "sim/cuda/") && token_is(token_at(u, at + 1), "<")
		&& !(isdigit((unsigned char)*width->text) && strtoul(width->text, NULL, 0) <= 32);
}

/* A call of a barrier of a cluster or the grid whose arrivals are apart from its waits, or the
 * group with that of a cluster. */
static bool is_split_barrier(const struct unit *u, int at)
{
	static const char *const names[] = {
		"ft_cluster_arrive", "ft_cluster_wait", "ft_cluster_sync", "cluster_group",
		"this_cluster", "barrier_arrive", NULL
	};
	const struct token *t = token_at(u, at);

	return token_among(t, names) && !is_in(t, "sim/cuda/");
}

/* A fence, or a barrier in shared memory, of a cluster, or with a number. Names come first: a text
 * has many tokens, and few of these. */
static bool is_order_name(const struct unit *u, int at)
{
	static const char barrier[] = "ft_mbarrier_";
	const struct token *t = token_at(u, at);

	if (t->length >= (int)sizeof barrier
	    && memcmp(t->text, barrier, sizeof barrier - 1) == 0)
		return true;
	if (is_named_barrier(u, at) || is_split_barrier(u, at))
		return true;
	return token_is(t, "ft_fence") && !token_is(token_at(u, at + 2), "int");
}

static bool is_order(const struct unit *u, int at)
{
	return is_order_name(u, at) && !is_in_ptx_header(token_at(u, at));
}

/* sim/cuda/cuda_c.h has already expanded fences and barriers to calls. */
bool code_table_orders_some(const struct unit *u)
{
	for (int i = 0; i + 2 < u->tokens.count; i++) {
		if (is_order(u, i))
			return true;
		if (token_is(token_at(u, i), "FT_SYNC")
		    && !token_is(token_at(u, i + 2), "0xffffffffu")
		    && strncmp(token_at(u, i + 2)->text, "FT_", 3) != 0)
			return true;
	}
	return unit_ptx_orders_some(u);
}

static bool is_atomic_name(const struct token *t)
{
	static const char c_name[] = "_u32";    /* ft_add_u32, to which atomicAdd() expands in C */

	if (t->length > 6 && strncmp(t->text, "atomic", 6) == 0)
		return true;
	if (t->length > 8 && strncmp(t->text, "__atomic", 8) == 0)
		return true;
	return t->length > 7 && strncmp(t->text, "ft_", 3) == 0
		&& memmem(t->text, (size_t)t->length, c_name, sizeof c_name - 1);
}

bool code_table_orders_seen(const struct unit *u)
{
	static const char own[] = "sim/cuda/";

	for (int i = 0; i < u->tokens.count; i++) {
		const struct token *t = token_at(u, i);

		if (!t->system && (token_is(t, "volatile") || is_atomic_name(t))
		    && !memmem(t->file, (size_t)t->file_length, own, sizeof own - 1))
			return true;
	}
	return unit_ptx_orders_seen(u) || code_table_orders_some(u);
}

/* Writes the struct sim_code. Builds loaded at run time list their shared variables in it. */
static void write_code(const struct unit *u, const struct function *f, int count,
		       const char *variant, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	int n = k->length;

	/* The declaration is for -Wmissing-variable-declarations. */
	fprintf(out, "extern const struct sim_code ft_code_%.*s_%s;\n", n, k->text, variant);
	fprintf(out, "const struct sim_code ft_code_%.*s_%s = { \"%.*s\", \"%.*s\", ", n, k->text,
		variant, n, k->text, k->file_length, k->file);
	if (count > 0)
		fprintf(out, "ft_params_%.*s, %d, ", n, k->text, count);
	else
		fputs("0, 0, ", out);
	write_bounds(u, f, out);
	fprintf(out, ", ft_functions_%.*s, ft_run_%.*s, \"%.*s.%s\", %s, %d, %d,"
		" __start_ft_constant, __stop_ft_constant, 0, ", n, k->text, n,
		k->text, u->tokens.file_length, u->tokens.file, variant,
		u->mode.user ? "ft_shared_list" : "0", code_table_orders_some(u),
		code_table_orders_seen(u));
	write_cluster(u, f, out);
	fputs(" };\n", out);
}

static enum status write_kernel(const struct unit *u, const struct function *f, const char *variant,
				FILE *out)
{
	struct parameter *list;
	int count;

	TRY(parameters_read(u, f, &list, &count));
	write_run(u, f, list, count, out);
	write_parameters(u, f, list, count, out);
	write_functions(u, f, out);
	write_code(u, f, count, variant, out);
	parameters_free(list, count);
	return STATUS_OK;
}

enum status code_table_write(const struct unit *u, const char *variant, FILE *out)
{
	/* Keeps diagnostics about the tables from naming lines of the kernel's source. */
	fputs("\n# 1 \"<kernel table>\"\n", out);
	for (int i = 0; i < u->function_count; i++) {
		const struct function *f = &u->functions[i];

		if (f->kernel && f->body >= 0)
			TRY(write_kernel(u, f, variant, out));
	}
	return STATUS_OK;
}

/* --- one kernel of a user's file --- */

/* Lists the shared variables of this object: the linker defines symbols for the ends of the
 * section. */
static const char shared_list[] =
	"extern struct kernel_shared __start_ft_shared[]"
	" __attribute__((weak, visibility(\"hidden\")));\n"
	"extern struct kernel_shared __stop_ft_shared[]"
	" __attribute__((weak, visibility(\"hidden\")));\n"
	"static size_t ft_shared_list(const struct sim_code *code, struct kernel_shared **first) {"
	" (void)code; *first = __start_ft_shared;"
	" return __start_ft_shared ? (size_t)(__stop_ft_shared - __start_ft_shared) : 0; }\n";

/* Whether names stand between the parentheses at `open`, if that is one. */
static bool has_names(const struct unit *u, int open)
{
	for (int i = open + 1; open >= 0 && i < token_at(u, open)->match; i++)
		if (token_at(u, i)->kind == TOKEN_IDENTIFIER)
			return true;
	return false;
}

/* In C++ templates derive the types from the kernel's address (sim/cuda/cuda_cpp.h). Launch bounds
 * are left out for a template, because they may depend on its parameters, and so is the size of a
 * cluster that does. */
static enum status write_cpp_kernel(const struct unit *u, const struct function *f,
				    const char *kernel, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	struct parameter *list;
	char *address;
	int count;

	TRY(parameters_read(u, f, &list, &count));
	address = kernel_address_expression(kernel);
	fprintf(out, "typedef ft_kernel<decltype(%s)> ft_user_kernel;\n", address);
	fprintf(out, "static void __attribute__((no_sanitize_thread, no_sanitize_coverage))"
		" ft_run(void *const *a) { ft_user_kernel::run(%s, a); }\n",
		address);
	fputs("static const struct kernel_param ft_params[] = {\n", out);
	for (int i = 0; i < count; i++) {
		const struct token *name = token_at(u, list[i].name);

		fprintf(out, "ft_user_kernel::param<%d>(\"%.*s\", \"%s\"),\n", i, name->length,
			name->text, list[i].type);
	}
	fputs("{ 0, 0, PARAM_BLOB, 0, 0, 0 } };\n", out);
	parameters_free(list, count);
	write_functions(u, f, out);
	fprintf(out, "static const struct sim_code ft_code = { \"%.*s\", \"%.*s\", ft_params, %d, ",
		k->length, k->text, k->file_length, k->file, count);
	if (strchr(kernel, '<'))
		fputs("0", out);
	else
		write_bounds(u, f, out);
	fprintf(out, ", ft_functions_%.*s, ft_run, \"%s\", ft_shared_list, %s, %s,"
		" __start_ft_constant, __stop_ft_constant, 0, ", k->length, k->text,
		FT_USER_UNIT, code_table_orders_some(u) ? "true" : "false",
		code_table_orders_seen(u) ? "true" : "false");
	if (strchr(kernel, '<') && has_names(u, f->cluster))
		code_table_cluster(u, -1, out);
	else
		write_cluster(u, f, out);
	fputs(" };\n", out);
	fprintf(out, "extern \"C\" { extern const struct sim_code *const ft_user_code;"
		" const struct sim_code *const ft_user_code = &ft_code;"
		" extern void *const ft_user_entry; void *const ft_user_entry = (void *)%s; }\n",
		address);
	free(address);
	return STATUS_OK;
}

enum status code_table_write_one(const struct unit *u, const char *variant, const char *kernel,
				 FILE *out)
{
	const struct token name = kernel_choice_name(kernel);
	const struct function *f;

	TRY(kernel_choice_find(u, kernel, &f));
	if (kernel_choice_is_template(u, f) != (strchr(name.text, '<') != NULL))
		return fail(STATUS_USAGE, kernel_choice_is_template(u, f)
			    ? "--kernel %s: %.*s:%d is a template: expected its arguments, as in "
			      "'k<float>'" : "--kernel %s: %.*s:%d is not a template",
			    kernel, token_at(u, f->name)->file_length, token_at(u, f->name)->file,
			    token_at(u, f->name)->line);
	fputs("\n# 1 \"<kernel table>\"\n", out);
	variables_write(u, out);
	if (u->mode.cplusplus)
		return write_cpp_kernel(u, f, kernel, out);
	fputs(shared_list, out);
	TRY(write_kernel(u, f, variant, out));
	fprintf(out, "extern const struct sim_code *const ft_user_code;\n"
		"const struct sim_code *const ft_user_code = &ft_code_%.*s_%s;\n", name.length,
		name.text, variant);
	return STATUS_OK;
}
