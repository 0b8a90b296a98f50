/* program_code.c - the kernels and device variables of a program; see program_code.h.
 *
 * Host code refers to a kernel by its stub, to a device variable by a variable of the same name.
 * Both have the same mangled name in the object of the device, so symbol tables lead from an
 * address of the host to the kernel's entry, and to the variable's memory.
 */
#include "config.h"

#include "tui/launch/program_code.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "engine/runtime/runtime.h"
#include "kernels/kernel_table.h"
#include "tui/launch/imports.h"
#include "tui/launch/object.h"
#include "tui/launch/program_kernel.h"
#include "tui/launch/program_reach.h"
#include "tui/launch/user_headers.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

/* A symbol of a shared object that is a function or a variable. */
struct place {
	const char *name;
	uint64_t value, bytes;
};

/* A shared object: its symbols, by value. */
struct loaded {
	char *path;
	struct object object;
	struct place *functions, *variables;
	size_t function_count, variable_count;
	bool based;
	uintptr_t base;                 /* where it is loaded, if `based` */
};

/* The device object of one file. */
struct unit_code {
	char *file, *preprocessed;
	struct kernel_source *sources;  /* the file, the user's headers, and the end */
	int source_count;
	struct loaded shared;
	struct reached *kernels;
	size_t kernel_count;
};

struct program_code {
	struct loaded host;
	struct unit_code *units;
	size_t unit_count;
	struct name_list used;          /* functions that host code refers to */
	struct program_kernel **kernels;        /* that host code has launched */
	size_t launched_count;
	struct runtime_program runtime;
};

/* --- symbols of a shared object --- */

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void add_place(struct place **list, size_t *count, const struct object *o,
		      const Elf64_Sym *s)
{
	if ((*count & (*count - 1)) == 0)
		*list = xreallocarray(*list, 2 * *count + 1, sizeof **list);
	(*list)[(*count)++] = (struct place){ object_symbol_name(o, s), s->st_value, s->st_size };
}

static enum status read_loaded(struct loaded *l)
{
	bool valid;

	TRY(object_open(l->path, ET_DYN, &l->object, &valid));
	if (!valid)
		return fail(STATUS_COMPILE, "%s: the linker made no ELF64 object", l->path);
	for (size_t i = 1; i < l->object.symbol_count; i++) {
		const Elf64_Sym *s = &l->object.symbols[i];

		if (s->st_shndx == SHN_UNDEF)
			continue;
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			add_place(&l->functions, &l->function_count, &l->object, s);
		else if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT)
			add_place(&l->variables, &l->variable_count, &l->object, s);
	}
	if (l->function_count)
		qsort(l->functions, l->function_count, sizeof *l->functions, compare_places);
	if (l->variable_count)
		qsort(l->variables, l->variable_count, sizeof *l->variables, compare_places);
	return STATUS_OK;
}

static void free_loaded(struct loaded *l)
{
	free(l->path);
	free(l->functions);
	free(l->variables);
	object_close(&l->object);
}

/* Where the object is loaded: also while dlopen() still runs its initialisers. */
static bool find_base(struct loaded *l)
{
	struct link_map *map;
	void *handle;

	if (l->based)
		return true;
	handle = dlopen(l->path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	l->base = map->l_addr;
	l->based = true;
	return true;
}

/* The place that contains the address; NULL if none does. */
static const struct place *place_at(struct loaded *l, const struct place *list, size_t count,
				    const void *address)
{
	uint64_t value;
	size_t low = 0, high = count;

	if (!find_base(l))
		return NULL;
	value = (uintptr_t)address - l->base;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].value <= value)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && value - list[low - 1].value < list[low - 1].bytes; low--)
		if (low == 1 || list[low - 2].value != list[low - 1].value)
			return &list[low - 1];
	return NULL;
}

