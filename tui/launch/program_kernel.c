/* program_kernel.c - describes a kernel of a program for devices; see program_kernel.h. */
#include "config.h"

#include "tui/launch/program_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/launch/gpu_code.h"
#include "tui/launch/user_kernel.h"

struct program_kernel {
	struct sim_code sim;            /* first: shared_of() is called with it */
	struct kernel kernel;
	struct kernel_code code;
	struct kernel_param *params;
	char *short_name;               /* "k<float, 64>" */
	char *name;                     /* the same, or longer */
	char *names, *types;            /* that params refer to */
	struct kernel_shared *shared;
	size_t shared_count;
	const char *functions[2];
	struct kernel_variable *variables;
	struct kernel_source *sources;
};

/* "a\nb" as strings: the caller's params refer to a copy of the text. The last one stands for all
 * further parameters. */
static void split(char *text, unsigned count, struct kernel_param *params, bool types)
{
	char *at = text;

	for (unsigned i = 0; i < count; i++) {
		char *end = strchr(at, '\n');

		if (types)
			params[i].type = at;
		else
			params[i].name = at;
		if (end) {
			*end = '\0';
			at = end + 1;
		}
	}
}

/* The end of a template argument at `at`: a ';' or the last ']', outside of brackets. */
static const char *argument_end(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (strchr("([{<", *at))
			depth++;
		else if (strchr(")}>", *at) || (*at == ']' && depth > 0))
			depth--;
		else if (depth <= 0 && (*at == ';' || *at == ']'))
			break;
	}
	return at;
}

/* main() has another name in the rewritten text. */
static void write_argument(const char *text, size_t length, FILE *out)
{
	static const char name[] = "ft_main(";
	const char *found = memmem(text, length, name, sizeof name - 1);

	if (found) {
		fprintf(out, "%.*s", (int)(found - text), text);
		length -= (size_t)(found + 3 - text);
		text = found + 3;
	}
	fprintf(out, "%.*s", (int)length, text);
}

/* "k<float, 64>", from "void k(T *) [with T = float; int N = 64]"; the caller frees it. Kernels of
 * one name are told apart by it. */
static char *full_name(const struct kernel_entry *e)
{
	const char *at = strstr(e->signature, " [with ");
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!at)
		return xstrdup(e->name);
	out = xcheck(open_memstream(&text, &size));
	fprintf(out, "%s", e->name);
	for (const char *separator = "<"; (at = strstr(at, " = ")); separator = ", ") {
		const char *end = argument_end(at + 3);

		fputs(separator, out);
		write_argument(at + 3, (size_t)(end - at - 3), out);
		at = end;
	}
	fputs(">", out);
	fclose(out);
	return xcheck(text);
}

static size_t shared_of(const struct sim_code *code, struct kernel_shared **first)
{
	const struct program_kernel *k = (const struct program_kernel *)code;

	*first = k->shared;
	return k->shared_count;
}

/* Copies the records of the kernel's shared variables under its own name, because one function of
 * a file may be reached by several kernels. */
static void copy_shared(struct program_kernel *k, const struct kernel_shared *const *records,
			size_t count)
{
	k->shared = xcalloc(count + 1, sizeof *k->shared);
	for (size_t i = 0; i < count; i++) {
		k->shared[i] = *records[i];
		k->shared[i].function = k->kernel.symbol;
		k->shared[i].unit = k->sim.unit;
	}
	k->shared_count = count;
}

/* The plain build and the probed one are the same. */
static void add_gpu_code(struct program_kernel *k, const struct gpu_code *gpu)
{
	for (int i = 0; i < 2; i++) {
		k->code.fatbin[i] = gpu_code_image(gpu);
		k->code.fatbin_bytes[i] = gpu_code_bytes(gpu);
	}
	k->code.fatbin_symbol = gpu_code_kernel(gpu, k->kernel.symbol);
}

struct program_kernel *program_kernel_new(const struct program_kernel_source *s)
{
	const struct kernel_entry *e = s->entry;
	struct program_kernel *k = xcalloc(1, sizeof *k);

	k->params = xcalloc((size_t)e->param_count + 1, sizeof *k->params);
	memcpy(k->params, e->params, e->param_count * sizeof *k->params);
	k->names = xstrdup(e->names);
	k->types = xstrdup(e->types);
	split(k->names, e->param_count, k->params, false);
	split(k->types, e->param_count, k->params, true);
	k->short_name = full_name(e);
	k->name = xstrdup(k->short_name);
	k->functions[0] = s->function;
	k->sim = (struct sim_code){
		.name = k->name, .file = e->file, .params = k->params,
		.param_count = (int)e->param_count, .max_threads = e->max_threads,
		.cluster = e->cluster,
		.functions = k->functions, .run = e->run, .unit = s->file, .shared = shared_of,
		.orders_some = e->orders_some, .orders_seen = e->orders_seen,
		.constants = s->constants, .constants_end = s->constants_end,
		.constant_bytes = s->constant_bytes,
	};
	k->code = (struct kernel_code){
		.sim = { { &k->sim, NULL }, { &k->sim, NULL } }, .checked = &k->sim,
		.sources = s->sources,
	};
	k->kernel = (struct kernel){
		.name = k->name, .symbol = s->function, .summary = "", .origin = "cuda_c",
		.code = &k->code, .variables = s->variables, .point_names = s->points,
		.points = s->points ? user_kernel_count_points : NULL,
	};
	k->variables = s->variables;
	k->sources = s->sources;
	if (s->gpu)
		add_gpu_code(k, s->gpu);
	copy_shared(k, s->records, s->record_count);
	return k;
}

const struct kernel *program_kernel_of(const struct program_kernel *k)
{
	return &k->kernel;
}

/* Takes over the name. */
static void set_name(struct program_kernel *k, char *name)
{
	free(k->name);
	k->name = name;
	k->sim.name = k->kernel.name = name;
}

/* The caller frees it. */
static char *name_with_types(const struct program_kernel *k)
{
	char *text = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	fprintf(out, "%s(", k->short_name);
	for (int i = 0; i < k->sim.param_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", k->params[i].type);
	fputs(")", out);
	fclose(out);
	return xcheck(text);
}

bool program_kernel_same_types(const struct program_kernel *a, const struct program_kernel *b)
{
	bool same = a->sim.param_count == b->sim.param_count;

	for (int i = 0; i < a->sim.param_count && same; i++)
		same = strcmp(a->params[i].type, b->params[i].type) == 0;
	return same;
}

void program_kernel_add_types(struct program_kernel *k)
{
	set_name(k, name_with_types(k));
}

void program_kernel_number(struct program_kernel *k, size_t number)
{
	set_name(k, xasprintf("%s#%zu", k->name, number));
}

bool program_kernel_is(const struct program_kernel *k, const char *name)
{
	const char *number = strrchr(name, '#');
	size_t length = number ? (size_t)(number - name) : strlen(name);
	char *typed = name_with_types(k);
	bool is = (strlen(typed) == length && strncmp(name, typed, length) == 0)
		|| (strlen(k->short_name) == length && strncmp(name, k->short_name, length) == 0);

	free(typed);
	return is;
}

void program_kernel_free(struct program_kernel *k)
{
	free(k->variables);
	free(k->sources);
	free(k->params);
	free(k->short_name);
	free(k->name);
	free(k->names);
	free(k->types);
	free(k->shared);
	free(k);
}
