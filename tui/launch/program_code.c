/* program_code.c - the kernels and device variables of a program; see program_code.h.
 *
 * Host code refers to a kernel by its stub, to a device variable by a variable of the same name.
 * Both have the same mangled name in the object of the device, so symbol tables lead from an
 * address of the host to the kernel's entry, and to the variable's memory.
 */
#include "config.h"

#include "tui/launch/program_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/launch/gpu_code.h"
#include "tui/launch/imports.h"
#include "tui/launch/parameter_space.h"
#include "tui/launch/program_kernel.h"
#include "tui/launch/program_parts.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_text.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

/* --- kernels --- */

/* Gives the records of the kernels' shared variables; the caller frees the list. */
static const struct kernel_shared **find_records(const struct far_list *far, size_t *count)
{
	const struct kernel_shared **list = NULL;

	*count = 0;
	for (size_t k = 0; k < far->count; k++) {
		const struct loaded *l = &far->at[k].unit->shared;
		const struct name_list *names = &far->at[k].kernel->records;

		list = xreallocarray(list, *count + names->count + 1, sizeof *list);
		for (size_t i = 0; i < names->count; i++) {
			const struct place *p = program_variable_place(l, names->at[i]);

			if (p)
				list[(*count)++] = (const struct kernel_shared *)
					(l->base + p->value);
		}
	}
	return list;
}

/* The variables of all units; the list ends with a name of NULL. */
static struct kernel_variable *find_variables(const struct far_list *far)
{
	struct kernel_variable *list = xcalloc(1, sizeof *list);
	size_t count = 0;

	for (size_t k = 0; k < far->count; k++) {
		struct kernel_variable *more = program_variables_of(far->at[k].unit,
								    far->at[k].kernel);

		for (size_t i = 0; more[i].name; i++) {
			list = xreallocarray(list, count + 2, sizeof *list);
			list[count++] = more[i];
			list[count] = (struct kernel_variable){ 0 };
		}
		free(more);
	}
	return list;
}

static bool has_source(const struct kernel_source *list, size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].file, file) == 0)
			return true;
	return false;
}

/* The sources of all units, each file once; those of the kernel's own come first. */
static struct kernel_source *find_sources(const struct far_list *far)
{
	struct kernel_source *list = xcalloc(1, sizeof *list);
	size_t count = 0;

	for (size_t k = 0; k < far->count; k++) {
		const struct unit_code *u = far->at[k].unit;

		for (int i = 0; i < u->source_count; i++) {
			if (has_source(list, count, u->sources[i].file))
				continue;
			list = xreallocarray(list, count + 2, sizeof *list);
			list[count++] = u->sources[i];
			list[count] = (struct kernel_source){ 0 };
		}
	}
	return list;
}

static struct program_kernel *new_kernel(const struct program_code *c, const struct unit_code *u,
					 const struct reached *r)
{
	struct far_list far = { 0 };
	char *name = reached_entry(r->function);
	const struct place *entry = program_variable_place(&u->shared, name);
	const struct kernel_shared **records;
	struct program_kernel *k;

	free(name);
	if (!entry)
		return NULL;
	struct program_kernel_source source = {
		.gpu = u->gpu,
		.entry = (const struct kernel_entry *)(u->shared.base + entry->value),
		.function = r->function, .file = u->file,
		.points = u->points,
		.constant_bytes = u->shared.constant_bytes,
	};
	if (source.constant_bytes) {
		source.constants = (const char *)(u->shared.base + u->shared.constants);
		source.constants_end = (const char *)(u->shared.base + u->shared.constants_end);
	}
	program_far_add(c, &far, (struct far){ u, r });
	records = find_records(&far, &source.record_count);
	source.records = records;
	source.variables = find_variables(&far);
	source.sources = find_sources(&far);
	k = program_kernel_new(&source);
	free(records);
	free(far.at);
	return k;
}

static enum status add_kernels(struct program_code *c, const struct unit_code *u)
{
	c->kernels = xreallocarray(c->kernels, c->kernel_count + u->kernel_count + 1,
				   sizeof *c->kernels);
	for (size_t i = 0; i < u->kernel_count; i++) {
		struct program_kernel *k = u->kernels[i].refused ? NULL
			: new_kernel(c, u, &u->kernels[i]);

		if (!k)
			continue;
		c->kernels[c->kernel_count++] = k;
		TRY(parameter_space_check(program_kernel_of(k)->code->sim[0][0]));
	}
	return STATUS_OK;
}

