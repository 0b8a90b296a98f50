/* program_reach.c - follows relocations from a kernel's entry; see program_reach.h.
 *
 * Every function and variable has a section of its own, so what a kernel can use are the sections
 * that its entry leads to, and the undefined symbols that these refer to.
 */
#include "config.h"

#include "tui/launch/program_reach.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/launch/object.h"

/* Static members of instances of ft_shared_variable (sim/cuda/program.h). */
#define RECORD_PREFIX "_ZN18ft_shared_variableI"
#define RECORD_SUFFIX "E6recordE"
#define ENTRY_SUFFIX "E8ft_entry"

/* --- names --- */

bool name_list_has(const struct name_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->at[i], name) == 0)
			return true;
	return false;
}

void name_list_add(struct name_list *list, const char *name)
{
	if (name_list_has(list, name))
		return;
	list->at = xreallocarray(list->at, list->count + 1, sizeof *list->at);
	list->at[list->count++] = xstrdup(name);
}

void name_list_free(struct name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i]);
	free(list->at);
	*list = (struct name_list){ 0 };
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), size = strlen(suffix);

	return length > size && strcmp(name + length - size, suffix) == 0;
}

char *reached_entry(const char *function)
{
	if (strncmp(function, "_Z", 2) == 0)
		return xasprintf("_ZZ%s" ENTRY_SUFFIX, function + 2);
	return xasprintf("_ZZ%zu%s" ENTRY_SUFFIX, strlen(function), function);
}

/* The mangled name of the function whose local static has this name: `extern "C"` names are not
 * mangled. The caller frees it; NULL if it is no entry. */
static char *function_of_entry(const char *name)
{
	size_t length = strlen(name);
	char *end, *inner;
	unsigned long size;

	if (strncmp(name, "_ZZ", 3) != 0 || !ends_with(name, ENTRY_SUFFIX))
		return NULL;
	inner = xasprintf("%.*s", (int)(length - 3 - strlen(ENTRY_SUFFIX)), name + 3);
	size = strtoul(inner, &end, 10);
	if (isdigit((unsigned char)*inner) && strlen(end) == size) {
		char *plain = xstrdup(end);

		free(inner);
		return plain;
	}
	end = xasprintf("_Z%s", inner);
	free(inner);
	return end;
}

/* --- the graph of sections --- */

struct walk {
	const struct object *object;
	const Elf64_Shdr **relocations;         /* per section: those that apply to it, or NULL */
	bool *seen;
	size_t *todo;
	size_t todo_count;
	struct reached *out;
};

/* The cells of basic blocks, in one section, name the code of every function. */
static bool is_list_of_blocks(const struct object *o, size_t section)
{
	return strcmp(object_section_name(o, &o->sections[section]), "ft_cells") == 0;
}

static void visit(struct walk *w, size_t section)
{
	if (section == 0 || section >= w->object->section_count || w->seen[section]
	    || is_list_of_blocks(w->object, section))
		return;
	w->seen[section] = true;
	w->todo[w->todo_count++] = section;
}

static void follow(struct walk *w, const Elf64_Sym *symbol)
{
	const char *name = object_symbol_name(w->object, symbol);

	if (symbol->st_shndx == SHN_UNDEF && *name)
		name_list_add(&w->out->undefined, name);
	else
		visit(w, symbol->st_shndx);
}

static void walk_section(struct walk *w, size_t section)
{
	const Elf64_Rela *list;
	size_t count;

	if (!w->relocations[section])
		return;
	list = object_relocations(w->object, w->relocations[section], &count);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Sym *symbol = object_symbol_of(w->object, &list[i]);

		if (symbol)
			follow(w, symbol);
	}
}

static void list_records(const struct walk *w)
{
	for (size_t i = 1; i < w->object->symbol_count; i++) {
		const Elf64_Sym *s = &w->object->symbols[i];
		const char *name = object_symbol_name(w->object, s);

		if (s->st_shndx < w->object->section_count && w->seen[s->st_shndx]
		    && strncmp(name, RECORD_PREFIX, strlen(RECORD_PREFIX)) == 0
		    && ends_with(name, RECORD_SUFFIX))
			name_list_add(&w->out->records, name);
	}
}

/* Not constants that have relocations, nor the loader's own data. */
static bool is_variable(const struct object *o, const Elf64_Sym *s)
{
	static const char *const own[] = {
		"_ZN18ft_shared_variableI", "_ZGV", "_ZTV", "_ZTI", "ft_"
	};
	static const char constants[] = ".data.rel.ro";
	const char *name = object_symbol_name(o, s);
	const Elf64_Shdr *section = &o->sections[s->st_shndx];

	if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || s->st_size == 0
	    || !(section->sh_flags & SHF_WRITE) || ends_with(name, ENTRY_SUFFIX)
	    || !strncmp(object_section_name(o, section), constants, sizeof constants - 1))
		return false;
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (strncmp(name, own[i], strlen(own[i])) == 0)
			return false;
	return true;
}

