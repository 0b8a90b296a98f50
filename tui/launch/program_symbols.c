/* program_symbols.c - the symbols of a program's shared objects, and where these are loaded; see
 * program_parts.h.
 */
#include "config.h"

#include "tui/launch/program_parts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

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
	(*list)[(*count)++] = (struct place){ object_symbol_name(o, s), s->st_value, s->st_size,
		ELF64_ST_BIND(s->st_info) == STB_GLOBAL };
}

/* CUDA counts all __constant__ variables of a file for each of its kernels, in the order of their
 * declarations. Gaps that it needs to align them are not counted here: nothing in the object says
 * what the types are, and gcc's own gaps are larger. */
static void find_constants(struct loaded *l)
{
	const struct object *o = &l->object;

	for (size_t i = 0; i < o->section_count; i++)
		if (strcmp(object_section_name(o, &o->sections[i]), "ft_constant") == 0) {
			l->constants = o->sections[i].sh_addr;
			l->constants_end = l->constants + o->sections[i].sh_size;
		}
	for (size_t i = 0; i < l->variable_count; i++)
		if (l->variables[i].value - l->constants < l->constants_end - l->constants)
			l->constant_bytes += l->variables[i].bytes;
}

enum status program_symbols_read(struct loaded *l)
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
	find_constants(l);
	return STATUS_OK;
}

void program_symbols_free(struct loaded *l)
{
	free(l->path);
	free(l->functions);
	free(l->variables);
	object_close(&l->object);
}

bool program_symbols_base(struct loaded *l)
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

const struct place *program_place_at(struct loaded *l, const struct place *list, size_t count,
				    const void *address)
{
	uint64_t value;
	size_t low = 0, high = count;

	if (!program_symbols_base(l))
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

const struct place *program_variable_place(const struct loaded *l, const char *name)
{
	for (size_t i = 0; i < l->variable_count; i++)
		if (strcmp(l->variables[i].name, name) == 0)
			return &l->variables[i];
	return NULL;
}