/* Whether another kernel has its name, but other types. */
static bool is_overload(const struct program_code *c, size_t i)
{
	const char *name = program_kernel_of(c->kernels[i])->name;

	for (size_t k = 0; k < c->kernel_count; k++)
		if (strcmp(program_kernel_of(c->kernels[k])->name, name) == 0
		    && !program_kernel_same_types(c->kernels[i], c->kernels[k]))
			return true;
	return false;
}

/* Traces refer to kernels by name: overloads get their types, and what is still the same, as for
 * lambdas and static kernels of several files, a number in the order of files and symbols. */
static void name_overloads(struct program_code *c)
{
	bool *overload = xcalloc(c->kernel_count + 1, sizeof *overload);

	for (size_t i = 0; i < c->kernel_count; i++)
		overload[i] = is_overload(c, i);
	for (size_t i = 0; i < c->kernel_count; i++)
		if (overload[i])
			program_kernel_add_types(c->kernels[i]);
	free(overload);
}

static void number_kernels(struct program_code *c)
{
	for (size_t i = c->kernel_count; i-- > 1; ) {
		const char *name = program_kernel_of(c->kernels[i])->name;
		size_t same = 1;

		for (size_t k = 0; k < i; k++)
			same += strcmp(program_kernel_of(c->kernels[k])->name, name) == 0;
		if (same > 1)
			program_kernel_number(c->kernels[i], same);
	}
}

static const struct kernel *find_kernel(void *context, const void *stub)
{
	struct program_code *c = context;
	const struct place *p = program_place_at(&c->host, c->host.functions,
						 c->host.function_count, stub);

	for (size_t i = 0; p && i < c->kernel_count; i++)
		if (strcmp(program_kernel_of(c->kernels[i])->symbol, p->name) == 0)
			return program_kernel_of(c->kernels[i]);
	return NULL;
}

static const struct kernel *find_named(void *context, const char *name)
{
	struct program_code *c = context;

	for (size_t i = 0; i < c->kernel_count; i++)
		if (strcmp(program_kernel_of(c->kernels[i])->name, name) == 0)
			return program_kernel_of(c->kernels[i]);
	/* In a trace its name may tell it apart from one of a file without launches. */
	for (size_t i = 0; c->any && i < c->kernel_count; i++)
		if (program_kernel_is(c->kernels[i], name))
			return program_kernel_of(c->kernels[i]);
	return NULL;
}

static bool has_point(void *context, const char *name, size_t length)
{
	const struct program_code *c = context;

	for (size_t i = 0; i < c->unit_count; i++)
		for (const char *const *at = c->units[i].points; at && *at; at++)
			if (strlen(*at) == length && strncmp(*at, name, length) == 0)
				return true;
	return false;
}

enum status program_code_ready(struct program_code *c)
{
	for (size_t i = 0; i < c->unit_count; i++) {
		if (!program_symbols_base(&c->units[i].shared))
			return fail(STATUS_INTERNAL, "%s: not loaded", c->units[i].file);
		program_variables_list(&c->units[i]);
	}
	program_variables_join(c);
	for (size_t i = 0; i < c->unit_count; i++)
		program_far_ready(c, &c->units[i]);
	for (size_t i = 0; i < c->unit_count; i++)
		TRY(add_kernels(c, &c->units[i]));
	name_overloads(c);
	number_kernels(c);
	kernel_register_set(&c->set);
	return STATUS_OK;
}

const struct kernel_variable *program_code_variables(const struct program_code *c)
{
	return c->variables;
}

/* --- the program --- */

struct program_code *program_code_new(const char *host)
{
	struct program_code *c = xcalloc(1, sizeof *c);

	c->any = !host;
	c->host.path = host ? xstrdup(host) : NULL;
	c->runtime = (struct runtime_program){
		.context = c, .kernel = find_kernel, .variable = program_variables_shadowed,
	};
	c->set = (struct kernel_set){
		.context = c, .find = find_named, .variable = program_variables_named,
		.point = has_point,
	};
	return c;
}

static enum status unreadable(const char *file)
{
	return fail(STATUS_COMPILE, "%s: the compiler made no object that this program can read: "
		    "expected ELF64", file);
}

static enum status read_sources(struct unit_code *u, const struct program_unit *from)
{
	char *text;
	size_t bytes;
	enum status status;