static void list_variables(const struct walk *w)
{
	for (size_t i = 1; i < w->object->symbol_count; i++) {
		const Elf64_Sym *s = &w->object->symbols[i];

		if (s->st_shndx < w->object->section_count && w->seen[s->st_shndx]
		    && is_variable(w->object, s))
			name_list_add(&w->out->variables, object_symbol_name(w->object, s));
	}
}

static void walk_from(struct walk *w, const Elf64_Sym *entry)
{
	memset(w->seen, 0, w->object->section_count * sizeof *w->seen);
	visit(w, entry->st_shndx);
	while (w->todo_count > 0)
		walk_section(w, w->todo[--w->todo_count]);
	list_records(w);
	list_variables(w);
}

static void open_walk(struct walk *w, const struct object *o)
{
	*w = (struct walk){
		.object = o,
		.relocations = xcalloc(o->section_count, sizeof *w->relocations),
		.seen = xcalloc(o->section_count, sizeof *w->seen),
		.todo = xcalloc(o->section_count, sizeof *w->todo),
	};
	for (size_t i = 0; i < o->section_count; i++)
		if (o->sections[i].sh_type == SHT_RELA
		    && o->sections[i].sh_info < o->section_count)
			w->relocations[o->sections[i].sh_info] = &o->sections[i];
}

static void close_walk(struct walk *w)
{
	free(w->relocations);
	free(w->seen);
	free(w->todo);
}

/* --- kernels --- */

enum status reached_list(const char *path, struct reached **list, size_t *count, bool *valid)
{
	struct object object;
	struct walk w;
	enum status status = object_open(path, ET_REL, &object, valid);

	*list = NULL;
	*count = 0;
	if (status != STATUS_OK || !*valid) {
		object_close(&object);
		return status;
	}
	open_walk(&w, &object);
	for (size_t i = 1; i < object.symbol_count; i++) {
		const Elf64_Sym *s = &object.symbols[i];
		char *function = function_of_entry(object_symbol_name(&object, s));

		if (!function)
			continue;
		*list = xreallocarray(*list, *count + 1, sizeof **list);
		(*list)[*count] = (struct reached){ .function = function };
		w.out = &(*list)[(*count)++];
		walk_from(&w, s);
	}
	close_walk(&w);
	object_close(&object);
	return STATUS_OK;
}

void reached_free(struct reached *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].function);
		name_list_free(&list[i].records);
		name_list_free(&list[i].variables);
		name_list_free(&list[i].undefined);
	}
	free(list);
}

/* --- functions that host code refers to --- */

/* Debug information and tables of frames refer to every function. */
static bool is_use(const struct object *o, const Elf64_Shdr *relocations)
{
	const Elf64_Shdr *to = relocations->sh_info < o->section_count
		? &o->sections[relocations->sh_info] : NULL;

	return to && (to->sh_flags & SHF_ALLOC)
		&& strcmp(object_section_name(o, to), ".eh_frame") != 0;
}

/* Adds the functions in the section. */
static void add_functions(const struct object *o, size_t section, struct name_list *out)
{
	for (size_t i = 1; i < o->symbol_count; i++)
		if (o->symbols[i].st_shndx == section
		    && ELF64_ST_TYPE(o->symbols[i].st_info) == STT_FUNC)
			name_list_add(out, object_symbol_name(o, &o->symbols[i]));
}

static void add_uses(const struct object *o, const Elf64_Shdr *relocations, bool *done,
		     struct name_list *out)
{
	size_t count;
	const Elf64_Rela *list = object_relocations(o, relocations, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Sym *s = object_symbol_of(o, &list[i]);

		if (!s || s->st_shndx == relocations->sh_info)
			continue;
		if (s->st_shndx == SHN_UNDEF) {
			name_list_add(out, object_symbol_name(o, s));
		} else if (s->st_shndx < o->section_count && !done[s->st_shndx]) {
			done[s->st_shndx] = true;
			add_functions(o, s->st_shndx, out);
		}
	}
}

enum status reached_functions(const char *path, struct name_list *out, bool *valid)
{
	struct object object;
	enum status status = object_open(path, ET_REL, &object, valid);

	if (status == STATUS_OK && *valid) {
		bool *done = xcalloc(object.section_count, sizeof *done);

		for (size_t i = 1; i < object.section_count; i++)
			if (object.sections[i].sh_type == SHT_RELA
			    && is_use(&object, &object.sections[i]))
				add_uses(&object, &object.sections[i], done, out);
		free(done);
	}
	object_close(&object);
	return status;
}