static const struct place *place_named(const struct place *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

/* --- kernels --- */

/* Gives the records of the kernel's shared variables; the caller frees the list. */
static const struct kernel_shared **find_records(const struct loaded *l, const struct reached *r,
						 size_t *count)
{
	const struct kernel_shared **list = xcalloc(r->records.count + 1, sizeof *list);

	*count = 0;
	for (size_t i = 0; i < r->records.count; i++) {
		const struct place *p = place_named(l->variables, l->variable_count,
						    r->records.at[i]);

		if (p)
			list[(*count)++] = (const struct kernel_shared *)(l->base + p->value);
	}
	return list;
}

/* Names are keys in a trace. */
static void number_kernel(const struct program_code *c, struct program_kernel *k)
{
	const char *name = program_kernel_of(k)->name;
	size_t length = strlen(name), same = 0;

	for (size_t i = 0; i < c->launched_count; i++) {
		const char *other = program_kernel_of(c->kernels[i])->name;

		same += strncmp(other, name, length) == 0
			&& (other[length] == '\0' || other[length] == '#');
	}
	if (same > 0)
		program_kernel_number(k, same + 1);
}

static const struct kernel *add_kernel(struct program_code *c, const struct unit_code *u,
				       const struct reached *r, const struct place *entry)
{
	struct program_kernel_source source = {
		.entry = (const struct kernel_entry *)(u->shared.base + entry->value),
		.function = r->function, .file = u->file, .sources = u->sources,
	};
	const struct kernel_shared **records = find_records(&u->shared, r, &source.record_count);

	source.records = records;
	c->kernels = xreallocarray(c->kernels, c->launched_count + 1, sizeof *c->kernels);
	c->kernels[c->launched_count] = program_kernel_new(&source);
	free(records);
	number_kernel(c, c->kernels[c->launched_count]);
	return program_kernel_of(c->kernels[c->launched_count++]);
}

static const struct kernel *find_in_unit(struct program_code *c, struct unit_code *u,
					 const char *function)
{
	for (size_t i = 0; i < u->kernel_count; i++) {
		const struct place *entry;
		char *name;

		if (strcmp(u->kernels[i].function, function) != 0)
			continue;
		name = reached_entry(function);
		entry = place_named(u->shared.variables, u->shared.variable_count, name);
		free(name);
		return entry && find_base(&u->shared) ? add_kernel(c, u, &u->kernels[i], entry)
			: NULL;
	}
	return NULL;
}

static const struct kernel *find_kernel(void *context, const void *stub)
{
	struct program_code *c = context;
	const struct place *p = place_at(&c->host, c->host.functions, c->host.function_count,
					 stub);
	const struct kernel *found = NULL;

	if (!p)
		return NULL;
	for (size_t i = 0; i < c->launched_count; i++)
		if (strcmp(program_kernel_of(c->kernels[i])->symbol, p->name) == 0)
			return program_kernel_of(c->kernels[i]);
	for (size_t i = 0; i < c->unit_count && !found; i++)
		found = find_in_unit(c, &c->units[i], p->name);
	return found;
}

/* --- variables --- */

/* A __managed__ variable is in the device's code, and has no shadow. */
static bool find_managed(struct program_code *c, const void *at, void **address, size_t *bytes)
{
	for (size_t i = 0; i < c->unit_count; i++) {
		struct loaded *l = &c->units[i].shared;
		const struct place *found = place_at(l, l->variables, l->variable_count, at);

		if (!found)
			continue;
		*address = (void *)(uintptr_t)at;
		*bytes = found->bytes;
		return true;
	}
	return false;
}

static bool find_variable(void *context, const void *shadow, void **address, size_t *bytes)
{
	struct program_code *c = context;
	const struct place *p = place_at(&c->host, c->host.variables, c->host.variable_count,
					 shadow);

	for (size_t i = 0; p && i < c->unit_count; i++) {
		struct loaded *l = &c->units[i].shared;
		const struct place *found = place_named(l->variables, l->variable_count, p->name);

		if (!found || !find_base(l))
			continue;
		*address = (void *)(l->base + found->value);
		*bytes = found->bytes;
		return true;
	}
	return !p && find_managed(c, shadow, address, bytes);
}

/* --- the program --- */

struct program_code *program_code_new(const char *host)
{
	struct program_code *c = xcalloc(1, sizeof *c);

	c->host.path = xstrdup(host);
	c->runtime = (struct runtime_program){
		.context = c, .kernel = find_kernel, .variable = find_variable,
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
	free(text);
	return status;
}

enum status program_code_add(struct program_code *c, const struct program_unit *from)
{
	struct unit_code *u;
	bool valid;

	c->units = xreallocarray(c->units, c->unit_count + 1, sizeof *c->units);
	u = &c->units[c->unit_count++];
	*u = (struct unit_code){
		.file = xstrdup(from->file), .preprocessed = xstrdup(from->preprocessed),
		.shared.path = xstrdup(from->shared),
	};
	TRY(read_sources(u, from));
	TRY(reached_list(from->object, &u->kernels, &u->kernel_count, &valid));
	return valid ? STATUS_OK : unreadable(from->file);
}

enum status program_code_add_host(struct program_code *c, const char *object)
{
	bool valid;

	TRY(reached_functions(object, &c->used, &valid));
	return valid ? STATUS_OK : unreadable(object);
}

static enum status check_unit(const struct program_code *c, const struct unit_code *u,
			      const char *lists)
{
	for (size_t i = 0; i < u->kernel_count; i++) {
		const struct reached *r = &u->kernels[i];

		if (!name_list_has(&c->used, r->function))
			continue;
		if (name_list_has(&r->undefined, "ft_configure"))
			return fail(STATUS_COMPILE, "%s: a kernel launches another one: dynamic "
				    "parallelism is not supported", u->file);
		for (size_t k = 0; k < r->undefined.count; k++)
			if (!imports_listed(lists, r->undefined.at[k]))
				return imports_refuse(u->file, u->preprocessed,
						      r->undefined.at[k]);
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
	TRY(read_loaded(&c->host));
	for (size_t i = 0; i < c->unit_count; i++)
		TRY(read_loaded(&c->units[i].shared));
	return STATUS_OK;
}

const struct runtime_program *program_code_runtime(struct program_code *c)
{
	return &c->runtime;
}

void program_code_free(struct program_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->launched_count; i++)
		program_kernel_free(c->kernels[i]);
	free(c->kernels);
	for (size_t i = 0; i < c->unit_count; i++) {
		struct unit_code *u = &c->units[i];

		for (int k = 0; k < u->source_count; k++) {
			free((char *)(uintptr_t)u->sources[k].file);
			free((char *)(uintptr_t)u->sources[k].text);
		}
		free(u->sources);
		free(u->file);
		free(u->preprocessed);
		free_loaded(&u->shared);
		reached_free(u->kernels, u->kernel_count);
	}
	free(c->units);
	free_loaded(&c->host);
	name_list_free(&c->used);
	free(c);
}