	u->sources = xcalloc(2, sizeof *u->sources);
	TRY(file_read(from->file, SOURCE_LIMIT, &text, &bytes));
	u->sources[u->source_count++] = (struct kernel_source){ xstrdup(u->file), text };
	TRY(file_read(from->preprocessed, SOURCE_LIMIT, &text, &bytes));
	status = user_headers_find(text, from->file, from->sandbox, &u->sources,
				   &u->source_count);
	if (status == STATUS_OK)
		u->lockstep = user_text_lockstep(text, u->sources);
	if (u->lockstep)
		u->lockstep = user_headers_show_all(u->lockstep, from->changes);
	free(text);
	for (int i = 1; i < u->source_count; i++)
		u->sources[i].file = user_headers_show_all((char *)(uintptr_t)u->sources[i].file,
							   from->changes);
	return status;
}

enum status program_code_add(struct program_code *c, const struct program_unit *from)
{
	struct unit_code *u;
	bool valid;

	c->units = xreallocarray(c->units, c->unit_count + 1, sizeof *c->units);
	u = &c->units[c->unit_count++];
	*u = (struct unit_code){
		.file = user_headers_show_all(xstrdup(from->file), from->changes),
		.preprocessed = xstrdup(from->preprocessed),
		.shared.path = xstrdup(from->shared), .points = from->points,
		.number = from->number,
	};
	TRY(read_sources(u, from));
	if (from->fatbin)
		TRY(gpu_code_read(from->fatbin, &u->gpu));
	TRY(reached_list(from->object, &u->kernels, &u->kernel_count, &valid));
	return valid ? STATUS_OK : unreadable(from->file);
}

enum status program_code_add_host(struct program_code *c, const char *object)
{
	bool valid;

	TRY(reached_functions(object, &c->used, &valid));
	return valid ? STATUS_OK : unreadable(object);
}

/* What a kernel that is launched could not do; NULL: nothing. */
static const char *refused_symbol(const struct program_code *c, const struct unit_code *u,
				  const struct reached *r, const char *lists)
{
	for (size_t k = 0; k < r->undefined.count; k++)
		if (!imports_listed(lists, r->undefined.at[k])
		    && !program_far_find(c, u, r->undefined.at[k]).unit)
			return r->undefined.at[k];
	return NULL;
}

static enum status check_unit(const struct program_code *c, const struct unit_code *u,
			      const char *lists)
{
	for (size_t i = 0; i < u->kernel_count; i++) {
		struct reached *r = &u->kernels[i];
		const char *symbol = refused_symbol(c, u, r, lists);

		r->refused = symbol != NULL;
		if (!symbol || c->any || !name_list_has(&c->used, r->function))
			continue;
		return imports_refuse(u->file, u->preprocessed, symbol);
	}
	return STATUS_OK;
}

enum status program_code_check(const struct program_code *c)
{
	char *lists;
	enum status status;

	status = imports_read_lists(&lists);
	for (size_t i = 0; i < c->unit_count && status == STATUS_OK; i++)
		status = check_unit(c, &c->units[i], lists);
	free(lists);
	return status;
}

enum status program_code_load(struct program_code *c)
{
	if (!c->any)
		TRY(program_symbols_read(&c->host));
	for (size_t i = 0; i < c->unit_count; i++)
		TRY(program_symbols_read(&c->units[i].shared));
	return STATUS_OK;
}

const char *program_code_lockstep(const struct program_code *c)
{
	for (size_t i = 0; i < c->unit_count; i++)
		if (c->units[i].lockstep)
			return c->units[i].lockstep;
	return NULL;
}

const struct runtime_program *program_code_runtime(struct program_code *c)
{
	return &c->runtime;
}

void program_code_free(struct program_code *c)
{
	if (!c)
		return;
	kernel_register_set(NULL);
	for (size_t i = 0; i < c->kernel_count; i++)
		program_kernel_free(c->kernels[i]);
	free(c->kernels);
	free(c->variables);
	for (size_t i = 0; i < c->unit_count; i++) {
		struct unit_code *u = &c->units[i];

		for (int k = 0; k < u->source_count; k++) {
			free((char *)(uintptr_t)u->sources[k].file);
			free((char *)(uintptr_t)u->sources[k].text);
		}
		free(u->sources);
		free(u->file);
		free(u->preprocessed);
		free(u->lockstep);
		gpu_code_free(u->gpu);
		program_symbols_free(&u->shared);
		program_variables_free(u);
		reached_free(u->kernels, u->kernel_count);
	}
	free(c->units);
	program_symbols_free(&c->host);
	name_list_free(&c->used);
	free(c);
}
